#include <stdlib.h>
int main(void) {
    char *p = malloc(7);
    *(int *)(p + 3) = 1;
    *(int *)(p + 4) = 1; // error: ptr
    return 0;
}
