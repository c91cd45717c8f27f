// expect: exit 5
// expect: paths 1
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    klee_assume((x > 4) & (x < 6));
    if (x == 5)
        return 5;
    return 0;
}
