// The largest sum of neighbouring elements (Kadane), over N symbolic bytes.
#include <rejoin.h>
#ifndef N
#define N 6
#endif

static int largest_sum(const signed char *a, int n) {
  int best = 0, here = 0;
  for (int i = 0; i < n; i++) {
    here += a[i];
    if (here < 0) here = 0;
    if (here > best) best = here;
  }
  return best;
}

int main(void) {
  signed char a[N];
  rejoin_symbolic(a, sizeof a, "a");
  int best = largest_sum(a, N);
  rejoin_assert(best >= 0 && best <= 127 * N);
  return 0;
}
