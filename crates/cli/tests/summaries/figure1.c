// MultiSE's figure 1. Numbers are in tenths, so that 1.3 is an integer beside what depends on the input.
#include <klee/klee.h>

int main(void) {
    short x, z, r;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&z, sizeof z, "z");
    klee_make_symbolic(&r, sizeof r, "r");
    x = 2 * x;
    if (x > 100)
        if (z == 10)
            r = 13;
    if (r > 10)
        z = r - 10;
    klee_print_expr("x", x);
    klee_print_expr("z", z);
    klee_print_expr("r", r);
    return 0;
}
