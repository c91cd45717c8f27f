#include <stdlib.h>
int main(void) {
    char *p = malloc(2);
    char *q = realloc(p, 4);
    q[0] = 0;
    return p[0]; // error: ptr
}
