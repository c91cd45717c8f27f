#include <klee/klee.h>
int main(void) {
    return klee_range(7, 7, "r"); // error: user
}
