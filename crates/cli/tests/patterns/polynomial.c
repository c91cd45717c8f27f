// A sum of the numbers of iterations is k(k+1)/2.
#include <rejoin.h>
static char s[M];
int main(void) {
  unsigned n;
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, sizeof n, "n");
  rejoin_assume(n <= M);
  unsigned i = 0, area = 0;
  while (i < n && s[i] == 'a') {
    i++;
    area += i;
  }
  if (area > 3 * n) return 1;
  return 0;
}
