#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    klee_assume(x > 300); // error: user
    return 0;
}
