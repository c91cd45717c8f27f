// flags: --cflags -fsanitize=implicit-conversion
int main(void) {
    volatile int n = 300;
    unsigned char c = n; // error: implicit_conversion
    return c;
}
