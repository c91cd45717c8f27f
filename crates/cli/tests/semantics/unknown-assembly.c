// Ends only the path that meets it.
// expect: exit 1
// expect: ledger unknown-instruction
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x)
        return 1;
    int y;
    __asm__ volatile("rdrand %0" : "=r"(y));
    return y;
}
