/* Seen before the program by both native builds: one run of `main` becomes a call that can be repeated. */
#define ORACLE_NATIVE
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct oracle_global {
  void *at;
  unsigned long size;
};

_Noreturn void oracle_exit(int code);
int oracle_putchar(int c);
int oracle_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define main oracle_main
#define exit oracle_exit
#define putchar oracle_putchar
#define printf oracle_printf
#define setvbuf(...) ((void)0)
