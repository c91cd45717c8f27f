// expect: paths 4
// expect: exit 0
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
int a = 1, b = 2;
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    int *all[4] = {&a, &b, 0, 0};
    int *one = all[i < 3 ? i : 2];
    return one ? *one : 0;
}
