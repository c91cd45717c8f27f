// expect: paths 2
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    static void *const code[] = {&&one, &&two, &&one, &&two};
    goto *code[i & 3];
one:
    return 1;
two:
    return 2;
}
