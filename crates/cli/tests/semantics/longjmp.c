// libc: musl
// expect: exit 12
#include <setjmp.h>
static jmp_buf buffer;
static int depth(int n) {
    if (n == 0)
        longjmp(buffer, 5);
    return depth(n - 1);
}
int main(void) {
    volatile int rounds = 0;
    int got = setjmp(buffer);
    rounds++;
    if (got == 0)
        depth(3);
    if (rounds == 2)
        longjmp(buffer, 0);
    return got + rounds + 8;
}
