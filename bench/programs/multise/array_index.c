// Searches: the first index with a key, the last one, and elements counted through indices that depend on the input.
#include <rejoin.h>
#ifndef N
#define N 6
#endif

static int first_of(const unsigned char *a, int n, int key) {
  for (int i = 0; i < n; i++)
    if (a[i] == key) return i;
  return -1;
}

static int last_of(const unsigned char *a, int n, int key) {
  int found = -1;
  for (int i = 0; i < n; i++)
    if (a[i] == key) found = i;
  return found;
}

int main(void) {
  unsigned char a[N], key;
  int seen[N] = {0};
  rejoin_symbolic(a, sizeof a, "a");
  rejoin_symbolic(&key, 1, "key");
  int first = first_of(a, N, key), last = last_of(a, N, key);
  if (first >= 0) {
    seen[first]++;
    seen[last]++;
    if (first == last)
      rejoin_assert(seen[first] == 2);
    else
      rejoin_assert(seen[first] == 1 && first < last);
  } else {
    rejoin_assert(last == -1);
  }
  return 0;
}
