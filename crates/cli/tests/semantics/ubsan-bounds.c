// flags: --cflags -fsanitize=undefined
struct {
    int a[2], b[2];
} s;
int main(void) {
    volatile int i = 2;
    return s.a[i]; // error: ptr
}
