// Compiled against glibc's headers with _FORTIFY_SOURCE: what the runtime adds to musl.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <error.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static char *opaque(char *p) {
  __asm__ volatile("");
  return p;
}

static int formatted(char *d, size_t n, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int r = vsnprintf(d, n, format, list);
  va_end(list);
  return r;
}

int main(int argc, char **argv) {
  char d[32], e[64];
  memset(d, argc, sizeof d);
  printf("%d\n", d[31]);
  strcpy(d, argv[0] ? "one" : "two");
  strcat(d, " more");
  strncat(d, "words and more", 5);
  printf("[%s] %d\n", d, (int)(stpcpy(e, d) - e));
  printf("%d %s\n", sprintf(e, "%d-%s-%5.2f", argc, d, 3.14159), e);
  printf("%d %s\n", snprintf(d, 8, "%s", "truncated text"), d);
  printf("%d %s\n", formatted(d, sizeof d, "%x/%c", 255, 'q'), d);
  strncpy(d, "abc", 6);
  printf("%s %d\n", d, d[5]);
  memmove(d + 1, d, 4);
  printf("%s\n", d);
  printf("%s\n", (char *)mempcpy(e, "xyz", 4) - 4);
  char *made;
  printf("%d %s\n", asprintf(&made, "<%s>", d), made);
  free(made);
  fprintf(stdout, "%s %s\n", basename(strcpy(e, "/usr/lib/")), dirname(strcpy(d, "/usr/lib")));
  long n;
  char *rest;
  n = strtol(" -0x1fz", &rest, 0);
  printf("%ld %s %d\n", n, rest, sscanf("12 abc", "%ld %3s", &n, e));
  printf("%ld %s\n", n, e);
  printf("%d%d%d%d %c%c\n", !!isalpha('x'), !!isdigit('x'), !!isspace('\t'), !!isupper('Q'), toupper('a'), tolower('B'));
  printf("%s\n", strerror_r(ENOENT, e, sizeof e));
  printf("%s\n", (char *)rawmemchr("find x here", 'x'));
  printf("%d %d %d\n", isnan(n / 0.0 - INFINITY) != 0, isinf(-INFINITY) != 0, __builtin_isfinite(1.0));
  wchar_t w[16];
  wcscpy(w, L"wide");
  wcscat(w, L"r");
  printf("%zu %ls\n", wcslen(w), w);
  int *list = reallocarray(NULL, 4, sizeof *list);
  list[3] = 7;
  list = reallocarray(list, 8, sizeof *list);
  printf("%d\n", list[3]);
  free(list);
  double _Complex z = (argc + 2.0 * __builtin_complex(0.0, 1.0)) * (3.0 + __builtin_complex(0.0, 1.0));
  z /= __builtin_complex(1.5, -2.0);
  printf("%.6f %.6f\n", __real__ z, __imag__ z);
  printf("%s\n", canonicalize_file_name("/no/such") ? "there" : strerror(errno));
  printf("%d\n", secure_getenv("NO_SUCH_NAME") != NULL);
  putc_unlocked('u', stdout);
  putchar_unlocked('\n');
  fflush(stdout);
  error(0, ENOENT, "cannot open '%s'", "x");
  error_at_line(0, 0, "file.c", 12, "at a line");
  printf("%u\n", error_message_count);
  if (opaque(argv[argc]) == NULL)
    error(3, EACCES, "end");
  return 0;
}
