// flags: --max-depth 2
// expect: exit 1
// expect: ledger cut-depth --max-depth
#include <klee/klee.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, 1, "n");
    if (n == 0)
        return 1;
    if (n == 1)
        return 1;
    if (n == 2)
        return 1;
    return 1;
}
