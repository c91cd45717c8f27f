// Both continue: the inputs inside go on, those outside are an error.
// expect: exit 1
#include <klee/klee.h>
char a[5] = {1, 1, 1, 1, 1};
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    return a[i]; // error: ptr
}
