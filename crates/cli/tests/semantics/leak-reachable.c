// What a living object still points to is no leak.
// flags: --check-leaks
// expect: exit 0
#include <stdlib.h>
struct node {
    struct node *next;
} *list;
int main(void) {
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        list = n;
    }
    return 0;
}
