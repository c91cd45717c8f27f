// flags: --cflags -fsanitize=undefined
int main(void) {
    volatile int n = 0;
    return 1 / n; // error: div
}
