// expect: exit 0
// expect: objects r s
#include <klee/klee.h>
int main(void) {
    int r = klee_range(-3, 4, "r"), s = klee_range(0, 10, "s");
    if (r < -3 || r >= 4 || s < 0 || s >= 10)
        return 1;
    return 0;
}
