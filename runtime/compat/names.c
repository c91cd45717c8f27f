/* Functions of glibc that musl lacks, and glibc's other names for functions that musl has. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <wchar.h>

/* Strings. */
void *rawmemchr(const void *s, int c) {
  const unsigned char *p = s;
  while (*p != (unsigned char)c)
    p++;
  return (void *)p;
}
void *__rawmemchr(const void *s, int c) { return rawmemchr(s, c); }
void *__mempcpy(void *d, const void *s, size_t n) { return mempcpy(d, s, n); }
char *__strdup(const char *s) { return strdup(s); }
char *__strndup(const char *s, size_t n) { return strndup(s, n); }
char *__strtok_r(char *s, const char *sep, char **rest) { return strtok_r(s, sep, rest); }
int __strcasecmp(const char *a, const char *b) { return strcasecmp(a, b); }
int __strncasecmp(const char *a, const char *b, size_t n) { return strncasecmp(a, b, n); }
void *__memchr(const void *s, int c, size_t n) { return memchr(s, c, n); }
void __bzero(void *d, size_t n) { memset(d, 0, n); }
void *memfrob(void *d, size_t n) {
  for (unsigned char *p = d; n--; p++)
    *p ^= 42;
  return d;
}

/* Where glibc and musl give one name to two functions: glibc's. The loader maps the names of modules
 * that were compiled for glibc. */
char *__rejoin_gnu_strerror_r(int number, char *d, size_t n) { return strerror(number); }
char *__rejoin_gnu_basename(const char *path) {
  const char *slash = strrchr(path, '/');
  return (char *)(slash ? slash + 1 : path);
}

/* Numbers. C23 knows binary ones, and glibc's headers then choose other names. */
static int is_binary(const char **s, int *negative, int base) {
  const char *p = *s;
  while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
    p++;
  *negative = *p == '-';
  p += *p == '-' || *p == '+';
  if ((base != 0 && base != 2) || p[0] != '0' || (p[1] | 32) != 'b' || (p[2] != '0' && p[2] != '1'))
    return 0;
  *s = p + 2;
  return 1;
}
unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
  int negative;
  if (!is_binary(&s, &negative, base))
    return strtoul(s, end, base);
  unsigned long n = strtoul(s, end, 2);
  return negative && n != ULONG_MAX ? -n : n;
}
long __isoc23_strtol(const char *s, char **end, int base) {
  int negative;
  if (!is_binary(&s, &negative, base))
    return strtol(s, end, base);
  unsigned long n = strtoul(s, end, 2), limit = (unsigned long)LONG_MAX + negative;
  if (n > limit) {
    errno = ERANGE;
    n = limit;
  }
  return (long)(negative ? -n : n);
}
long long __isoc23_strtoll(const char *s, char **end, int base) { return __isoc23_strtol(s, end, base); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return __isoc23_strtoul(s, end, base); }
intmax_t __isoc23_strtoimax(const char *s, char **end, int base) { return __isoc23_strtol(s, end, base); }
uintmax_t __isoc23_strtoumax(const char *s, char **end, int base) { return __isoc23_strtoul(s, end, base); }
long long strtoq(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtouq(const char *s, char **end, int base) { return strtoull(s, end, base); }
double __strtod_internal(const char *s, char **end, int group) { return strtod(s, end); }
float __strtof_internal(const char *s, char **end, int group) { return strtof(s, end); }
long double __strtold_internal(const char *s, char **end, int group) { return strtold(s, end); }

/* C23's scanf also reads binary numbers with %i; here it does not. */
#define SCANF(NAME, CALL, ...)                                                                         \
  int NAME(__VA_ARGS__, ...) {                                                                         \
    va_list list;                                                                                      \
    va_start(list, format);                                                                            \
    int n = CALL;                                                                                      \
    va_end(list);                                                                                      \
    return n;                                                                                          \
  }
SCANF(__isoc23_scanf, vscanf(format, list), const char *format)
SCANF(__isoc23_fscanf, vfscanf(f, format, list), FILE *f, const char *format)
SCANF(__isoc23_sscanf, vsscanf(s, format, list), const char *s, const char *format)
SCANF(__isoc23_swscanf, vswscanf(s, format, list), const wchar_t *s, const wchar_t *format)
int __isoc23_vscanf(const char *format, va_list list) { return vscanf(format, list); }
int __isoc23_vfscanf(FILE *f, const char *format, va_list list) { return vfscanf(f, format, list); }
int __isoc23_vsscanf(const char *s, const char *format, va_list list) { return vsscanf(s, format, list); }

/* Classes of numbers. */
int __isnan(double x) { return isnan(x); }
int __isnanf(float x) { return isnan(x); }
int __isnanl(long double x) { return isnan(x); }
int __isinf(double x) { return isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __isinff(float x) { return isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __isinfl(long double x) { return isinf(x) ? (x > 0 ? 1 : -1) : 0; }
int __finite(double x) { return isfinite(x); }
int __finitef(float x) { return isfinite(x); }
int __finitel(long double x) { return isfinite(x); }

/* Files. */
int statx(int fd, const char *path, int flags, unsigned mask, void *result) {
  return (int)syscall(SYS_statx, fd, path, flags, mask, result);
}
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}
int close_range(unsigned first, unsigned last, int flags) { return (int)syscall(SYS_close_range, first, last, flags); }
int fcntl64(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return fcntl(fd, command, argument);
}
char *canonicalize_file_name(const char *path) { return realpath(path, NULL); }
int fcloseall(void) { return fflush(NULL); }
ssize_t __read(int fd, void *d, size_t n) { return read(fd, d, n); }
ssize_t __write(int fd, const void *s, size_t n) { return write(fd, s, n); }
int __close(int fd) { return close(fd); }
int __poll(struct pollfd *d, nfds_t n, int timeout) { return poll(d, n, timeout); }

/* The process. */
const char *gnu_get_libc_version(void) { return "2.36"; }
const char *gnu_get_libc_release(void) { return "stable"; }
char *__secure_getenv(const char *name) { return secure_getenv(name); }
int __gettimeofday(struct timeval *now, void *zone) { return gettimeofday(now, zone); }
char __libc_single_threaded = 1;
int backtrace(void **d, int n) { return 0; }
void backtrace_symbols_fd(void *const *s, int n, int fd) {}
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *dso) { return 0; }
int tgkill(pid_t group, pid_t thread, int number) { return (int)syscall(SYS_tgkill, group, thread, number); }
int mallopt(int parameter, int value) { return 1; }
int malloc_trim(size_t pad) { return 0; }
struct cmsghdr *__cmsg_nxthdr(struct msghdr *message, struct cmsghdr *c) {
  return c->cmsg_len < sizeof *c ? NULL : CMSG_NXTHDR(message, c);
}

/* Randomness, as the system gives it. */
void arc4random_buf(void *d, size_t n) {
  for (char *p = d; n > 0;) {
    size_t part = n < 256 ? n : 256;
    if (getentropy(p, part))
      abort();
    p += part, n -= part;
  }
}
uint32_t arc4random(void) {
  uint32_t n;
  return arc4random_buf(&n, sizeof n), n;
}
uint32_t arc4random_uniform(uint32_t limit) {
  if (limit < 2)
    return 0;
  for (;;) {
    uint32_t n = arc4random();
    if (n >= -limit % limit)
      return n % limit;
  }
}
