/* What both drivers share: enumerate the inputs, run `main` on one of them, collect what it shows. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
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
/* Programs whose inputs come from the harness take no arguments, and do not mind them. */
int oracle_main(int argc, char **argv);

/* Only programs with a world have one. */
struct oracle_world {
  unsigned in, file, args, arg[3];
};
extern struct oracle_world oracle_world __attribute__((weak));

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

enum { STREAMS = 8 };
static FILE *streams[STREAMS];
static unsigned open_streams;

long oracle_write(int to, const void *from, size_t size) {
  for (size_t i = 0; to == 1 && i < size; i++)
    oracle_putchar(((const char *)from)[i]);
  return to == 1 ? (long)size : write(to, from, size);
}

FILE *oracle_fopen(const char *name, const char *mode) {
  FILE *stream = fopen(name, mode);
  if (stream && open_streams < STREAMS)
    streams[open_streams++] = stream;
  return stream;
}

static int in_fd, file_fd;
static char words[4][8] = {"prog"};
static char *word_list[5];

/* Standard input and the file are files of the working directory, which is the driver's own. */
static void start_world(void) {
  in_fd = open("stdin", O_RDWR | O_CREAT | O_TRUNC, 0600);
  file_fd = open("A", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (in_fd < 0 || file_fd < 0 || dup2(in_fd, 0) != 0) {
    fprintf(stderr, "the working directory of the native driver is of no use\n");
    _exit(3);
  }
}

/* The input that was selected becomes arguments, standard input and a file; what was left behind goes. */
static void make_world(void) {
  while (open_streams)
    fclose(streams[--open_streams]);
  close_range((unsigned)file_fd + 1, ~0u, 0);
  unlink("out");
  unlink("notes");
  const unsigned char *from = input;
  for (unsigned i = 0; i < oracle_world.args; from += oracle_world.arg[i++]) {
    memset(words[i + 1], 0, sizeof words[i + 1]);
    memcpy(words[i + 1], from, oracle_world.arg[i]);
  }
  for (unsigned i = 0; i <= oracle_world.args; i++)
    word_list[i] = words[i];
  if (pwrite(in_fd, from, oracle_world.in, 0) < 0 || pwrite(file_fd, from + oracle_world.in, oracle_world.file, 0) < 0)
    _exit(3);
  __fpurge(stdin);
  clearerr(stdin);
  lseek(0, 0, SEEK_SET);
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
  if (&oracle_world)
    start_world();
  alarm(60);
}

static void run(unsigned number) {
  const char *from = saved;
  for (struct oracle_global *g = oracle_globals; g->at; from += g->size, g++)
    memcpy(g->at, from, g->size);
  select_input(number);
  taken = 0;
  result->length = 0;
  if (&oracle_world)
    make_world();
  if (setjmp(back) == 0)
    oracle_exit(oracle_main(&oracle_world ? 1 + (int)oracle_world.args : 1, word_list));
}

/* What a class is compared by. */
static uint64_t digest(void) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned i = 0; i < result->length; i++)
    hash = (hash ^ (unsigned char)result->out[i]) * 0x100000001b3u;
  return (hash ^ (unsigned)result->code) * 0x100000001b3u;
}
