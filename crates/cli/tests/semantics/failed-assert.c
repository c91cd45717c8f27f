// expect: exit 0
#include <assert.h>
#include <klee/klee.h>
int main(void) {
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    assert(x != 77); // error: assert
    return 0;
}
