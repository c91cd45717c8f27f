// A symbolic function pointer becomes one state per function.
// expect: exit 1
// expect: exit 2
// expect: exit 3
// expect: paths 3
#include <klee/klee.h>
static int one(void) { return 1; }
static int two(void) { return 2; }
static int three(void) { return 3; }
static int (*const table[])(void) = {one, two, three, one};
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    return table[i & 3]();
}
