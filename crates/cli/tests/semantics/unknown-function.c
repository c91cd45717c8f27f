// Ends only the path that meets it.
// expect: exit 1
// expect: ledger unknown-call nobody_knows
#include <klee/klee.h>
int nobody_knows(int);
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x)
        return 1;
    return nobody_knows(x);
}
