// expect: paths 2
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
int a = 1, b = 2, c = 3;
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    int *all[4] = {&a, &b, &c, &b};
    *all[i & 3] += 1;
    if (b == 3)
        return 1;
    return 2;
}
