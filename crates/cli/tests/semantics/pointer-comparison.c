// Addresses are compared as numbers: those of different objects never overlap or change.
// expect: exit 0
#include <stdint.h>
#include <stdlib.h>
int a[2], b[2];
int main(void) {
    int *p = malloc(8), *q = malloc(8);
    if (p == q || a == b || &a[2] == b || p + 2 == q)
        return 1;
    if ((p < q) == (q < p) || (p < q) != ((uintptr_t)p < (uintptr_t)q))
        return 2;
    uintptr_t distance = p < q ? (uintptr_t)q - (uintptr_t)p : (uintptr_t)p - (uintptr_t)q;
    if (distance < (1ull << 32))
        return 3;
    return &a[0] < &a[1] && &a[2] > &a[1] ? 0 : 4;
}
