// expect: exit 9
#include <stdint.h>
int main(void) {
    int x = 9;
    uintptr_t n = (uintptr_t)&x;
    uintptr_t low = n & 0xffffffff, high = n >> 32;
    n = 0;
    unsigned char bytes[8];
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(low >> (8 * i));
        bytes[4 + i] = (unsigned char)(high >> (8 * i));
    }
    for (int i = 7; i >= 0; i--)
        n = n << 8 | bytes[i];
    return *(int *)n;
}
