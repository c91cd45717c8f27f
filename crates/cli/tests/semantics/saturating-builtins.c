// expect: exit 0
#include <limits.h>
int main(void) {
    volatile int a = INT_MAX, b = INT_MIN;
    volatile unsigned char c = 200;
    if (__builtin_elementwise_add_sat(a, 1) != INT_MAX || __builtin_elementwise_sub_sat(b, 1) != INT_MIN)
        return 1;
    unsigned char d = 100;
    if (__builtin_elementwise_add_sat(c, d) != 255 || __builtin_elementwise_sub_sat(d, c) != 0)
        return 2;
    return __builtin_elementwise_max(a, b) == a && __builtin_elementwise_min(a, b) == b ? 0 : 3;
}
