#include <stdlib.h>
int main(void) {
    char *p = malloc(3);
    p[-1] = 0; // error: ptr
    return 0;
}
