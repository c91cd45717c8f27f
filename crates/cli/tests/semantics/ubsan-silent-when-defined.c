// flags: --cflags -fsanitize=undefined
// expect: exit 7
int main(void) {
    volatile int a = 3, b = 4;
    int c[2] = {a, b};
    return c[a - 3] + c[b - 3];
}
