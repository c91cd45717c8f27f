// Beside a fixed object there is nothing, and null stays null.
#include <klee/klee.h>
int main(void) {
    volatile char *p = (char *)0x5000;
    klee_define_fixed_object((void *)p, 4);
    p[0] = 1;
    switch (klee_range(0, 3, "case")) {
    case 0: return p[4];          // error: ptr
    case 1: return p[-1];         // error: ptr
    default: return *(volatile char *)0; // error: ptr
    }
}
