/* Seen before the program by both native builds: one run of `main` becomes a call that can be repeated. */
#define ORACLE_NATIVE
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct oracle_global {
  void *at;
  unsigned long size;
};

/* Bytes of standard input and of the file A, the number of arguments and the bytes of each. */
struct oracle_world {
  unsigned in, file, args, arg[3];
};

_Noreturn void oracle_exit(int code);
int oracle_putchar(int c);
int oracle_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

long oracle_write(int to, const void *from, size_t size);
FILE *oracle_fopen(const char *name, const char *mode);

#define main oracle_main
#define exit oracle_exit
#define putchar oracle_putchar
#define printf oracle_printf
#define write oracle_write
#define fopen oracle_fopen
#define setvbuf(...) ((void)0)
