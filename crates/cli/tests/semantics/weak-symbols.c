// expect: exit 3
__attribute__((weak)) int missing(void);
__attribute__((weak)) extern int absent;
static int real(void) { return 3; }
int same(void) __attribute__((alias("real")));
int main(void) {
    if (missing || &absent)
        return 1;
    return same();
}
