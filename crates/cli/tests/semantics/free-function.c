#include <stdlib.h>
int f(void) { return 1; }
int main(void) {
    free((void *)f); // error: free
    return 0;
}
