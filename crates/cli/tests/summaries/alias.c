// MultiSE's section 2.4: a store through a pointer to one of two arrays updates both, each under its guard.
#include <klee/klee.h>

int main(void) {
    static int r[1] = {2}, s[1] = {3};
    int *t;
    signed char x;
    klee_make_symbolic(&x, 1, "x");
    if (x > 0)
        t = r;
    else
        t = s;
    t[0] = 4;
    klee_print_expr("r", r[0]);
    klee_print_expr("s", s[0]);
    klee_print_expr("t", t[0]);
    return 10 * r[0] + s[0];
}
