// As malloc(0): an object of no bytes.
// expect: exit 0
#include <stdlib.h>
int main(void) {
    char *volatile p = malloc(4);
    char *q = realloc(p, 0);
    if (!q)
        return 1;
    free(q);
    return 0;
}
