// Choosing between floating-point values loses no path.
// expect: exit 1
// expect: exit 2
// expect: exit 3
#include <klee/klee.h>
int main(void) {
    unsigned char c1, c2;
    klee_make_symbolic(&c1, 1, "c1");
    klee_make_symbolic(&c2, 1, "c2");
    double x = c1 ? 1.3 : c2 ? 2.25 : -0.5;
    return x == 1.3 ? 1 : x == 2.25 ? 2 : 3;
}
