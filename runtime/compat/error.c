/* glibc's <error.h>. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void (*error_print_progname)(void);
unsigned error_message_count;
int error_one_per_line;

static void start(void) {
  fflush(stdout);
  if (error_print_progname)
    error_print_progname();
  else
    fprintf(stderr, "%s:", program_invocation_name);
}

static void finish(int status, int number, const char *format, va_list list) {
  vfprintf(stderr, format, list);
  error_message_count++;
  if (number)
    fprintf(stderr, ": %s", strerror(number));
  putc('\n', stderr);
  fflush(stderr);
  if (status)
    exit(status);
}

void error(int status, int number, const char *format, ...) {
  va_list list;
  va_start(list, format);
  start();
  if (!error_print_progname)
    putc(' ', stderr);
  finish(status, number, format, list);
  va_end(list);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
  static const char *last_file;
  static unsigned last_line;
  if (error_one_per_line && last_line == line && file && last_file && !strcmp(file, last_file))
    return;
  last_file = file, last_line = line;
  va_list list;
  va_start(list, format);
  start();
  if (file)
    fprintf(stderr, "%s:%u: ", file, line);
  else
    fputs(" ", stderr);
  finish(status, number, format, list);
  va_end(list);
}
