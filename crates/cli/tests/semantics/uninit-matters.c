// A read at an unknown index of an array that is only partly written: an error just where it can
// hit what was not written.
// flags: --check-uninit
// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
int main(void) {
    unsigned char i, cells[8];
    klee_make_symbolic(&i, 1, "i");
    for (int k = 0; k < 4; k++)
        cells[k] = (unsigned char)(10 * k);
    if (i < 4) {
        if (cells[i] == 30)
            return 1;
        return 2;
    }
    if (i < 6 && cells[i] == 30) // error: uninit
        return 3;
    return 2;
}
