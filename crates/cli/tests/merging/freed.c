// libc: musl
// A pointer of merged states is freed: one object or the other or none, and on one path one twice.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char in[3];
    klee_make_symbolic(in, sizeof in, "in");
    klee_assume((in[0] & ~3) == 0);
    klee_assume((in[1] & ~1) == 0);
    klee_assume((in[2] & ~1) == 0);
    char *a = malloc(4), *b = malloc(4), *c = 0;
    a[0] = 1;
    b[0] = 2;
    if (in[0] == 1)
        c = a;
    if (in[0] == 2)
        c = b;
    free(c);
    if (in[1])
        return in[0] == 1 ? b[0] : in[0] == 2 ? a[0] : a[0] + b[0];
    if (in[2] == 0 || in[0] != 2)
        free(in[0] == 1 ? b : a);
    else
        free(b);
    return 9;
}
