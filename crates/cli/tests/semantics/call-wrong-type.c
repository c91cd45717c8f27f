int f(double x) { return (int)x; }
int main(void) {
    int (*volatile g)(int) = (int (*)(int))f;
    return g(1); // error: ptr
}
