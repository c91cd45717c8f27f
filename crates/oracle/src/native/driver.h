/* What both drivers share: enumerate the inputs, run `main` on one of them, collect what it shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rejoin.h"

struct oracle_global {
  void *at;
  unsigned long size;
};
extern struct oracle_global oracle_globals[];
extern unsigned char oracle_ranges[][2];
extern unsigned oracle_inputs;
int oracle_main(void);

enum { OUTPUT = 1 << 16 };

/* Shared, so that the parent of a child that dies can still read its output. */
static struct result {
  const char *kind; /* "exit", "dropped" or an error's */
  int line;
  int code;
  unsigned length;
  char out[OUTPUT];
} *result;

static jmp_buf back;
static unsigned char input[8];
static unsigned taken;
static unsigned current;
static char *saved;

static _Noreturn void leave(const char *kind, int line, int code) {
  result->kind = kind;
  result->line = line;
  result->code = code;
  longjmp(back, 1);
}

void rejoin_symbolic(void *at, size_t size, const char *name) {
  (void)name;
  memcpy(at, input + taken, size);
  taken += size;
}

void rejoin_assume(uintptr_t condition) {
  if (!condition)
    leave("dropped", 0, 0);
}

_Noreturn void oracle_exit(int code) { leave("exit", 0, code & 255); }

int oracle_putchar(int c) {
  if (result->length < OUTPUT)
    result->out[result->length++] = (char)c;
  return c;
}

int oracle_printf(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(result->out + result->length, OUTPUT - result->length, format, list);
  va_end(list);
  result->length += (unsigned)length;
  if (result->length > OUTPUT)
    result->length = OUTPUT;
  return length;
}

static unsigned domain(void) {
  unsigned count = 1;
  for (unsigned i = 0; i < oracle_inputs; i++)
    count *= oracle_ranges[i][1] - oracle_ranges[i][0] + 1u;
  return count;
}

/* The bytes of the input with this number. */
static void select_input(unsigned number) {
  current = number;
  for (unsigned i = 0; i < oracle_inputs; i++) {
    unsigned size = oracle_ranges[i][1] - oracle_ranges[i][0] + 1u;
    input[i] = (unsigned char)(oracle_ranges[i][0] + number % size);
    number /= size;
  }
}

static void start(void) {
  result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  size_t size = 0;
  for (struct oracle_global *g = oracle_globals; g->at; g++)
    size += g->size;
  char *to = saved = malloc(size + 1);
  for (struct oracle_global *g = oracle_globals; g->at; to += g->size, g++)
    memcpy(to, g->at, g->size);
  alarm(60);
}

static void run(unsigned number) {
  const char *from = saved;
  for (struct oracle_global *g = oracle_globals; g->at; from += g->size, g++)
    memcpy(g->at, from, g->size);
  select_input(number);
  taken = 0;
  result->length = 0;
  if (setjmp(back) == 0)
    oracle_exit(oracle_main());
}

/* What a class is compared by. */
static uint64_t digest(void) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned i = 0; i < result->length; i++)
    hash = (hash ^ (unsigned char)result->out[i]) * 0x100000001b3u;
  return (hash ^ (unsigned)result->code) * 0x100000001b3u;
}
