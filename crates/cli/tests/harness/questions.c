// expect: exit 0
#include <klee/klee.h>
int main(void) {
    unsigned char x, a[7];
    klee_make_symbolic(&x, 1, "x");
    klee_check_memory_access(a, 7);
    if (!klee_is_symbolic(x) || klee_is_symbolic(5) || klee_is_replay())
        return 1;
    if (klee_get_obj_size(a) != 7)
        return 2;
    klee_prefer_cex(&x, x == 3);
    klee_warning("said");
    klee_open_merge();
    klee_close_merge();
    return 0;
}
