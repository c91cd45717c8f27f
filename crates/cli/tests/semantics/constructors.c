// Constructors run by priority before main, destructors in the opposite order after exit or main.
// expect: exit 44
#include <stdlib.h>
#include <unistd.h>
static int order;
__attribute__((constructor(102))) static void second(void) { order = order * 3 + 2; }
__attribute__((constructor(101))) static void first(void) { order = order * 3 + 1; }
__attribute__((destructor(101))) static void last(void) {
    if (order == ((1 * 3 + 2) * 3) * 3 + 1)
        _exit(44);
}
__attribute__((destructor(102))) static void sooner(void) { order = order * 3 + 1; }
static void leave(void) { exit(3); }
int main(void) {
    order *= 3;
    leave();
}
