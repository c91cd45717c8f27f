// expect: exit 2
// expect: paths 1
// expect: ledger not-forked klee_set_forking
// Between the calls one way is taken; after them, and before, there are both.
#include <klee/klee.h>
int main(void) {
    unsigned char x, y;
    klee_make_symbolic(&x, 1, "x");
    klee_make_symbolic(&y, 1, "y");
    klee_assume((x == 5) & (y < 20));
    klee_set_forking(0);
    int n = 0;
    for (int i = 0; i < 8; i++)
        if (y >> i & 1)
            n++;
    switch (y % 4) {
    case 0: n += 100; break;
    case 1: n += 200; break;
    default: break;
    }
    klee_set_forking(1);
    return 2;
}
