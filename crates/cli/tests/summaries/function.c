// MultiSE's section 2.4: the function that is called depends on the input. The condition is one that only the
// solver can decide.
#include <rejoin.h>

static int f1(void) { return 0; }
static int f2(void) { return 1; }

int main(void) {
    unsigned x, y;
    rejoin_symbolic(&x, sizeof x, "x");
    rejoin_symbolic(&y, sizeof y, "y");
    int (*f)(void), r = 0;
    if (x * y + (x ^ y) > 1000)
        f = f1;
    else
        f = f2;
#ifdef CALL
    r = f();
#endif
    return r;
}
