// Zero bytes give an object of its own: not null, not to be accessed, to be freed.
#include <stdlib.h>
int main(void) {
    char *p = malloc(0), *q = malloc(0);
    if (!p || !q || p == q)
        return 1;
    free(q);
    return *p; // error: ptr
}
