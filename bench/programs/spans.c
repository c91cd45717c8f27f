// Loops over a symbolic buffer of M bytes with a symbolic size n <= M.
// TWICE:  a span, and another one from where the first ended.
// EITHER: a span of two bytes, by a condition with two branches.
// HEAP:   the same buffer in a block of n bytes, filled and scanned for its end.
// ROWS:   n rows of m bytes each, by a loop in a loop.
#include <klee/klee.h>
#include <stdlib.h>
#define TWICE 1
#define EITHER 2
#define HEAP 3
#define ROWS 4
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
#if KIND == ROWS
static char buf[M * M];
static unsigned char n, m;
int main(void) {
  klee_make_symbolic(buf, sizeof buf, "buf");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&m, sizeof m, "m");
  klee_assume(n <= M);
  klee_assume(m <= M);
  unsigned i, j = 0;
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      if (buf[i * M + j] != 'a') goto end;
end:
  if (i > n || j > m) klee_report_error(__FILE__, __LINE__, "beyond the end", "user.err");
  return 0;
}
#else
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
#endif
