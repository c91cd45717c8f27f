// expect: exit 0
// expect: exit 1
// expect: objects device
// The harness and copies know fixed objects, too.
#include <klee/klee.h>
#include <string.h>
int main(void) {
    char *p = (char *)0xb8000, copy[4];
    klee_define_fixed_object(p, 4);
    klee_make_symbolic(p, 4, "device");
    memcpy(copy, p, 4);
    if (klee_get_obj_size(p + 1) != 4 || !klee_is_symbolic(copy[3]))
        return 2;
    klee_check_memory_access(p, 4);
    if (copy[3] == p[2])
        return 1;
    return 0;
}
