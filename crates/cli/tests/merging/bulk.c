// libc: musl
// Copies and fills of merged lengths, to and from merged places; on one path there is no place.
#include <klee/klee.h>
#include <string.h>

struct pair {
    const char *name;
    long number;
};

int main(void) {
    unsigned char in[4];
    klee_make_symbolic(in, sizeof in, "in");
    klee_assume((in[0] & ~3) == 0);
    klee_assume((in[1] & ~3) == 0);
    klee_assume(in[2] < 3);
    klee_assume((in[3] & ~1) == 0);
    char left[6] = "......", right[5] = "-----";
    char *to = left;
    if (in[0] & 1)
        to = right;
    size_t at = 0;
    for (size_t i = 0; i < 3; i++)
        if (in[1] > i)
            at++;
    size_t len = 1;
    if (in[2] == 1)
        len = 2;
    if (in[2] == 2)
        len = 3;
    // Out of bounds with at = 3 and len = 3, on the right.
    memcpy(to + at, "abc", len);
    memset(to, '#', in[0] & 2 ? len - 1 : 1);
    struct pair pairs[2] = {{"one", 1}, {"two", 2}}, chosen = {0, 0};
    struct pair *from = &pairs[0];
    if (in[3])
        from = &pairs[1];
    memcpy(&chosen, from, sizeof chosen);
    from = in[0] == 2 && in[3] ? 0 : &chosen;
    struct pair again;
    memcpy(&again, from, sizeof again);
    return again.name[1] + (int)again.number + left[at] + right[at > 4 ? 0 : at];
}
