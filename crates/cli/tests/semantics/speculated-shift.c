// flags: --cflags -O2
// expect: exit 1
// expect: paths 1
#include <klee/klee.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, 1, "n");
    unsigned r = n < 32 ? 1u << n : 7;
    return (r & 1) != 0;
}
