// expect: exit 0
#include <stdlib.h>
int main(void) {
    int local[3];
    int *heap = malloc(3 * sizeof *heap);
    return local[1] | heap[2];
}
