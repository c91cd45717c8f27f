// One input below the bound; no fork.
// expect: exit 0
// expect: paths 1
// expect: objects klee_choose
#include <klee/klee.h>
int main(void) {
    if (klee_choose(3) >= 3)
        return 1;
    return 0;
}
