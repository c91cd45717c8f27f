/* What the drivers of this directory share.
 *
 * A driver calls one function of a library with unknown input:
 *
 *     DRIVER(name) { f(string("text")); }
 *
 * The program takes the name of a driver and the capacity: the most bytes of each input, the terminating NUL
 * included. With a third argument every input has exactly that many. SUBJECTS is X(name) for each driver of the
 * file; bench/libraries.py reads the names from it.
 */
#include <rejoin.h>
#include <stdlib.h>
#include <string.h>

static size_t capacity, fixed;

#define DRIVER(name) static void driver_##name(void)

/* An unknown size of an input: at least `least`, at most the capacity. */
__attribute__((unused)) static size_t size(size_t least) {
  size_t n = capacity;
  if (!fixed) {
    rejoin_symbolic(&n, sizeof n, "size");
    rejoin_assume((n >= least) & (n <= capacity));
  }
  return n;
}

/* `n` unknown bytes in a block of exactly that size. */
__attribute__((unused)) static void *bytes(size_t n, const char *name) {
  char *p = malloc(n);
  rejoin_symbolic(p, n, name);
  return p;
}

/* An unknown string. It may end before its block does. */
__attribute__((unused)) static char *string(const char *name) {
  size_t n = size(1);
  char *s = bytes(n, name);
  rejoin_assume(s[n - 1] == '\0');
  return s;
}

#define X(name) DRIVER(name);
SUBJECTS
#undef X

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  capacity = strtoul(argv[2], NULL, 10);
  fixed = argc > 3;
#define X(name) if (strcmp(argv[1], #name) == 0) driver_##name();
  SUBJECTS
#undef X
  return 0;
}
