// A summary with many entries, of guards with many nodes.
#include <rejoin.h>
#ifndef BITS
#define BITS 8
#endif

int main(void) {
    static const int weights[8] = {1, 2, 3, 5, 8, 13, 21, 34};
    unsigned char x[2];
    rejoin_symbolic(x, 2, "x");
    int sum = 0;
    for (int bit = 0; bit < BITS; bit++)
        if (x[bit & 1] >> bit / 2 & 1) sum += weights[bit];
    rejoin_assert(sum != 80);
    return sum;
}
