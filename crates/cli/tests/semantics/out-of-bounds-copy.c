#include <string.h>
char from[8], to[7];
int main(void) {
    memcpy(to, from, 8); // error: ptr
    return 0;
}
