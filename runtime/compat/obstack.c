/* glibc's <obstack.h>: the functions behind its macros. The macros fix the layout: objects grow in
 * chunks, and a chunk is a limit, the chunk before it, and contents. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
  char *limit;
  struct chunk *before;
  char contents[4];
};

struct obstack {
  long chunk_size;
  struct chunk *chunk;
  char *object_base, *next_free, *chunk_limit;
  union { long i; void *p; } temp;
  int alignment_mask;
  void *(*make)(void *, long);
  void (*drop)(void *, struct chunk *);
  void *extra;
  unsigned use_extra : 1, maybe_empty : 1, alloc_failed : 1;
};

static void failed(void) {
  fputs("memory exhausted\n", stderr);
  exit(1);
}
void (*obstack_alloc_failed_handler)(void) = failed;
int obstack_exit_failure = 1;

static struct chunk *make(struct obstack *o, long size) {
  struct chunk *c = o->use_extra ? o->make(o->extra, size) : ((void *(*)(long))(void *)o->make)(size);
  if (!c)
    obstack_alloc_failed_handler();
  c->limit = (char *)c + size;
  return c;
}

static void drop(struct obstack *o, struct chunk *c) {
  if (o->use_extra)
    o->drop(o->extra, c);
  else
    ((void (*)(struct chunk *))(void *)o->drop)(c);
}

static char *aligned(struct obstack *o, char *p) {
  uintptr_t mask = (uintptr_t)o->alignment_mask;
  return p + (-(uintptr_t)p & mask);
}

static int begin(struct obstack *o, int size, int alignment) {
  o->chunk_size = size ? size : 4096 - 32;
  o->alignment_mask = (alignment ? alignment : 16) - 1;
  o->chunk = make(o, o->chunk_size);
  o->chunk->before = NULL;
  o->next_free = o->object_base = aligned(o, o->chunk->contents);
  o->chunk_limit = o->chunk->limit;
  o->maybe_empty = o->alloc_failed = 0;
  return 1;
}

int _obstack_begin(struct obstack *o, int size, int alignment, void *(*make)(long), void (*drop)(void *)) {
  o->make = (void *(*)(void *, long))(void *)make;
  o->drop = (void (*)(void *, struct chunk *))(void *)drop;
  o->use_extra = 0;
  return begin(o, size, alignment);
}

int _obstack_begin_1(struct obstack *o, int size, int alignment, void *(*make)(void *, long),
                     void (*drop)(void *, void *), void *extra) {
  o->make = make;
  o->drop = (void (*)(void *, struct chunk *))(void *)drop;
  o->extra = extra;
  o->use_extra = 1;
  return begin(o, size, alignment);
}

void _obstack_newchunk(struct obstack *o, int length) {
  struct chunk *old = o->chunk;
  long object = o->next_free - o->object_base;
  long size = object + length + (object >> 3) + o->alignment_mask + 100;
  struct chunk *c = make(o, size < o->chunk_size ? o->chunk_size : size);
  c->before = old;
  o->chunk = c;
  o->chunk_limit = c->limit;
  char *base = aligned(o, c->contents);
  memcpy(base, o->object_base, (size_t)object);
  /* A chunk that held only this object is of no use any more. */
  if (!o->maybe_empty && o->object_base == aligned(o, old->contents)) {
    c->before = old->before;
    drop(o, old);
  }
  o->object_base = base;
  o->next_free = base + object;
  o->maybe_empty = 0;
}

static int within(struct chunk *c, void *p) { return (char *)p > (char *)c && (char *)p <= c->limit; }

int _obstack_allocated_p(struct obstack *o, void *p) {
  for (struct chunk *c = o->chunk; c; c = c->before)
    if (within(c, p))
      return 1;
  return 0;
}

void obstack_free(struct obstack *o, void *p) {
  struct chunk *c = o->chunk;
  while (c && !within(c, p)) {
    struct chunk *before = c->before;
    drop(o, c);
    c = before;
    o->maybe_empty = 1;
  }
  if (c) {
    o->object_base = o->next_free = p;
    o->chunk_limit = c->limit;
    o->chunk = c;
  } else if (p) {
    abort();
  }
}
void _obstack_free(struct obstack *o, void *p) { obstack_free(o, p); }

int _obstack_memory_used(struct obstack *o) {
  long n = 0;
  for (struct chunk *c = o->chunk; c; c = c->before)
    n += c->limit - (char *)c;
  return (int)n;
}

int obstack_vprintf(struct obstack *o, const char *format, va_list list) {
  char *text;
  int n = vasprintf(&text, format, list);
  if (n < 0)
    return n;
  if (o->next_free + n > o->chunk_limit)
    _obstack_newchunk(o, n);
  memcpy(o->next_free, text, (size_t)n);
  o->next_free += n;
  free(text);
  return n;
}

int __obstack_vprintf_chk(struct obstack *o, int flag, const char *format, va_list list) {
  return obstack_vprintf(o, format, list);
}

int __obstack_printf_chk(struct obstack *o, int flag, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = obstack_vprintf(o, format, list);
  va_end(list);
  return n;
}

int obstack_printf(struct obstack *o, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = obstack_vprintf(o, format, list);
  va_end(list);
  return n;
}
