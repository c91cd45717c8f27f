// libc: musl
#include <setjmp.h>
static jmp_buf buffer;
int main(void) {
    longjmp(buffer, 1); // error: ptr
}
