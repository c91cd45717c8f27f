// Objects that exist on one of two merged paths: used, freed, leaked and used after free.
#include <rejoin.h>
#include <stdlib.h>

int main(void) {
    unsigned char x, y;
    rejoin_symbolic(&x, 1, "x");
    rejoin_symbolic(&y, 1, "y");
    int *p = 0, sum = 0;
    if (x < 100) {
        p = malloc(4);
        *p = 7;
    }
    int *q = malloc(8);
    q[0] = x;
    q[1] = 2;
    if (y & 1) free(q);
    if (y & 2) sum++;
    if (x < 50) *p += q[0];
    if (x > 120 && y == 4) *p = 1;
    if (p) sum += *p % 10;
    if (y & 8) free(p);
    if (y == 9) free(p);
    return sum;
}
