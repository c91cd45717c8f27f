/* What the drivers of this directory share.
 *
 * A driver holds several subjects, each of which calls one function of a library with unknown input:
 *
 *     DRIVER(name) { f(string("text")); }
 *
 * -DRUN=name chooses the subject. The program's argument is the capacity: the most bytes of each input,
 * the terminating NUL included. With a second argument every input has exactly that many.
 */
#include <rejoin.h>
#include <stdlib.h>
#include <string.h>

static size_t capacity, fixed;

#define DRIVER(name) __attribute__((unused)) static void driver_##name(void)
#define JOINED(a, b) a##b
#define CHOSEN(name) JOINED(driver_, name)

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

static void CHOSEN(RUN)(void);

int main(int argc, char **argv) {
  capacity = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
  fixed = argc > 2;
  CHOSEN(RUN)();
  return 0;
}
