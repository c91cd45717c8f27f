// flags: --cflags -fsanitize=undefined
int main(void) {
    volatile unsigned n = 0;
    return __builtin_clz(n); // error: invalid_builtin_use
}
