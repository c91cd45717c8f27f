// flags: --cflags -fsanitize=undefined
static int f(int n) {
    if (n) // error: missing_return
        return 1;
}
int main() {
    volatile int zero = 0;
    return f(zero);
}
