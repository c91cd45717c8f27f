#include <stdlib.h>
int main(void) {
    int x;
    free(&x); // error: free
    return 0;
}
