// libc: musl
// flags: --check-leaks
// expect: exit 0
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    printf("%d\n", 1);
    if (x == 1) {
        char *p = malloc(3); // error: leak
        p = 0;
    } else if (x == 2) {
        char *p = malloc(4); // error: leak
        p = 0;
    }
    return 0;
}
