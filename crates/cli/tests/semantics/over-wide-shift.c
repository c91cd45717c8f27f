// expect: exit 0
#include <klee/klee.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, 1, "n");
    unsigned r = 1u << n; // error: overshift
    return r == 0;
}
