// Loops over a symbolic buffer of M bytes with a symbolic size n <= M.
// TWICE:  a span, and another one from where the first ended.
// EITHER: a span of two bytes, by a condition with two branches.
// HEAP:   the same buffer in a block of n bytes, filled and scanned for its end.
#include <klee/klee.h>
#include <stdlib.h>
#define TWICE 1
#define EITHER 2
#define HEAP 3
#ifndef KIND
#define KIND TWICE
#endif
#ifndef M
#define M 10
#endif
static size_t span(const char *s, size_t from, size_t n, char c) {
  while (from < n && s[from] == c) from++;
  return from;
}
static char buf[M];
int main(void) {
  size_t n;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n <= M);
#if KIND == HEAP
  char *s = malloc(n);
  klee_make_symbolic(s, n, "buf");
#else
  char *s = buf;
  klee_make_symbolic(buf, sizeof buf, "buf");
#endif
  size_t i = 0;
#if KIND == EITHER
  while (i < n && (s[i] == 'a' || s[i] == 'b')) i++;
#else
  i = span(s, 0, n, 'a');
#endif
#if KIND == TWICE
  i = span(s, i, n, 'b');
#endif
  if (i > n) klee_report_error(__FILE__, __LINE__, "beyond the end", "user.err");
  return 0;
}
