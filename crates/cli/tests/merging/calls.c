// Merges below other frames: what callers still need differs, longjmp and variadic arguments.
#include <rejoin.h>
#include <setjmp.h>
#include <stdarg.h>

static jmp_buf back;

static int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int total = 0;
    for (int i = 0; i < n; i++) total += va_arg(list, int);
    va_end(list);
    return total;
}

static int inner(unsigned char y) {
    int r = 1;
    if (y & 1) r = 2;
    if (y == 6) longjmp(back, 3);
    return r;
}

int main(void) {
    unsigned char x, y;
    rejoin_symbolic(&x, 1, "x");
    rejoin_symbolic(&y, 1, "y");
    int a = 4, b = 5;
    if (x < 3) a = 40;
    if (x & 8) b = 50;
    volatile int jumped = setjmp(back);
    if (jumped) return a + jumped;
    int r = inner(y);
    return sum(3, a, b, r) & 127;
}
