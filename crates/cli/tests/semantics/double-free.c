#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    free(p);
    free(p); // error: free
    return 0;
}
