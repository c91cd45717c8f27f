// expect: exit 0
#include <stdlib.h>
int main(void) {
    free(0);
    return 0;
}
