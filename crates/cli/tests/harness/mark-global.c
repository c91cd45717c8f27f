// flags: --check-leaks
#include <klee/klee.h>
#include <stdlib.h>
static void lose(void) {
    void *p = malloc(4);
    klee_mark_global(p);
}
int main(void) {
    lose(); // What is global is no leak ...
    void *p = malloc(4);
    klee_mark_global(p);
    free(p); // error: free
    return 0;
}
