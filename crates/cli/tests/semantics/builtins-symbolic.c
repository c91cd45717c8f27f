// expect: exit 0
// expect: paths 1
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    unsigned n = x | 0x100;
    int bits = 0;
    for (int i = 0; i < 9; i++)
        bits += n >> i & 1;
    unsigned char sum;
    int over = __builtin_add_overflow(x, (unsigned char)1, &sum);
    int wrong = (__builtin_popcount(n) != bits) | (__builtin_clz(n) != 23) | (over != (x == 255));
    wrong |= __builtin_bswap32(__builtin_bswap32(n)) != n;
    wrong |= __builtin_rotateleft32(n, 9) != (n << 9 | n >> 23);
    return wrong;
}
