/* Fortified functions: glibc's headers call them, under _FORTIFY_SOURCE, where they know the size of
 * the destination. One that is too small ends the program, as glibc does it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <syslog.h>
#include <fcntl.h>
#include <unistd.h>
#include <wchar.h>

_Noreturn void __chk_fail(void) {
  static const char text[] = "*** buffer overflow detected ***: terminated\n";
  write(2, text, sizeof text - 1);
  abort();
}

static void fits(size_t need, size_t have) {
  if (need > have)
    __chk_fail();
}

/* Memory and strings. */
void *__memcpy_chk(void *d, const void *s, size_t n, size_t size) { return fits(n, size), memcpy(d, s, n); }
void *__memmove_chk(void *d, const void *s, size_t n, size_t size) { return fits(n, size), memmove(d, s, n); }
void *__mempcpy_chk(void *d, const void *s, size_t n, size_t size) { return fits(n, size), mempcpy(d, s, n); }
void *__memset_chk(void *d, int c, size_t n, size_t size) { return fits(n, size), memset(d, c, n); }
void __explicit_bzero_chk(void *d, size_t n, size_t size) { fits(n, size), explicit_bzero(d, n); }
char *__strcpy_chk(char *d, const char *s, size_t size) { return fits(strlen(s) + 1, size), strcpy(d, s); }
char *__stpcpy_chk(char *d, const char *s, size_t size) { return fits(strlen(s) + 1, size), stpcpy(d, s); }
char *__strncpy_chk(char *d, const char *s, size_t n, size_t size) { return fits(n, size), strncpy(d, s, n); }
char *__stpncpy_chk(char *d, const char *s, size_t n, size_t size) { return fits(n, size), stpncpy(d, s, n); }
char *__strcat_chk(char *d, const char *s, size_t size) {
  return fits(strlen(d) + strlen(s) + 1, size), strcat(d, s);
}
char *__strncat_chk(char *d, const char *s, size_t n, size_t size) {
  return fits(strlen(d) + strnlen(s, n) + 1, size), strncat(d, s, n);
}
size_t __strlcpy_chk(char *d, const char *s, size_t n, size_t size) { return fits(n, size), strlcpy(d, s, n); }
size_t __strlcat_chk(char *d, const char *s, size_t n, size_t size) { return fits(n, size), strlcat(d, s, n); }
wchar_t *__wmemcpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size) { return fits(n, size), wmemcpy(d, s, n); }
wchar_t *__wmemmove_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size) { return fits(n, size), wmemmove(d, s, n); }
wchar_t *__wmemset_chk(wchar_t *d, wchar_t c, size_t n, size_t size) { return fits(n, size), wmemset(d, c, n); }
wchar_t *__wcscpy_chk(wchar_t *d, const wchar_t *s, size_t size) { return fits(wcslen(s) + 1, size), wcscpy(d, s); }
wchar_t *__wcsncpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t size) { return fits(n, size), wcsncpy(d, s, n); }
wchar_t *__wcscat_chk(wchar_t *d, const wchar_t *s, size_t size) {
  return fits(wcslen(d) + wcslen(s) + 1, size), wcscat(d, s);
}

/* Formatted output. A size of all ones says that it is not known. */
int __vsnprintf_chk(char *d, size_t n, int flag, size_t size, const char *format, va_list list) {
  return fits(n, size), vsnprintf(d, n, format, list);
}
int __vsprintf_chk(char *d, int flag, size_t size, const char *format, va_list list) {
  /* What does not fit is not written. */
  size_t limit = size > INT_MAX ? (size_t)INT_MAX + 1 : size;
  int n = vsnprintf(d, limit, format, list);
  if (n >= 0)
    fits((size_t)n + 1, size);
  return n;
}
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list list) { return vfprintf(f, format, list); }
int __vprintf_chk(int flag, const char *format, va_list list) { return vprintf(format, list); }
int __vdprintf_chk(int fd, int flag, const char *format, va_list list) { return vdprintf(fd, format, list); }
int __vasprintf_chk(char **d, int flag, const char *format, va_list list) { return vasprintf(d, format, list); }
int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list list) { return vfwprintf(f, format, list); }
int __vswprintf_chk(wchar_t *d, size_t n, int flag, size_t size, const wchar_t *format, va_list list) {
  return fits(n, size), vswprintf(d, n, format, list);
}
void __vsyslog_chk(int priority, int flag, const char *format, va_list list) { vsyslog(priority, format, list); }

#define FORWARD(NAME, CALL, ...)                                                                       \
  int NAME(__VA_ARGS__, ...) {                                                                         \
    va_list list;                                                                                      \
    va_start(list, format);                                                                            \
    int result = CALL;                                                                                 \
    va_end(list);                                                                                      \
    return result;                                                                                     \
  }
FORWARD(__snprintf_chk, __vsnprintf_chk(d, n, flag, size, format, list), char *d, size_t n, int flag, size_t size, const char *format)
FORWARD(__sprintf_chk, __vsprintf_chk(d, flag, size, format, list), char *d, int flag, size_t size, const char *format)
FORWARD(__fprintf_chk, vfprintf(f, format, list), FILE *f, int flag, const char *format)
FORWARD(__printf_chk, vprintf(format, list), int flag, const char *format)
FORWARD(__dprintf_chk, vdprintf(fd, format, list), int fd, int flag, const char *format)
FORWARD(__asprintf_chk, vasprintf(d, format, list), char **d, int flag, const char *format)
FORWARD(__wprintf_chk, vwprintf(format, list), int flag, const wchar_t *format)
FORWARD(__fwprintf_chk, vfwprintf(f, format, list), FILE *f, int flag, const wchar_t *format)
FORWARD(__swprintf_chk, __vswprintf_chk(d, n, flag, size, format, list), wchar_t *d, size_t n, int flag, size_t size, const wchar_t *format)
FORWARD(__syslog_chk, (vsyslog(priority, format, list), 0), int priority, int flag, const char *format)

/* Input. */
char *__fgets_chk(char *d, size_t size, int n, FILE *f) { return fits(n > 0 ? n : 0, size), fgets(d, n, f); }
char *__fgets_unlocked_chk(char *d, size_t size, int n, FILE *f) { return __fgets_chk(d, size, n, f); }
wchar_t *__fgetws_chk(wchar_t *d, size_t size, int n, FILE *f) { return fits(n > 0 ? n : 0, size), fgetws(d, n, f); }
size_t __fread_chk(void *d, size_t size, size_t width, size_t n, FILE *f) {
  return fits(width && n > SIZE_MAX / width ? SIZE_MAX : width * n, size), fread(d, width, n, f);
}
size_t __fread_unlocked_chk(void *d, size_t size, size_t width, size_t n, FILE *f) {
  return __fread_chk(d, size, width, n, f);
}
char *__gets_chk(char *d, size_t size) {
  char *line = NULL;
  size_t have = 0;
  ssize_t n = getline(&line, &have, stdin);
  if (n < 0)
    return free(line), NULL;
  if (n > 0 && line[n - 1] == '\n')
    line[--n] = 0;
  fits((size_t)n + 1, size);
  memcpy(d, line, (size_t)n + 1);
  return free(line), d;
}
ssize_t __read_chk(int fd, void *d, size_t n, size_t size) { return fits(n, size), read(fd, d, n); }
ssize_t __pread_chk(int fd, void *d, size_t n, off_t at, size_t size) { return fits(n, size), pread(fd, d, n, at); }
ssize_t __pread64_chk(int fd, void *d, size_t n, off_t at, size_t size) { return fits(n, size), pread(fd, d, n, at); }
ssize_t __recv_chk(int fd, void *d, size_t n, size_t size, int flags) { return fits(n, size), recv(fd, d, n, flags); }
ssize_t __recvfrom_chk(int fd, void *d, size_t n, size_t size, int flags, struct sockaddr *from, socklen_t *len) {
  return fits(n, size), recvfrom(fd, d, n, flags, from, len);
}
ssize_t __readlink_chk(const char *path, char *d, size_t n, size_t size) { return fits(n, size), readlink(path, d, n); }
ssize_t __readlinkat_chk(int fd, const char *path, char *d, size_t n, size_t size) {
  return fits(n, size), readlinkat(fd, path, d, n);
}

/* Names and lists of the system. */
char *__getcwd_chk(char *d, size_t n, size_t size) { return fits(n, size), getcwd(d, n); }
char *__realpath_chk(const char *path, char *d, size_t size) { return fits(PATH_MAX, size), realpath(path, d); }
int __gethostname_chk(char *d, size_t n, size_t size) { return fits(n, size), gethostname(d, n); }
int __getdomainname_chk(char *d, size_t n, size_t size) { return fits(n, size), getdomainname(d, n); }
int __getlogin_r_chk(char *d, size_t n, size_t size) { return fits(n, size), getlogin_r(d, n); }
int __ttyname_r_chk(int fd, char *d, size_t n, size_t size) { return fits(n, size), ttyname_r(fd, d, n); }
size_t __confstr_chk(int name, char *d, size_t n, size_t size) { return fits(n, size), confstr(name, d, n); }
int __getgroups_chk(int n, gid_t *d, size_t size) {
  return fits(n > 0 ? (size_t)n * sizeof *d : 0, size), getgroups(n, d);
}
const char *__inet_ntop_chk(int family, const void *s, char *d, socklen_t n, size_t size) {
  return fits(n, size), inet_ntop(family, s, d, n);
}
int __poll_chk(struct pollfd *d, nfds_t n, int timeout, size_t size) {
  return fits(n * sizeof *d, size), poll(d, n, timeout);
}
int __ppoll_chk(struct pollfd *d, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t size) {
  return fits(n * sizeof *d, size), ppoll(d, n, timeout, mask);
}
long __fdelt_chk(long fd) {
  if (fd < 0 || fd >= FD_SETSIZE)
    __chk_fail();
  return fd / (8 * (long)sizeof(long));
}
long __fdelt_warn(long fd) { return __fdelt_chk(fd); }

/* `open` without the mode that its flags ask for. */
static int checked(int flags) {
  if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
    __chk_fail();
  return flags;
}
int __open_2(const char *path, int flags) { return open(path, checked(flags)); }
int __open64_2(const char *path, int flags) { return open(path, checked(flags)); }
int __openat_2(int fd, const char *path, int flags) { return openat(fd, path, checked(flags)); }
int __openat64_2(int fd, const char *path, int flags) { return openat(fd, path, checked(flags)); }

/* Multibyte strings. */
size_t __wcrtomb_chk(char *d, wchar_t c, mbstate_t *state, size_t size) { return fits(MB_CUR_MAX, size), wcrtomb(d, c, state); }
int __wctomb_chk(char *d, wchar_t c, size_t size) { return fits(MB_CUR_MAX, size), wctomb(d, c); }
size_t __mbstowcs_chk(wchar_t *d, const char *s, size_t n, size_t size) { return fits(n, size), mbstowcs(d, s, n); }
size_t __wcstombs_chk(char *d, const wchar_t *s, size_t n, size_t size) { return fits(n, size), wcstombs(d, s, n); }
size_t __mbsrtowcs_chk(wchar_t *d, const char **s, size_t n, mbstate_t *state, size_t size) {
  return fits(n, size), mbsrtowcs(d, s, n, state);
}
size_t __wcsrtombs_chk(char *d, const wchar_t **s, size_t n, mbstate_t *state, size_t size) {
  return fits(n, size), wcsrtombs(d, s, n, state);
}
size_t __mbsnrtowcs_chk(wchar_t *d, const char **s, size_t in, size_t n, mbstate_t *state, size_t size) {
  return fits(n, size), mbsnrtowcs(d, s, in, n, state);
}
size_t __wcsnrtombs_chk(char *d, const wchar_t **s, size_t in, size_t n, mbstate_t *state, size_t size) {
  return fits(n, size), wcsnrtombs(d, s, in, n, state);
}
