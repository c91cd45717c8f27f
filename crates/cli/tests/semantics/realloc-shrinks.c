#include <stdlib.h>
int main(void) {
    char *p = realloc(malloc(4), 2);
    return p[2]; // error: ptr
}
