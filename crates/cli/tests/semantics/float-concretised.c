// A symbolic operand of floating point is fixed to one value; the ledger tells.
// expect: exit 0
// expect: ledger concretised floating point
#include <klee/klee.h>
int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume((n >= 0) & (n < 10));
    double d = n;
    return d > 100.0;
}
