// A sorted linked list: N symbolic values are inserted, some are removed again, each element has its own printer.
#include <rejoin.h>
#include <stdlib.h>
#ifndef N
#define N 4
#endif

struct node {
  int value;
  double weight;
  int (*show)(int);
  struct node *next;
};

static int plainly(int n) { return n; }
static int negated(int n) { return -n; }

static struct node *list;

static void insert(int value) {
  struct node **at = &list;
  while (*at && (*at)->value < value) at = &(*at)->next;
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->weight = value > 0 ? 0.5 : 1.5;
  n->show = value > 0 ? plainly : negated;
  n->next = *at;
  *at = n;
}

static int take(int value) {
  for (struct node **at = &list; *at; at = &(*at)->next)
    if ((*at)->value == value) {
      struct node *gone = *at;
      *at = gone->next;
      free(gone);
      return 1;
    }
  return 0;
}

int main(void) {
  signed char v[N];
  rejoin_symbolic(v, N, "v");
  for (int i = 0; i < N; i++) insert(v[i]);
  int found = take(5), length = 0;
  double weight = 0;
  for (struct node *n = list; n; n = n->next) {
    if (n->next) rejoin_assert(n->value <= n->next->value);
    rejoin_assert(n->show(n->value) >= 0);
    weight += n->weight;
    length++;
  }
  rejoin_assert(length == N - found);
  rejoin_assert(weight >= 0.5 * length && weight <= 1.5 * length);
  return 0;
}
