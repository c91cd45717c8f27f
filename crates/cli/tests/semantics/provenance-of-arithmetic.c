// expect: exit 3
#include <klee/klee.h>
#include <stdint.h>
int a[4], b[4];
int main(void) {
    uint64_t i;
    a[2] = 3;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume((i == 2) | (i == (uint64_t)(b - a)));
    return a[i]; // error: ptr
}
