// What the loop writes is out[j] = ite(j < k, s[j] + 1, 0), and is read at an unknown place.
#include <rejoin.h>
static char s[M];
static char out[M];
int main(void) {
  unsigned n, at;
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, sizeof n, "n");
  rejoin_symbolic(&at, sizeof at, "at");
  rejoin_assume(n <= M && at < M);
  unsigned i = 0;
  while (i < n && s[i] != 0) {
    out[i] = s[i] + 1;
    i++;
  }
  if (out[at] == 'b') return 1;
  return 0;
}
