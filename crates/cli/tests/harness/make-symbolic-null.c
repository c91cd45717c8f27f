#include <klee/klee.h>
int main(void) {
    klee_make_symbolic(0, 4, "a"); // error: user
    return 0;
}
