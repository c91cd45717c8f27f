// What each part of the program counter's key is for: in every case all paths meet again, if the least key runs first.
#include <klee/klee.h>

__attribute__((noinline)) static int several_returns(unsigned char b) {
    if (b < 10) return 1;
    for (int i = 0; i < 3; i++)
        if (b == 20 + i) return i;
    return b < 100 ? 3 : 4;
}

int main(void) {
    unsigned char b[4];
    int n = 0;
    klee_make_symbolic(b, sizeof b, "b");
#if defined(BLOCKS)
    if (b[0] < 10) {
        n = 1;
        if (b[1] < 10) n = 2;
    } else if (b[2] < 10) {
        n = 3;
    }
    if (n == 3) n = 5;
#elif defined(ITERATIONS)
    while (n < 4 && b[n] != 0) n++;
#else
    n = several_returns(b[0]);
    n += several_returns(b[1]);
#endif
    klee_print_expr("n", n);
    return 0;
}
