// A pointer to one of several objects is read, written and moved; one of the objects is freed.
#include <rejoin.h>
#include <stdlib.h>

static int global[3] = {10, 20, 30};

int main(void) {
    unsigned char x, y;
    rejoin_symbolic(&x, 1, "x");
    rejoin_symbolic(&y, 1, "y");
    int local[3] = {1, 2, 3};
    int *heap = calloc(3, sizeof *heap);
    int *p = local;
    if (x == 1) p = global;
    if (x == 2) p = heap;
    if (y & 1) p++;
    if (y & 2) free(heap);
    *p += 5;
    if (y & 4) p += y >> 6;
    int result = *p + local[1] + global[1];
    if (!(y & 2)) free(heap);
    return result & 127;
}
