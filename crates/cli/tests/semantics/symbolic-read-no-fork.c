// expect: paths 2
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
static const unsigned char squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    if (squares[i & 15] == 121)
        return 1;
    return 2;
}
