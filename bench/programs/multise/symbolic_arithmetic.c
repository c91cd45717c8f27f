// Symbolic arithmetic: expressions as trees whose nodes carry their operations as function pointers. N symbolic
// bytes choose what is built; the expression is differentiated, simplified and evaluated in floating point.
#include <rejoin.h>
#include <stdlib.h>
#ifndef N
#define N 5
#endif

struct node;

struct operations {
  double (*value)(const struct node *, double);
  struct node *(*derivative)(const struct node *);
  struct node *(*simple)(struct node *);
};

struct node {
  const struct operations *ops;
  double number;
  struct node *left, *right;
};

static const struct operations constant, variable, sum, product;

static struct node *make(const struct operations *ops, double number, struct node *left, struct node *right) {
  struct node *n = malloc(sizeof *n);
  n->ops = ops;
  n->number = number;
  n->left = left;
  n->right = right;
  return n;
}

static struct node *number(double x) { return make(&constant, x, 0, 0); }

static double constant_value(const struct node *n, double x) { return n->number; }
static double variable_value(const struct node *n, double x) { return x; }
static double sum_value(const struct node *n, double x) {
  return n->left->ops->value(n->left, x) + n->right->ops->value(n->right, x);
}
static double product_value(const struct node *n, double x) {
  return n->left->ops->value(n->left, x) * n->right->ops->value(n->right, x);
}

static struct node *constant_derivative(const struct node *n) { return number(0); }
static struct node *variable_derivative(const struct node *n) { return number(1); }
static struct node *sum_derivative(const struct node *n) {
  return make(&sum, 0, n->left->ops->derivative(n->left), n->right->ops->derivative(n->right));
}
static struct node *product_derivative(const struct node *n) {
  struct node *first = make(&product, 0, n->left->ops->derivative(n->left), n->right);
  struct node *second = make(&product, 0, n->left, n->right->ops->derivative(n->right));
  return make(&sum, 0, first, second);
}

static int is_number(const struct node *n, double x) { return n->ops == &constant && n->number == x; }
static struct node *same(struct node *n) { return n; }
static struct node *sum_simple(struct node *n) {
  struct node *a = n->left->ops->simple(n->left), *b = n->right->ops->simple(n->right);
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  return make(&sum, 0, a, b);
}
static struct node *product_simple(struct node *n) {
  struct node *a = n->left->ops->simple(n->left), *b = n->right->ops->simple(n->right);
  if (is_number(a, 0) || is_number(b, 0)) return number(0);
  if (is_number(a, 1)) return b;
  if (is_number(b, 1)) return a;
  return make(&product, 0, a, b);
}

static const struct operations constant = {constant_value, constant_derivative, same};
static const struct operations variable = {variable_value, variable_derivative, same};
static const struct operations sum = {sum_value, sum_derivative, sum_simple};
static const struct operations product = {product_value, product_derivative, product_simple};

static struct node *build(const unsigned char *c) {
  struct node *e = make(&variable, 0, 0, 0);
  for (int i = 0; i < N; i++) {
    struct node *right = c[i] & 1 ? number(c[i] & 2 ? 2.5 : 0.5) : make(&variable, 0, 0, 0);
    e = make(c[i] & 4 ? &sum : &product, 0, e, right);
  }
  return e;
}

int main(void) {
  unsigned char c[N];
  rejoin_symbolic(c, N, "c");
  struct node *e = build(c), *d = e->ops->derivative(e), *s = d->ops->simple(d);
  double slow = d->ops->value(d, 2.0), fast = s->ops->value(s, 2.0);
  rejoin_assert(slow == fast);
  rejoin_assert(e->ops->value(e, 0.0) >= 0.0);
  return 0;
}
