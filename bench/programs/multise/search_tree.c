// A binary search tree: N symbolic keys are inserted, one is looked up, one is removed, the order is checked.
#include <rejoin.h>
#include <stdlib.h>
#ifndef N
#define N 4
#endif

struct node {
  int key, count;
  struct node *left, *right;
};

static struct node *root;

static int insert(int key) {
  struct node **at = &root;
  while (*at) {
    if (key == (*at)->key) {
      (*at)->count++;
      return 0;
    }
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  struct node *n = malloc(sizeof *n);
  n->key = key;
  n->count = 1;
  n->left = n->right = 0;
  *at = n;
  return 1;
}

static struct node *find(int key) {
  struct node *n = root;
  while (n && n->key != key) n = key < n->key ? n->left : n->right;
  return n;
}

static int erase(int key) {
  struct node **at = &root;
  while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  struct node *gone = *at;
  if (!gone) return 0;
  if (gone->left && gone->right) {
    struct node **least = &gone->right;
    while ((*least)->left) least = &(*least)->left;
    struct node *heir = *least;
    gone->key = heir->key;
    gone->count = heir->count;
    at = least;
    gone = heir;
  }
  *at = gone->left ? gone->left : gone->right;
  free(gone);
  return 1;
}

static int nodes(struct node *n, int low, int high) {
  if (!n) return 0;
  rejoin_assert(n->key >= low && n->key <= high);
  return nodes(n->left, low, n->key - 1) + 1 + nodes(n->right, n->key + 1, high);
}

int main(void) {
  unsigned char key[N];
  rejoin_symbolic(key, N, "key");
  int size = 0;
  for (int i = 0; i < N; i++) size += insert(key[i]);
  rejoin_assert(find(key[0]) != 0);
  size -= erase(key[N - 1]);
  rejoin_assert(find(key[N - 1]) == 0);
  rejoin_assert(nodes(root, 0, 255) == size);
  return 0;
}
