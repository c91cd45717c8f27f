// expect: ledger concretised asked for by the program
// expect: exit 0
// expect: paths 1
#include <klee/klee.h>
int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    int one = klee_get_value_i32(x);
    if (one != x)
        return 1;
    return 0;
}
