// flags: --check-uninit
// expect: exit 4
#include <stdlib.h>
int main(void) {
    int *p = calloc(4, sizeof *p);
    if (p[3])
        return 1;
    free(p);
    return 4;
}
