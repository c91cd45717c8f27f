// libc: musl
// flags: --check-leaks
// expect: exit 0
// Every string and memory function, the engine's own included, does what a loop over bytes does, on
// all inputs of three bytes, and reads nothing outside of its objects.
#define _GNU_SOURCE
#include <rejoin.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { N = 3 };
typedef unsigned char byte;

static int sign(int n) { return (n > 0) - (n < 0); }
static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

// The length up to a zero; at most n.
static size_t length(const char *s, size_t n) {
  size_t i = 0;
  while (i < n && s[i])
    i++;
  return i;
}

static int has(const char *set, char c) {
  for (; *set; set++)
    if (*set == c)
      return 1;
  return 0;
}

static int compare(const char *a, const char *b, size_t n, int stop, int fold) {
  for (size_t i = 0; i < n; i++) {
    int x = (byte)a[i], y = (byte)b[i];
    if (fold)
      x = lower(x), y = lower(y);
    if (x != y)
      return x < y ? -1 : 1;
    if (stop && !x)
      return 0;
  }
  return 0;
}

// A heap object of exactly n unknown bytes, the last one zero if it is to be a string.
static char *input(const char *name, int string) {
  char *p = malloc(N);
  rejoin_symbolic(p, N, name);
  if (string)
    rejoin_assume(p[N - 1] == 0);
  return p;
}

static void searches(int which) {
  char *s = input("s", which < 7);
  char c;
  rejoin_symbolic(&c, 1, "c");
  char *first = 0, *last = 0;
  size_t n = which < 7 ? length(s, N) : N;
  for (size_t i = 0; i < n + (which < 7); i++)
    if (s[i] == c) {
      if (!first)
        first = s + i;
      last = s + i;
    }
  switch (which) {
  case 0: rejoin_assert(strlen(s) == n); break;
  case 1: rejoin_assert(strnlen(s, 2) == (n < 2 ? n : 2)); break;
  case 2: rejoin_assert(strchr(s, c) == first); break;
  case 3: rejoin_assert(strrchr(s, c) == last); break;
  case 4: rejoin_assert(strchrnul(s, c) == (first ? first : s + n)); break;
  case 5: rejoin_assert(index(s, c) == first && rindex(s, c) == last); break;
  case 6: {
    char *d = strdup(s);
    rejoin_assert(compare(d, s, n + 1, 0, 0) == 0);
    free(d);
    break;
  }
  case 7: rejoin_assert(memchr(s, c, N) == first); break;
  case 8: rejoin_assert(memrchr(s, c, N) == last); break;
  }
  free(s);
}

static void pairs(int which) {
  char *a = input("a", which != 0), *b = input("b", which != 0);
  size_t n = length(a, N), span = 0, other = 0;
  while (which && a[span] && has(b, a[span]))
    span++;
  while (which && a[other] && !has(b, a[other]))
    other++;
  switch (which) {
  case 0: rejoin_assert(sign(memcmp(a, b, N)) == compare(a, b, N, 0, 0) && !bcmp(a, b, N) == !memcmp(a, b, N)); break;
  case 1: rejoin_assert(sign(strcmp(a, b)) == compare(a, b, N, 1, 0)); break;
  case 2: rejoin_assert(sign(strncmp(a, b, 2)) == compare(a, b, 2, 1, 0)); break;
  case 3: rejoin_assert(sign(strcasecmp(a, b)) == compare(a, b, N, 1, 1)); break;
  case 4: rejoin_assert(strspn(a, b) == span); break;
  case 5: rejoin_assert(strcspn(a, b) == other && strpbrk(a, b) == (a[other] ? a + other : 0)); break;
  case 6: {
    char *found = 0;
    size_t m = length(b, N);
    for (size_t i = 0; i + m <= n && !found; i++)
      if (compare(a + i, b, m, 0, 0) == 0)
        found = a + i;
    rejoin_assert(strstr(a, b) == found);
    break;
  }
  }
  free(a), free(b);
}

static void copies(int which) {
  char *s = input("s", which < 6);
  size_t n = length(s, N);
  char *d = malloc(8);
  memset(d, 'z', 8);
  switch (which) {
  case 0: rejoin_assert(strcpy(d, s) == d && !compare(d, s, n + 1, 0, 0) && d[n + 1] == 'z'); break;
  case 1: rejoin_assert(stpcpy(d, s) == d + n && !d[n] && d[n + 1] == 'z'); break;
  case 2: rejoin_assert(strncpy(d, s, 5) == d && !compare(d, s, n, 0, 0) && !d[n] && !d[4] && d[5] == 'z'); break;
  case 3:
    d[1] = 0;
    rejoin_assert(strcat(d, s) == d && d[0] == 'z' && !compare(d + 1, s, n + 1, 0, 0) && d[n + 2] == 'z');
    break;
  case 4:
    d[0] = 0;
    rejoin_assert(strncat(d, s, 1) == d && length(d, 8) == (n < 1 ? n : 1) && d[2] == 'z');
    break;
  case 5: rejoin_assert(strlcpy(d, s, 2) == n && length(d, 8) == (n < 1 ? n : 1)); break;
  case 6: {
    int k = rejoin_range(0, N + 1, "k");
    rejoin_assert(memcpy(d, s, k) == d && !compare(d, s, k, 0, 0) && d[k] == 'z');
    rejoin_assert(mempcpy(d, s, k) == d + k);
    break;
  }
  case 7: {
    int k = rejoin_range(0, 4, "k");
    memcpy(d, s, N);
    rejoin_assert(memmove(d + 1, d, k) == d + 1 && d[0] == s[0]);
    for (int i = 0; i < k; i++)
      rejoin_assert(d[1 + i] == (i < N ? s[i] : 'z'));
    break;
  }
  case 8: {
    int k = rejoin_range(0, 8, "k");
    rejoin_assert(memset(d, s[0], k) == d && d[k] == 'z');
    for (int i = 0; i < k; i++)
      rejoin_assert(d[i] == s[0]);
    break;
  }
  case 9: {
    char *end = memccpy(d, s, 'x', N);
    size_t i = 0;
    while (i < N && s[i] != 'x')
      i++;
    rejoin_assert(end == (i < N ? d + i + 1 : 0) && !compare(d, s, i, 0, 0));
    break;
  }
  }
  free(s), free(d);
}

int main(void) {
  int which = rejoin_range(0, 26, "which");
  if (which < 9)
    searches(which);
  else if (which < 16)
    pairs(which - 9);
  else
    copies(which - 16);
  return 0;
}
