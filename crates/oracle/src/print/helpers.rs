//! The list, the search tree and their functions, printed only where they are used.

use std::collections::BTreeSet;

/// A piece of C that others may need.
pub(super) struct Helper {
    /// The identifier by which it is called.
    pub(super) name: &'static str,
    /// Its text.
    pub(super) text: &'static str,
    /// The globals in it, to be reset between inputs.
    pub(super) globals: &'static [&'static str],
}

/// In the order in which they have to be printed.
pub(super) const HELPERS: &[Helper] = &[
    Helper {
        name: "total",
        text: "
static uint32_t total(int count, ...) {
  uint32_t all = 1;
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; i++) {
    all = all * 3 + (uint32_t)(i % 2 ? va_arg(list, uint64_t) : va_arg(list, uint32_t));
  }
  va_end(list);
  return all;
}
",
        globals: &[],
    },
    Helper {
        name: "head",
        text: "
struct node {
  uint32_t value;
  struct node *next;
};
static struct node *head = NULL;
static uint32_t nodes = 0;
",
        globals: &["head", "nodes"],
    },
    Helper {
        name: "push",
        text: "
static void push(uint32_t value) {
  if (nodes >= 5) {
    return;
  }
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = head;
  head = n;
  nodes++;
}
",
        globals: &[],
    },
    Helper {
        name: "insert",
        text: "
static void insert(uint32_t value) {
  if (nodes >= 5) {
    return;
  }
  struct node **at = &head;
  while (*at && (*at)->value < value) {
    at = &(*at)->next;
  }
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = *at;
  *at = n;
  nodes++;
}
",
        globals: &[],
    },
    Helper {
        name: "pop",
        text: "
static uint32_t pop(void) {
  struct node *n = head;
  if (!n) {
    return 99;
  }
  uint32_t value = n->value;
  head = n->next;
  free(n);
  nodes--;
  return value;
}
",
        globals: &[],
    },
    Helper {
        name: "drop",
        text: "
static void drop(uint32_t value) {
  struct node **at = &head;
  while (*at) {
    struct node *n = *at;
    if (n->value == value) {
      *at = n->next;
      free(n);
      nodes--;
    } else {
      at = &n->next;
    }
  }
}
",
        globals: &[],
    },
    Helper {
        name: "reverse",
        text: "
static void reverse(void) {
  struct node *done = NULL;
  while (head) {
    struct node *n = head;
    head = n->next;
    n->next = done;
    done = n;
  }
  head = done;
}
",
        globals: &[],
    },
    Helper {
        name: "sum",
        text: "
static uint32_t sum(void) {
  uint32_t total = 0;
  for (struct node *n = head; n; n = n->next) {
    total = total * 3 + n->value;
  }
  return total;
}
",
        globals: &[],
    },
    Helper {
        name: "root",
        text: "
struct tree {
  struct tree *child[2];
  uint8_t key;
};
static struct tree *root = NULL;
static uint32_t grown = 0;
",
        globals: &["root", "grown"],
    },
    Helper {
        name: "grow",
        text: "
static void grow(uint8_t key) {
  struct tree **at = &root;
  while (*at) {
    if ((*at)->key == key) {
      return;
    }
    at = &(*at)->child[(*at)->key < key];
  }
  if (grown < 4) {
    *at = calloc(1, sizeof **at);
    (*at)->key = key;
    grown++;
  }
}
",
        globals: &[],
    },
    Helper {
        name: "depth",
        text: "
static uint32_t depth(const struct tree *t, uint8_t key) {
  if (!t) {
    return 99;
  }
  if (t->key == key) {
    return 0;
  }
  return 1 + depth(t->child[t->key < key], key);
}
",
        globals: &[],
    },
];

/// The helpers that code with these identifiers needs, and what those need.
pub(super) fn needed(names: &BTreeSet<&str>) -> Vec<&'static Helper> {
    let mut found: Vec<&Helper> = Vec::new();
    let mut names: BTreeSet<&str> = names.clone();
    for helper in HELPERS.iter().rev() {
        if names.contains(helper.name) {
            names.extend(super::identifiers(helper.text));
            found.push(helper);
        }
    }
    found
}
