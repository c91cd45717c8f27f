// flags: --cflags -fsanitize=undefined
int main(void) {
    volatile int n = 40;
    return 1 << n; // error: overshift
}
