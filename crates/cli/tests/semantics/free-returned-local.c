#include <stdlib.h>
int *f(void) {
    int x = 1;
    int *volatile p = &x;
    return p;
}
int main(void) {
    free(f()); // error: free
    return 0;
}
