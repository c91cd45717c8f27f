// Loops over symbolic bytes, with early exits and a helper called on the way.
#include <rejoin.h>

static int length(const char *s) {
    int n = 0;
    while (s[n]) n++;
    return n;
}

int main(void) {
    char s[3];
    rejoin_symbolic(s, 2, "s");
    s[2] = 0;
    int spaces = 0, n = length(s);
    for (int i = 0; i < n; i++) {
        if (s[i] == ' ') spaces++;
        if (s[i] == '!') break;
    }
    if (spaces == 2) return 100 / (n - 2 + (s[1] != 32));
    return n * 4 + spaces;
}
