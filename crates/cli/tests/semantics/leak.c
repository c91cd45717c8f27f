// flags: --check-leaks
#include <stdlib.h>
int main(void) {
    char *p = malloc(3); // error: leak
    p[0] = 1;
    p = 0;
    return 0;
}
