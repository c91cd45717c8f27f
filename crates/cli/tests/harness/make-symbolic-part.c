// expect: objects middle
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
int main(void) {
    char a[4] = {9, 9, 9, 9};
    klee_make_symbolic(a + 1, 2, "middle");
    if (a[0] != 9 || a[3] != 9)
        return 3;
    if (a[2] == 1)
        return 1;
    return 2;
}
