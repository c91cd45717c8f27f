// expect: exit 0
// expect: exit 1
// The loop has compared the bytes, so it is known how far the result of the comparison moves a pointer.
#include <klee/klee.h>
#include <stdint.h>
static int compare(const unsigned char *l, const unsigned char *r) {
    for (; *l == *r && *l; l++, r++)
        ;
    return *l - *r;
}
int main(void) {
    static const char *words[3] = {"one", "two", "three"};
    const char **at = words;
    unsigned char x[3];
    klee_make_symbolic(x, 3, "x");
    klee_assume(x[2] == 0);
    _Bool equal = compare(x, (const unsigned char *)"ab") == 0;
    at += equal;
    if (klee_is_symbolic((uintptr_t)at))
        return 2;
    return (int)(at - words);
}
