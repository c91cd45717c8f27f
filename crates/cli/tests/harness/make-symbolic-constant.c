#include <klee/klee.h>
static const char a[4] = "abc";
int main(void) {
    klee_make_symbolic((void *)a, 4, "a"); // error: user
    return a[0];
}
