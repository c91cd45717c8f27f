// expect: exit 1
// expect: exit 2
#include <klee/klee.h>
typedef unsigned char v16 __attribute__((vector_size(16)));
int main(void) {
    v16 a;
    klee_make_symbolic(&a, sizeof a, "a");
    v16 b = a + 3;
    unsigned char i = 5;
    if (b[i] == 7)
        return 1;
    return 2;
}
