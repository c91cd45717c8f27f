// As the calling convention has it: the callee does not see them.
// expect: exit 1
int f(int a) { return a; }
int main(void) {
    int (*volatile g)(int, int) = (int (*)(int, int))(void *)f;
    return g(1, 2);
}
