// expect: exit 0
// expect: exit 4
// expect: objects x r rejoin_choose n
#include <rejoin.h>
int main(void) {
    unsigned char x;
    rejoin_symbolic(&x, 1, "x");
    int r = rejoin_range(2, 5, "r");
    uintptr_t c = rejoin_choose(2);
    int n = rejoin_int("n");
    if (r < 2 || r >= 5 || c >= 2 || rejoin_is_replay() || !rejoin_is_symbolic(n))
        return 1;
    rejoin_assert(x != 200); // error: assert
    if (n == -9)
        return 4;
    return 0;
}
