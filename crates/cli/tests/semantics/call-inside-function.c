int f(void) { return 1; }
int main(void) {
    int (*volatile g)(void) = (int (*)(void))((char *)f + 1);
    return g(); // error: ptr
}
