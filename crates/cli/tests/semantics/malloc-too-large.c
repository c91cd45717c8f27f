// expect: exit 0
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    volatile size_t huge = SIZE_MAX;
    if (malloc(huge) || calloc(huge, 2) || malloc(1ull << 32))
        return 1;
    return 0;
}
