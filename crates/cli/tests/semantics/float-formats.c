// expect: exit 0
#include <string.h>
int main(void) {
    volatile _Float16 h = 65504.0f16;
    volatile float f = 16777216.0f;
    volatile double d = 0.1;
    volatile long double l = 0.1L;
    volatile __float128 q = 0.1;
    h = h * 2;
    if (h != (_Float16)__builtin_inff())
        return 1;
    if (f + 1.0f != f || d + 0.2 == 0.3 || d + 0.2 - 0.3 > 1e-16)
        return 2;
    if (l == (long double)d || (double)l != d || q != (__float128)d)
        return 3;
    q = q * 3 - (__float128)0.3;
    if (!(q > 2.7e-17 && q < 2.8e-17))
        return 4;
    long double third = l / 3;
    unsigned char bytes[16];
    memcpy(bytes, &third, 10);
    if (bytes[9] != 0x3f || bytes[8] != 0xfa || bytes[7] != 0x88)
        return 5;
    unsigned long bits;
    double z = -d * 0;
    memcpy(&bits, &z, 8);
    return bits == 1ul << 63 ? 0 : 6;
}
