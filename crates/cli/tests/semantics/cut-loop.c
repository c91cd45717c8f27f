// flags: --max-loop 3
// expect: exit 0
// expect: exit 1
// expect: exit 2
// expect: exit 3
// expect: ledger cut-loop --max-loop
#include <klee/klee.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, 1, "n");
    int i = 0;
    while (i < n)
        i++;
    return i;
}
