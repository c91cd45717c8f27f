// expect: exit 0
#include <string.h>
int main(void) {
    memcpy(0, 0, 0);
    memset((void *)1, 0, 0);
    return 0;
}
