// The usual functions of a C library, as a program uses them.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <getopt.h>
#include <error.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <wchar.h>
#include <wctype.h>
#include <locale.h>
#include <time.h>
#include <math.h>
#include <inttypes.h>
#include <limits.h>
#include <float.h>
#include <stddef.h>
#include <search.h>
#include <regex.h>
#include <fnmatch.h>
#include <glob.h>
#include <assert.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>
#include <dirent.h>
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static jmp_buf jb;
static sigjmp_buf sjb;
static void deep(int n) { if (n == 0) longjmp(jb, 42); deep(n - 1); }
static struct option longs[] = {{"alpha", no_argument, 0, 'a'}, {"beta", required_argument, 0, 'b'}, {0}};
int main(int argc, char **argv) {
  int c;
  while ((c = getopt_long(argc, argv, "ab:", longs, 0)) != -1) printf("opt %c %s\n", c, optarg ? optarg : "-");
  for (int i = optind; i < argc; i++) printf("arg %s\n", argv[i]);
  int v[] = {5, 3, 9, -1, 0, 7};
  qsort(v, 6, sizeof *v, cmp);
  for (int i = 0; i < 6; i++) printf("%d ", v[i]);
  int key = 9, *f = bsearch(&key, v, 6, sizeof *v, cmp);
  printf("| %td\n", f - v);
  int r = setjmp(jb);
  if (!r) deep(5);
  printf("setjmp %d\n", r);
  if (!sigsetjmp(sjb, 1)) siglongjmp(sjb, 1);
  printf("%5d|%-5d|%05d|%+d|% d|%x|%#X|%o|%#o|%c|%s|%.2s|%10s|%-10s|%%\n", 42, 42, 42, 42, 42, 255, 255, 8, 8, 'x', "str", "str", "r", "l");
  printf("%hhd %hd %ld %lld %zu %jd %td %u\n", (char)-1, (short)-2, -3L, -4LL, (size_t)5, (intmax_t)6, (ptrdiff_t)7, 8u);
  printf("%f %.3f %e %g %G %a %10.4f|%-10.2e| %Lf %Lg\n", 3.14159, 2.71828, 12345.678, 0.0001, 1e20, 1.5, 3.14, 3.14, 1.25L, 1e-10L);
  printf("%f %f %f %d\n", INFINITY, -INFINITY, NAN, signbit(-0.0) != 0);
  printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 2, 3.14159);
  printf("%ls %lc\n", L"wide", L'w');
  int n; printf("abc%n", &n); printf(" %d\n", n);
  for (int i = 0; i < 128; i += 13) printf("%d%d%d%d%d%d%d ", !!isalpha(i), !!isdigit(i), !!isspace(i), !!isupper(i), !!ispunct(i), !!isxdigit(i), !!iscntrl(i));
  printf("%c%c\n", toupper('q'), tolower('Q'));
  char *e; errno = 0;
  printf("%ld %s ", strtol("123abc", &e, 10), e);
  printf("%ld %d ", strtol("99999999999999999999", &e, 10), errno == ERANGE);
  printf("%lu %ld %ld %g %g\n", strtoul("-1", 0, 0), strtol("0x1f", 0, 0), strtol("077", 0, 0), strtod("1.5e3x", &e), atof("2.5"));
  int a, b; char w[20]; double d;
  printf("%d %d %d %s %g\n", sscanf("12 0x1a hello 2.5", "%d %x %19s %lf", &a, &b, w, &d), a, b, w, d);
  char buf[64]; snprintf(buf, sizeof buf, "%s-%d", "snprintf", 7); puts(buf);
  char *as; printf("%d %s\n", asprintf(&as, "%05.1f", 2.25), as); free(as);
  char tok[] = "a,b;c"; for (char *p = strtok(tok, ",;"); p; p = strtok(0, ",;")) printf("<%s>", p);
  printf("%s %s %zu %d\n", strstr("haystack", "st"), strrchr("a/b/c", '/'), strcspn("hello", "l"), strcasecmp("ABC", "abc"));
  printf("%s|%s\n", strerror(ENOENT), strchrnul("abc", 'z'));
  time_t t = 86400 * 365; struct tm *tm = gmtime(&t); strftime(buf, sizeof buf, "%Y-%m-%d %H:%M:%S %a %b", tm); puts(buf);
  regex_t re;
  regmatch_t m[4] = {{7, 7}};
  regcomp(&re, "a(b+)c(d)?", REG_EXTENDED);
  printf("%d", regexec(&re, "xxabbbc", 4, m, 0));
  for (int i = 0; i < 4; i++) printf(" %d-%d", (int)m[i].rm_so, (int)m[i].rm_eo);
  printf(" %d\n", regexec(&re, "nothing", 4, m, 0));
  regfree(&re);
  m[0].rm_so = 7;
  regcomp(&re, "b", REG_NOSUB);
  printf("%d %d\n", regexec(&re, "abc", 1, m, 0), (int)m[0].rm_so);
  regfree(&re);
  printf("%d %d\n", fnmatch("*.c", "x.c", 0), fnmatch("*.c", "x.h", 0));
  FILE *o = fopen("file.txt", "w+"); fprintf(o, "line1\nline2\n"); rewind(o);
  char *line = 0; size_t cap = 0; ssize_t len; while ((len = getline(&line, &cap, o)) > 0) printf("%zd:%s", len, line);
  free(line); printf("%d %ld %d\n", feof(o) != 0, ftell(o), fseek(o, 2, SEEK_SET)); printf("%c%c\n", getc(o), fgetc(o)); ungetc('Z', o); printf("%c\n", getc(o)); fclose(o);
  struct stat st; printf("%d %d %ld\n", stat("file.txt", &st), S_ISREG(st.st_mode), (long)st.st_size);
  printf("%d %d\n", remove("file.txt"), access("file.txt", F_OK));
  printf("%g %g %g %g %d\n", sqrt(2.0), pow(2, 0.5), floor(-1.5), fmod(7, 3), isnan(NAN) != 0);
  printf("%d %d %lld\n", abs(-3), div(7, 2).rem, llabs(-5LL));
  wchar_t ws[8]; printf("%zu %d\n", mbstowcs(ws, "abc", 8), iswalpha(L'a') != 0);
  putchar('!'); putchar_unlocked('\n'); fputs("end\n", stdout); fflush(stdout);
  char *env = getenv("NOPE"); printf("%s\n", env ? env : "none");
  error(0, ENOENT, "message %d", 3);
  error(3, 0, "fatal");
  return 0;
}
