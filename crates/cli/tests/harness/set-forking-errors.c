// expect: exit 0
// expect: exit 1
// An error is found whatever is said about forks, and it is no fork. Later both ways are taken.
#include <klee/klee.h>
int main(void) {
    unsigned char a[4] = {0}, i;
    klee_make_symbolic(&i, 1, "i");
    klee_set_forking(0);
    a[i] = 1; // error: ptr
    klee_set_forking(1);
    if (i == 2)
        return 1;
    return 0;
}
