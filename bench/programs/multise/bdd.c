// A small package of binary decision diagrams: N symbolic bytes choose how functions are combined; the laws of
// Boolean algebra are checked on the results.
#include <rejoin.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif
#define VARIABLES 3

struct diagram {
  int variable;
  struct diagram *low, *high;
};

static struct diagram never = {VARIABLES, 0, 0}, always = {VARIABLES, 0, 0};

struct unique {
  struct diagram *diagram;
  struct unique *next;
};
static struct unique *table[VARIABLES];

static struct diagram *node(int variable, struct diagram *low, struct diagram *high) {
  if (low == high) return low;
  for (struct unique *u = table[variable]; u; u = u->next)
    if (u->diagram->low == low && u->diagram->high == high) return u->diagram;
  struct diagram *d = malloc(sizeof *d);
  d->variable = variable;
  d->low = low;
  d->high = high;
  struct unique *u = malloc(sizeof *u);
  u->diagram = d;
  u->next = table[variable];
  table[variable] = u;
  return d;
}

static struct diagram *literal(int variable) { return node(variable, &never, &always); }

static int both(int a, int b) { return a & b; }
static int either(int a, int b) { return a | b; }
static int differ(int a, int b) { return a ^ b; }

static struct diagram *apply(int (*op)(int, int), struct diagram *a, struct diagram *b) {
  if (a->variable == VARIABLES && b->variable == VARIABLES)
    return op(a == &always, b == &always) ? &always : &never;
  int variable = a->variable < b->variable ? a->variable : b->variable;
  struct diagram *a0 = a, *a1 = a, *b0 = b, *b1 = b;
  if (a->variable == variable) {
    a0 = a->low;
    a1 = a->high;
  }
  if (b->variable == variable) {
    b0 = b->low;
    b1 = b->high;
  }
  struct diagram *low = apply(op, a0, b0);
  return node(variable, low, apply(op, a1, b1));
}

static int holds(struct diagram *d, int values) {
  while (d->variable != VARIABLES) d = values >> d->variable & 1 ? d->high : d->low;
  return d == &always;
}

int main(void) {
  unsigned char c[N];
  rejoin_symbolic(c, N, "c");
  struct diagram *f = literal(0);
  int expected = 0xaa;
  static const int tables[VARIABLES] = {0xaa, 0xcc, 0xf0};
  for (int i = 0; i < N; i++) {
    int which = c[i] & 4 ? 1 : 2;
    int (*op)(int, int) = both;
    if (c[i] & 1) op = either;
    if (c[i] & 2) op = differ;
    f = apply(op, f, literal(which));
    expected = op(expected, tables[which]);
  }
  for (int values = 0; values < 1 << VARIABLES; values++)
    rejoin_assert(holds(f, values) == (expected >> values & 1));
  rejoin_assert(apply(differ, f, f) == &never);
  return 0;
}
