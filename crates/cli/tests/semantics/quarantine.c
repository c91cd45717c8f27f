// The number of a dead object rests for 256 allocations of its site; then it is used again.
// expect: exit 0
#include <stdlib.h>
int main(void) {
    char *first = 0;
    for (int i = 0; i <= 256; i++) {
        char *p = malloc(1);
        if (i == 0)
            first = p;
        else if ((p == first) != (i == 256))
            return i;
        free(p);
    }
    return 0;
}
