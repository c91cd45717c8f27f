// A floating-point number that depends on the input is fixed; what is left of it is explored later.
#include <rejoin.h>

int main(void) {
    unsigned char x;
    rejoin_symbolic(&x, 1, "x");
    double d = x;
    if (d * 0.5 > 100.25) return 1;
    return 0;
}
