// The first byte is another one than all that follow: the pattern is that of the subtree below it.
#include <rejoin.h>
static char s[M];
int main(void) {
  unsigned n;
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, sizeof n, "n");
  rejoin_assume(n <= M);
  unsigned i = 0;
  while (i < n && s[i] == "-a"[i > 0]) i++;
  if (3 * i > n + 5) return 1;
  return 0;
}
