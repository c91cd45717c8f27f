// expect: exit 3
#include <stdlib.h>
int main(void) {
    char *p = malloc(2);
    p[0] = 1;
    p[1] = 2;
    char *q = realloc(p, 4);
    if (q == p || q[3])
        return 9;
    char *r = realloc(0, 1);
    r[0] = q[0] + q[1];
    return r[0];
}
