// One call with two callees: states in different functions are at different places, even where the
// positions in them are the same.
#include <klee/klee.h>

static unsigned acc;

static void one(unsigned char x) {
  if (x > 100)
    acc++;
  acc += 2;
}

static void other(unsigned char x) {
  if (x > 100)
    acc += 30;
  acc += 4;
}

static void (*const table[2])(unsigned char) = {one, other};

int main(void) {
  unsigned char x, y;
  klee_make_symbolic(&x, 1, "x");
  klee_make_symbolic(&y, 1, "y");
  table[y & 1](x);
  return (int)acc;
}
