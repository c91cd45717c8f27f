// expect: exit 5
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    *p = 5;
    if ((uintptr_t)p & 15)
        return 1;
    uintptr_t tagged = (uintptr_t)p | 1;
    return *(int *)(tagged & ~(uintptr_t)1);
}
