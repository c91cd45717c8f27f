// Output inside of branches, of bytes that differ between the merged paths.
// libc: musl
#include <rejoin.h>
#include <stdio.h>

int main(void) {
    unsigned char x, y;
    rejoin_symbolic(&x, 1, "x");
    rejoin_symbolic(&y, 1, "y");
    char mark = 'a';
    if (x > 9) putchar('x');
    if (x > 99) mark = 'b';
    putchar(mark);
    if (y == 7 && x < 50) printf("%d", y);
    putchar('\n');
    return 0;
}
