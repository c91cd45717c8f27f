// libc: musl
// expect: exit 0
// expect: stdout 7 text 2.50 ff
#include <stdio.h>
int main(void) {
    printf("%d %s %.2f %x", 7, "text", 2.5, 255);
    fprintf(stderr, "elsewhere");
    return 0;
}
