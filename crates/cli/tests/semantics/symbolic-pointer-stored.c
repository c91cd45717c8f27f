// A pointer that may be null because it was stored at an unknown position, read at a known one.
// expect: paths 2
// expect: exit 1
// expect: exit 5
#include <klee/klee.h>
int a = 1;
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    int *all[2] = {0, 0};
    all[i & 1] = &a;
    return all[0] ? *all[0] : 5;
}
