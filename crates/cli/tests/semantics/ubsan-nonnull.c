// flags: --cflags -fsanitize=undefined
__attribute__((nonnull)) static int f(int *p) { return p == 0; }
int main(void) {
    int *volatile p = 0;
    return f(p); // error: nullable_attribute
}
