// expect: objects x x_1 unnamed
// expect: exit 0
#include <klee/klee.h>
int main(void) {
    int x, y, z;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "x");
    klee_make_symbolic(&z, sizeof z, "");
    if (x != x)
        return 1;
    return 0;
}
