// A running sum is S[k], where S[i] = S[i-1] + s[i-1].
#include <rejoin.h>
static unsigned char s[M];
int main(void) {
  unsigned n;
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, sizeof n, "n");
  rejoin_assume(n <= M);
  unsigned i = 0, sum = 0;
  while (i < n && s[i] < 3) {
    sum += s[i];
    i++;
  }
  if (sum > 2) return 1;
  return 0;
}
