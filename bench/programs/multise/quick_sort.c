// Quick sort of N symbolic integers.
#include <rejoin.h>
#ifndef N
#define N 4
#endif

static void quick_sort(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[high], at = low;
  for (int i = low; i < high; i++)
    if (a[i] < pivot) {
      int t = a[i];
      a[i] = a[at];
      a[at] = t;
      at++;
    }
  a[high] = a[at];
  a[at] = pivot;
  quick_sort(a, low, at - 1);
  quick_sort(a, at + 1, high);
}

int main(void) {
  int a[N];
  rejoin_symbolic(a, sizeof a, "a");
  quick_sort(a, 0, N - 1);
  for (int i = 0; i + 1 < N; i++) rejoin_assert(a[i] <= a[i + 1]);
  return 0;
}
