#include <stdlib.h>
int main(void) {
    char *p = malloc(4);
    free(p + 1); // error: free
    return 0;
}
