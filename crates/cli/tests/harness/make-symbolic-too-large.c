#include <klee/klee.h>
int main(void) {
    char a[4];
    klee_make_symbolic(a, 5, "a"); // error: user
    return 0;
}
