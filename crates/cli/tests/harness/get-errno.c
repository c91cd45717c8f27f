// libc: musl
// expect: exit 0
#include <errno.h>
#include <klee/klee.h>
#include <unistd.h>
int main(void) {
    if (klee_get_errno() != 0)
        return 1;
    if (close(99) == 0)
        return 2;
    return klee_get_errno() == EBADF ? 0 : 3;
}
