// expect: paths 2
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
int main(void) {
    unsigned char i, a[16] = {0};
    klee_make_symbolic(&i, 1, "i");
    a[i & 15] = 1;
    if (a[5])
        return 1;
    return 2;
}
