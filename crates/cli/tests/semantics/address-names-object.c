// expect: exit 7
#include <stdint.h>
int a[4], b[4];
int main(void) {
    b[0] = 7;
    int *p = a;
    p += b - a;
    return *p;
}
