// Heap sort of N symbolic integers.
#include <rejoin.h>
#ifndef N
#define N 5
#endif

static void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

static void sift(int *a, int root, int end) {
  while (2 * root + 1 <= end) {
    int child = 2 * root + 1;
    if (child + 1 <= end && a[child] < a[child + 1]) child++;
    if (a[root] >= a[child]) return;
    swap(&a[root], &a[child]);
    root = child;
  }
}

static void heap_sort(int *a, int n) {
  for (int root = n / 2 - 1; root >= 0; root--) sift(a, root, n - 1);
  for (int end = n - 1; end > 0; end--) {
    swap(&a[0], &a[end]);
    sift(a, 0, end - 1);
  }
}

int main(void) {
  int a[N];
  rejoin_symbolic(a, sizeof a, "a");
  heap_sort(a, N);
  for (int i = 0; i + 1 < N; i++) rejoin_assert(a[i] <= a[i + 1]);
  return 0;
}
