#include <limits.h>
int main(void) {
    volatile int n = INT_MIN, m = -1;
    return n / m; // error: overflow
}
