int f(int a, int b) { return a + b; }
int main(void) {
    int (*volatile g)(int) = (int (*)(int))f;
    return g(1); // error: ptr
}
