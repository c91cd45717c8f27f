// expect: exit 10
#include <klee/klee.h>
int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, 1, "n");
    if (n > 1)
        return 10;
    return 4 / n == 4 ? 10 : 11; // error: div
}
