// expect: exit 1
// expect: ledger unknown-global nobody_defines
#include <klee/klee.h>
extern int nobody_defines;
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    return x ? 1 : nobody_defines;
}
