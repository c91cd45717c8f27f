// flags: --check-uninit
// expect: exit 5
#include <string.h>
struct padded {
    char c;
    int i;
};
int main(void) {
    struct padded a, b, c;
    a.c = 2;
    a.i = 3;
    b = a;
    memcpy(&c, &b, sizeof c);
    int unused = *((char *)&c + 1) + 1;
    (void)unused;
    return c.c + c.i;
}
