#include <limits.h>
int main(void) {
    volatile long n = LONG_MIN, m = -1;
    return (int)(n % m); // error: overflow
}
