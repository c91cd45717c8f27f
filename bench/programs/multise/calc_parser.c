// A recursive-descent parser and evaluator of sums, products and brackets over N symbolic characters.
#include <rejoin.h>
#ifndef N
#define N 3
#endif

static const char *at;
static int failed;

static int sum(void);

static int number(void) {
  int n = 0, digits = 0;
  while (*at >= '0' && *at <= '9') {
    n = 10 * n + (*at++ - '0');
    digits++;
  }
  if (digits == 0) failed = 1;
  return n;
}

static int factor(void) {
  if (*at == '(') {
    at++;
    int n = sum();
    if (*at == ')')
      at++;
    else
      failed = 1;
    return n;
  }
  return number();
}

static int product(void) {
  int n = factor();
  while (!failed && (*at == '*' || *at == '/')) {
    char op = *at++;
    int m = factor();
    if (op == '*')
      n *= m;
    else if (m != 0)
      n /= m;
    else
      failed = 1;
  }
  return n;
}

static int sum(void) {
  int n = product();
  while (!failed && (*at == '+' || *at == '-')) {
    char op = *at++;
    int m = product();
    n = op == '+' ? n + m : n - m;
  }
  return n;
}

int main(void) {
  char text[N + 1];
  rejoin_symbolic(text, N, "text");
  text[N] = 0;
  at = text;
  int n = sum();
  if (*at != 0) failed = 1;
  if (failed) return 1;
  rejoin_assert(n > -100000 && n < 100000);
  return 0;
}
