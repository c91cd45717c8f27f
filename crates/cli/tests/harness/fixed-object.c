// expect: exit 0
// expect: exit 7
// A device: 16 registers at an address of the program's choice, and another behind a gap.
#include <klee/klee.h>
int main(void) {
    volatile unsigned *a = (unsigned *)0x5000, *b = (unsigned *)0x40000000;
    klee_define_fixed_object((void *)a, 64);
    klee_define_fixed_object((void *)b, 4);
    a[3] = 41;
    *b = 1;
    unsigned char i;
    klee_make_symbolic(&i, 1, "i");
    if (i < 16) {
        // A symbolic index, and a choice between the two.
        volatile unsigned *p = i == 9 ? b : a + i;
        if (*p == 41)
            return i == 3 ? 7 : 1;
        if (*p == 1)
            return i == 9 ? 0 : 2;
        return *p;
    }
    unsigned char c = ((unsigned char *)a)[i]; // error: ptr
    return c;
}
