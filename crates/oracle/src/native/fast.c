/* Runs the fast build on every input and prints the outcome classes.
   Arguments: a file to write, with the digest of the outcome of each input (0: dropped, 1: error). */
#include "driver.h"
#include <signal.h>

enum { SLOTS = 1 << 18, HEAP = 1 << 20, GAP = 64 };

struct class {
  struct class *next;
  const char *kind;
  int line, code;
  unsigned length, count, first;
  char out[];
};

static struct class *classes[SLOTS];
static struct class **order[SLOTS];
static unsigned class_count;

static uint64_t paths[SLOTS];
static unsigned path_count;
static uint64_t path;

_Noreturn void oracle_fail(const char *kind, int line) { leave(kind, line, 0); }

/* A heap that never reuses memory, so that what was freed stays recognisable. */
static struct block {
  uint64_t size;
  uint64_t live; /* 1 while allocated, 2 once freed */
} heap[HEAP / sizeof(struct block)];
static size_t heap_top;

void *oracle_malloc(size_t size) {
  struct block *block = heap + heap_top;
  heap_top += 1 + (size + GAP) / sizeof *block;
  if (heap_top > sizeof heap / sizeof *heap) {
    fprintf(stderr, "heap of the native driver is full\n");
    _exit(3);
  }
  memset(block, 0, (size_t)((char *)(heap + heap_top) - (char *)block));
  block->size = size;
  block->live = 1;
  return block + 1;
}

static struct block *block_of(const void *at) {
  struct block *block = (struct block *)at - 1;
  return block >= heap && block < heap + heap_top ? block : NULL;
}

void oracle_free(void *at, int line) {
  if (!at)
    return;
  struct block *block = block_of(at);
  if (!block || ((char *)at - (char *)heap) % sizeof *block || block->live != 1)
    oracle_fail("free", line);
  block->live = 2;
}

int oracle_dead(const void *at) {
  struct block *block = block_of(at);
  return block && block->live == 2;
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  static uint32_t next;
  for (uint32_t *guard = start; guard < stop; guard++)
    *guard = ++next;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) { path = (path ^ *guard) * 0x9e3779b97f4a7c15u; }

static void count_path(void) {
  uint64_t key = path | 1;
  unsigned at = (unsigned)(key >> 20) % SLOTS;
  while (paths[at] && paths[at] != key)
    at = (at + 1) % SLOTS;
  path_count += !paths[at];
  paths[at] = key;
}

static void count_class(unsigned number) {
  uint64_t hash = digest() ^ (unsigned)result->line * 0x9e3779b97f4a7c15u;
  struct class **slot = &classes[(hash >> 16) % SLOTS];
  for (; *slot; slot = &(*slot)->next) {
    struct class *c = *slot;
    if (c->line == result->line && c->code == result->code && c->length == result->length &&
        strcmp(c->kind, result->kind) == 0 && memcmp(c->out, result->out, c->length) == 0)
      break;
  }
  if (!*slot) {
    struct class *c = calloc(1, sizeof *c + result->length);
    *c = (struct class){NULL, result->kind, result->line, result->code, result->length, 0, number};
    memcpy(c->out, result->out, result->length);
    *slot = c;
    order[class_count++] = slot;
  }
  (*slot)->count++;
}

static void crashed(int signal) {
  fprintf(stderr, "signal %d on input %u\n", signal, current);
  _exit(3);
}

int main(int argc, char **argv) {
  FILE *digests = argc > 1 ? fopen(argv[1], "wb") : NULL;
  start();
  signal(SIGSEGV, crashed);
  signal(SIGFPE, crashed);
  signal(SIGALRM, crashed);
  unsigned dropped = 0;
  for (unsigned number = 0, end = domain(); number < end; number++) {
    path = 0;
    heap_top = 0;
    run(number);
    uint64_t word = 0;
    if (strcmp(result->kind, "dropped") == 0) {
      dropped++;
    } else {
      count_path();
      count_class(number);
      word = strcmp(result->kind, "exit") == 0 ? digest() | 2 : 1;
    }
    if (digests)
      fwrite(&word, sizeof word, 1, digests);
  }
  if (digests && fclose(digests) != 0)
    return 3;
  printf("paths %u\ndropped %u\n", path_count, dropped);
  for (unsigned i = 0; i < class_count; i++) {
    const struct class *c = *order[i];
    printf("class %s %d %d %u %u ", c->kind, c->line, c->code, c->count, c->first);
    for (unsigned k = 0; k < c->length; k++)
      printf("%02x", (unsigned char)c->out[k]);
    printf("\n");
  }
  return 0;
}
