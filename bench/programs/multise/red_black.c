// A red-black tree: N symbolic keys are inserted with rotations through parent pointers; order and balance are checked.
#include <rejoin.h>
#include <stdlib.h>
#ifndef N
#define N 4
#endif

enum colour { RED, BLACK };

struct node {
  int key;
  enum colour colour;
  struct node *child[2], *parent;
};

static struct node *root;

static struct node *new_node(int key, struct node *parent) {
  struct node *n = malloc(sizeof *n);
  n->key = key;
  n->colour = RED;
  n->child[0] = n->child[1] = 0;
  n->parent = parent;
  return n;
}

static void replace(struct node *old, struct node *new) {
  struct node *p = old->parent;
  if (!p)
    root = new;
  else
    p->child[p->child[1] == old] = new;
  if (new) new->parent = p;
}

static void rotate(struct node *n, int side) {
  struct node *up = n->child[!side];
  replace(n, up);
  n->child[!side] = up->child[side];
  if (up->child[side]) up->child[side]->parent = n;
  up->child[side] = n;
  n->parent = up;
}

static void repair(struct node *n) {
  while (n->parent && n->parent->colour == RED) {
    struct node *p = n->parent, *g = p->parent;
    int side = g->child[1] == p;
    struct node *uncle = g->child[!side];
    if (uncle && uncle->colour == RED) {
      p->colour = uncle->colour = BLACK;
      g->colour = RED;
      n = g;
    } else {
      if (p->child[!side] == n) {
        rotate(p, side);
        n = p;
        p = n->parent;
      }
      p->colour = BLACK;
      g->colour = RED;
      rotate(g, !side);
    }
  }
  root->colour = BLACK;
}

static int insert(int key) {
  struct node *parent = 0, **at = &root;
  while (*at) {
    if ((*at)->key == key) return 0;
    parent = *at;
    at = &parent->child[parent->key < key];
  }
  *at = new_node(key, parent);
  repair(*at);
  return 1;
}

static int find(int key) {
  struct node *n = root;
  while (n && n->key != key) n = n->child[n->key < key];
  return n != 0;
}

// The number of black nodes on every way down; -1 if the ways differ or two red nodes follow each other.
static int black_height(struct node *n, int low, int high) {
  if (!n) return 0;
  if (n->key < low || n->key > high) return -1;
  if (n->colour == RED && n->parent && n->parent->colour == RED) return -1;
  int left = black_height(n->child[0], low, n->key - 1);
  int right = black_height(n->child[1], n->key + 1, high);
  return left < 0 || left != right ? -1 : left + (n->colour == BLACK);
}

static int size(struct node *n) { return n ? size(n->child[0]) + 1 + size(n->child[1]) : 0; }

int main(void) {
  unsigned char key[N];
  rejoin_symbolic(key, N, "key");
  int expected = 0;
  for (int i = 0; i < N; i++) expected += insert(key[i]);
  rejoin_assert(black_height(root, 0, 255) > 0);
  rejoin_assert(size(root) == expected);
  rejoin_assert(find(key[0]) && find(key[N - 1]));
  return 0;
}
