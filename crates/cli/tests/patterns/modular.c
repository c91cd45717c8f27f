// The byte that is looked for, and the side that is on at the end, depend on k mod 2.
#include <rejoin.h>
static char s[M];
int main(void) {
  unsigned n;
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, sizeof n, "n");
  rejoin_assume(n <= M);
  unsigned i = 0, side = 7;
  while (i < n && s[i] == "ab"[i % 2]) {
    i++;
    side = 16 - side;
  }
  if (side + n > 13) return 1;
  return 0;
}
