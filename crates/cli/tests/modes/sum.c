// `n` is symbolic and differs between the paths: merging them puts an if-then-else into all later
// queries.
#include <klee/klee.h>

int main(void) {
  unsigned char x, n;
  int steps = 0;
  klee_make_symbolic(&x, 1, "x");
  klee_make_symbolic(&n, 1, "n");
  if (x & 1)
    n = (unsigned char)(3 * n + 1);
  while (n > 100 && steps < 4) {
    n = (unsigned char)(n - 50);
    steps++;
  }
  return steps;
}
