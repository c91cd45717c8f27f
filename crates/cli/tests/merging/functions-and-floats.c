// Function pointers, floats and a computed jump that were chosen by branches.
#include <rejoin.h>

static int twice(int v) { return 2 * v; }
static int square(int v) { return v * v; }
static int negate(int v) { return -v; }

int main(void) {
    unsigned char x;
    rejoin_symbolic(&x, 1, "x");
    int (*f)(int) = twice;
    double d = 0.5;
    if (x < 10) f = square;
    if (x > 200) f = negate;
    if (x & 1) d = 2.25;
    void *label = x & 2 ? &&one : &&two;
    int result = f(3) + (int)(d * 4.0);
    goto *label;
one:
    result += 1;
two:
    return result & 127;
}
