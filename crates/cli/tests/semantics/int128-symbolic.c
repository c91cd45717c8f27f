// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
typedef unsigned __int128 u128;
int main(void) {
    u128 a;
    klee_make_symbolic(&a, sizeof a, "a");
    u128 goal = (u128)0x1234567812345678 << 64 | 0x8765432187654321;
    if ((a ^ 0x55) + 1 == goal)
        return 1;
    return 2;
}
