// expect: exit 0
#include <limits.h>
int main(void) {
    volatile int n = INT_MAX, m = INT_MIN;
    return n + 1 == INT_MIN && m - 1 == INT_MAX && n * 2 == -2 && -m == INT_MIN ? 0 : 1;
}
