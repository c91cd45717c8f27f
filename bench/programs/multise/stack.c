// A stack of values of several kinds (integers, floating-point numbers, functions) driven by N symbolic commands.
#include <rejoin.h>
#ifndef N
#define N 6
#endif

enum kind { INTEGER, REAL, FUNCTION };

struct value {
  enum kind kind;
  int integer;
  double real;
  int (*function)(int);
};

static int successor(int n) { return n + 1; }
static int twice(int n) { return 2 * n; }

static struct value stack[N + 2];
static int top;

static void push(struct value v) { stack[top++] = v; }

static struct value pop(void) {
  struct value nothing = {INTEGER, 0, 0, 0};
  return top > 0 ? stack[--top] : nothing;
}

static int as_integer(struct value v) {
  if (v.kind == REAL) return (int)v.real;
  if (v.kind == FUNCTION) return v.function(1);
  return v.integer;
}

static void command(unsigned char c) {
  struct value v = {INTEGER, 0, 0, 0};
  if (c < 64) {
    v.integer = 3;
    push(v);
  } else if (c < 128) {
    v.kind = REAL;
    v.real = c & 1 ? 1.5 : 2.25;
    push(v);
  } else if (c < 192) {
    v.kind = FUNCTION;
    v.function = c & 1 ? successor : twice;
    push(v);
  } else {
    struct value a = pop(), b = pop();
    if (a.kind == REAL && b.kind == REAL) {
      v.kind = REAL;
      v.real = a.real * b.real;
    } else {
      v.integer = as_integer(a) + as_integer(b);
    }
    push(v);
  }
}

int main(void) {
  unsigned char c[N];
  rejoin_symbolic(c, N, "c");
  for (int i = 0; i < N; i++) command(c[i]);
  rejoin_assert(top >= 1 && top <= N);
  rejoin_assert(as_integer(pop()) < 1000);
  return 0;
}
