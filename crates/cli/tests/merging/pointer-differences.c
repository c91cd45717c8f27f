// A pointer into one object plus the way from there into another: what it points into depends on all
// three.
#include <rejoin.h>

static char one[8] = {1, 2, 3, 4, 5, 6, 7, 8}, two[8], x[8], y[8];

int main(void) {
    unsigned char a, b;
    rejoin_symbolic(&a, 1, "a");
    rejoin_symbolic(&b, 1, "b");
    char *from, *to, *end;
    if (b & 128) to = one;
    else to = two;
    if (a > 10) from = x;
    else from = y;
    if (a > 100) end = x + 3;
    else if (a > 10 && (b & 7) > 4) end = x + 1;
    else if (a > 10) end = x + 2;
    else if ((b & 7) > 3) end = y + 1;
    else end = y + 5;
    to[end - from] = 9;
    end += to - from;
    end[1] = 7;
    if (b & 64) end[a == 10 ? 4 : 1]++; // outside of it if end is 5 into it
    return one[end - to] + two[2] + two[6];
}
