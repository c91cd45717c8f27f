// expect: exit 6
// expect: objects none
#include <klee/klee.h>
int main(void) {
    return klee_range(6, 7, "r");
}
