// expect: exit 0
#include <stddef.h>
struct s {
    int a;
    struct {
        char c[3];
        int *p;
    } in[2];
};
static int target[4] = {1, 2, 3, 4};
static struct s table[2] = {{1, {{"ab", target + 2}, {"cd", &target[3]}}}, {2, {{{0}, 0}}}};
static long offset = (long)offsetof(struct s, in[1].p);
static char *inside = (char *)&table[0].in[1].c[1];
int main(void) {
    return *table[0].in[0].p == 3 && *table[0].in[1].p == 4 && offset == 32 && *inside == 'd' ? 0 : 1;
}
