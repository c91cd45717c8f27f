// expect: exit 0
#include <limits.h>
int main(void) {
    volatile int a = INT_MAX, b = 2;
    volatile unsigned long u = ULONG_MAX;
    int r;
    unsigned long s;
    signed char c;
    if (!__builtin_add_overflow(a, b, &r) || r != INT_MIN + 1)
        return 1;
    if (!__builtin_mul_overflow(u, 2ul, &s) || s != ULONG_MAX - 1)
        return 2;
    if (__builtin_sub_overflow(b, a, &r) || !__builtin_add_overflow(100, 28, &c) || c != -128)
        return 3;
    long wide;
    return __builtin_mul_overflow((long)a, (long)a, &wide) ? 4 : 0;
}
