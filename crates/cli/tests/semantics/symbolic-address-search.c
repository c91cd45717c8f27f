// An integer that shows no object is looked up: here it can be one of two, or neither.
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
#include <stdint.h>
char a[1] = {1}, b[1] = {2};
int main(void) {
    uintptr_t n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume((n == (uintptr_t)a) | (n == (uintptr_t)b) | (n == 8));
    return *(char *)n; // error: ptr
}
