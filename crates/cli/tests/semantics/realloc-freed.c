#include <stdlib.h>
int main(void) {
    char *p = malloc(2);
    free(p);
    p = realloc(p, 3); // error: free
    return 0;
}
