// Values that no solver knows: floats, functions, pointers, labels and switches on merged values go on as one state.
#include <rejoin.h>

static int twice(int v) { return 2 * v; }
static int square(int v) { return v * v; }

int main(void) {
    unsigned char x;
    rejoin_symbolic(&x, 1, "x");
    double d = 0.5, e = 1.5;
    int (*f)(int) = twice, a[2] = {1, 2}, *p = &a[0], state = 1, result = 0;
    if (x & 1) d = 2.25;
    if (x & 2) f = square;
    if (x & 4) p = &a[1];
    if (x & 8) state = 7;
    e = d * e + (double)*p;
    *p = 9;
    switch (state) {
        case 1: result += 10; break;
        case 7: result += 20; break;
        default: result = -1;
    }
    void *label = d > 1.0 ? &&large : &&small;
    goto *label;
large:
    result += 3;
small:
    result += f(3) + (int)e + a[0];
    return result;
}
