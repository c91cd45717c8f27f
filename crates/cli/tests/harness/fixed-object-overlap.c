#include <klee/klee.h>
int main(void) {
    klee_define_fixed_object((void *)0x5000, 16);
    klee_define_fixed_object((void *)0x5010, 16);
    klee_define_fixed_object((void *)0x500f, 1); // error: user
    return 0;
}
