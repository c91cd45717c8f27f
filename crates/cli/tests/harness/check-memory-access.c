#include <klee/klee.h>
int main(void) {
    char a[7];
    klee_check_memory_access(a, 8); // error: ptr
    return 0;
}
