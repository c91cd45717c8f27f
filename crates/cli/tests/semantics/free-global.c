#include <stdlib.h>
int g;
int main(void) {
    free(&g); // error: free
    return 0;
}
