// expect: exit 0
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x == 1)
        klee_abort(); // error: abort
    klee_assert(x != 2); // error: assert
    return 0;
}
