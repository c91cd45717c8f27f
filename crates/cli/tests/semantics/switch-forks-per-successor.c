// Six cases, three successors: three paths.
// expect: paths 3
// expect: exit 1
// expect: exit 2
// expect: exit 3
#include <klee/klee.h>
int main(void) {
    unsigned char c;
    klee_make_symbolic(&c, 1, "c");
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
        return 1;
    case '0':
    case '1':
        return 2;
    default:
        return 3;
    }
}
