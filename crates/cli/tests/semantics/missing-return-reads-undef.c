// C allows it as long as nobody looks at the value, so it is no error by itself.
// expect: exit 0
static int f(int n) {
    if (n)
        return 1;
}
int main(void) {
    f(0);
    return 0;
}
