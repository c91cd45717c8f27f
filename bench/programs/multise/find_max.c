// The largest of N symbolic integers.
#include <rejoin.h>
#ifndef N
#define N 8
#endif

static int find_max(const int *a, int n) {
  int max = a[0];
  for (int i = 1; i < n; i++)
    if (a[i] > max) max = a[i];
  return max;
}

int main(void) {
  int a[N];
  rejoin_symbolic(a, sizeof a, "a");
  int max = find_max(a, N);
  rejoin_assert(max >= a[0] && max >= a[N - 1]);
  return 0;
}
