// rejoin_assume drops the path.
// expect: paths 1
// expect: exit 1
#include <rejoin.h>
int main(void) {
    unsigned char x;
    rejoin_symbolic(&x, 1, "x");
    if (x == 7)
        return 1;
    rejoin_assume(x == 7);
    return 2;
}
