// expect: paths 1
// expect: exit 2
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x > 3)
        klee_silent_exit(0);
    return 2;
}
