// libc: musl
#include <setjmp.h>
static jmp_buf buffer;
static void f(void) {
    if (setjmp(buffer))
        return;
}
static void g(void) {
    longjmp(buffer, 1); // error: ptr
}
int main(void) {
    f();
    g();
    return 0;
}
