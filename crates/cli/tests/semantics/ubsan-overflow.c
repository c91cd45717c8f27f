// flags: --cflags -fsanitize=undefined
#include <limits.h>
int main(void) {
    volatile int n = INT_MAX;
    return n + 1; // error: overflow
}
