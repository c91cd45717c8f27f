/* The native replay runtime: answers the harness API from one test.
 *
 * Linked with the program under test. It reads the test named by KTEST_FILE and hands out its objects
 * in order: each request takes the next object of that name, passing over others (objects that model
 * the command line and the files belong to the driver, not to the program).
 *
 * What happens is told to the driver as lines of JSON on the descriptor named by REJOIN_REPLAY_FD, as
 * exit codes can be imitated by any program:
 *   {"event":"start"}
 *   {"event":"assert","file":…,"line":…,"message":…}
 *   {"event":"report_error","file":…,"line":…,"message":…,"suffix":…}
 *   {"event":"assume"}  {"event":"silent_exit"}  {"event":"signal","signal":…,"address":…,"stack":…}
 *   {"event":"mismatch","message":…}   the program and the test do not fit together
 * A sanitizer's report goes to the same descriptor, so that standard error stays the program's own.
 *
 * All public names are weak: a program that brings its own definition keeps it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((weak, visibility("default")))
#define NORETURN __attribute__((noreturn))

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Exit codes for ends that are not the program's own; the event says the same and more. */
enum { EXIT_ASSUME = 96, EXIT_REPORT = 97, EXIT_SILENT = 98, EXIT_MISMATCH = 99 };

/* ---- Events ------------------------------------------------------------------------------------ */

static int event_fd = -1;

/* One line in the making. Long texts are cut: the line must be written in one piece. */
struct line {
  char text[1024];
  size_t len;
};

static void put_char(struct line *l, char c) {
  if (l->len < sizeof l->text - 2)
    l->text[l->len++] = c;
}

static void put(struct line *l, const char *s) {
  while (*s)
    put_char(l, *s++);
}

static void put_string(struct line *l, const char *s) {
  put_char(l, '"');
  for (size_t n = 0; s && *s && n < 200; s++, n++) {
    if (*s == '"' || *s == '\\')
      put_char(l, '\\');
    put_char(l, (unsigned char)*s < 0x20 ? ' ' : *s);
  }
  put_char(l, '"');
}

static void put_number(struct line *l, unsigned long n) {
  char digits[24];
  size_t at = sizeof digits;
  digits[--at] = 0;
  do
    digits[--at] = (char)('0' + n % 10);
  while (n /= 10);
  put(l, digits + at);
}

static void begin(struct line *l, const char *event) {
  l->len = 0;
  put(l, "{\"event\":");
  put_string(l, event);
}

static void field(struct line *l, const char *name, const char *value) {
  put(l, ",\"");
  put(l, name);
  put(l, "\":");
  put_string(l, value);
}

static void number(struct line *l, const char *name, unsigned long value) {
  put(l, ",\"");
  put(l, name);
  put(l, "\":");
  put_number(l, value);
}

/* Safe in a signal handler. */
static void end(struct line *l) {
  put(l, "}");
  l->text[l->len++] = '\n';
  if (event_fd >= 0 && write(event_fd, l->text, l->len) < 0)
    event_fd = -1;
}

static NORETURN void mismatch(const char *what, const char *name) {
  struct line l, message = {.len = 0};
  put(&message, what);
  put(&message, name);
  message.text[message.len] = 0;
  begin(&l, "mismatch");
  field(&l, "message", message.text);
  end(&l);
  fprintf(stderr, "rejoin replay: %s%s\n", what, name);
  _exit(EXIT_MISMATCH);
}

/* ---- The test ---------------------------------------------------------------------------------- */

struct object {
  const char *name;
  size_t name_len, len;
  const unsigned char *bytes;
};

static struct object *objects;
static size_t object_count, next_object;
static const char *test_path;

struct reader {
  const unsigned char *at, *end;
};

static const unsigned char *take_bytes(struct reader *r, size_t n) {
  if ((size_t)(r->end - r->at) < n)
    mismatch("the test file is cut off: ", test_path);
  const unsigned char *bytes = r->at;
  r->at += n;
  return bytes;
}

static size_t take_u32(struct reader *r) {
  const unsigned char *b = take_bytes(r, 4);
  return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
}

static void read_test(void) {
  int fd = open(test_path, O_RDONLY | O_CLOEXEC);
  off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
  if (size <= 0)
    mismatch("cannot read the test file ", test_path);
  unsigned char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    mismatch("cannot read the test file ", test_path);
  close(fd);
  struct reader r = {data, data + size};
  const unsigned char *magic = take_bytes(&r, 5);
  if (memcmp(magic, "KTEST", 5) != 0 && memcmp(magic, "BOUT\n", 5) != 0)
    mismatch("not a ktest file: ", test_path);
  size_t version = take_u32(&r);
  for (size_t args = take_u32(&r); args > 0; args--)
    take_bytes(&r, take_u32(&r));
  if (version >= 2)
    take_bytes(&r, 8);
  object_count = take_u32(&r);
  if (object_count > (size_t)size)
    mismatch("the test file is cut off: ", test_path);
  objects = calloc(object_count + 1, sizeof *objects);
  for (size_t i = 0; i < object_count; i++) {
    struct object *o = &objects[i];
    o->name_len = take_u32(&r);
    o->name = (const char *)take_bytes(&r, o->name_len);
    o->len = take_u32(&r);
    o->bytes = take_bytes(&r, o->len);
  }
}

/* Whether an object is one of that name: a second and third input `x` are written as `x_1` and `x_2`. */
static int is_called(const struct object *o, const char *name) {
  size_t len = strlen(name);
  if (o->name_len < len || memcmp(o->name, name, len) != 0)
    return 0;
  if (o->name_len == len)
    return 1;
  if (o->name[len] != '_' || o->name_len == len + 1)
    return 0;
  for (size_t i = len + 1; i < o->name_len; i++)
    if (o->name[i] < '0' || o->name[i] > '9')
      return 0;
  return 1;
}

static void take(void *p, size_t n, const char *name) {
  if (!name || !*name)
    name = "unnamed";
  if (n == 0)
    return;
  for (size_t i = next_object; i < object_count; i++) {
    const struct object *o = &objects[i];
    if (!is_called(o, name))
      continue;
    if (o->len != n)
      mismatch("the test has another size for input ", name);
    next_object = i + 1;
    memcpy(p, o->bytes, n);
    return;
  }
  mismatch("the test has no further input ", name);
}

/* ---- Signals ----------------------------------------------------------------------------------- */

#ifndef SANITIZED
static uintptr_t stack_top;

/* The guard below the stack is where an overflow faults; frames may be large, so allow some slack. */
static int is_stack_overflow(uintptr_t address) {
  enum { SLACK = 1 << 20 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return 0;
  uintptr_t bottom = stack_top - limit.rlim_cur;
  return address > bottom - SLACK && address < bottom + SLACK;
}

static void on_signal(int signal, siginfo_t *info, void *context) {
  (void)context;
  struct line l;
  uintptr_t address = signal == SIGABRT ? 0 : (uintptr_t)info->si_addr;
  begin(&l, "signal");
  number(&l, "signal", (unsigned long)signal);
  number(&l, "address", address);
  number(&l, "stack", (unsigned long)(signal == SIGSEGV && is_stack_overflow(address)));
  end(&l);
}

static void watch_signals(void) {
  static char alternate[32 * 1024];
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  struct sigaction action = {.sa_sigaction = on_signal};
  stack_top = (uintptr_t)&stack;
  sigaltstack(&stack, NULL);
  /* The handler only looks: reset at once, so that the signal then takes its usual course. */
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], &action, NULL);
}
#endif

/* ---- Start ------------------------------------------------------------------------------------- */

extern void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* The files of the test are there; what stat() tells of them is in objects NAME_data_stat. */
static void set_files(void) {
  for (size_t i = 0; i < object_count; i++) {
    const struct object *o = &objects[i];
    struct stat told;
    if (o->name_len != 11 || memcmp(o->name + 1, "_data_stat", 10) || o->len != sizeof told)
      continue;
    char name[2] = {o->name[0], 0};
    memcpy(&told, o->bytes, sizeof told);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = told.st_mtime}};
    if (utimensat(AT_FDCWD, name, times, 0) || chmod(name, told.st_mode & 0777))
      mismatch("cannot prepare the file ", name);
  }
}

/* The environment that the analysed program had, in place, for main() may look at it too. */
static void set_environment(void) {
  static char path[] = "PATH=/usr/bin:/bin";
  if (environ && environ[0]) {
    environ[0] = path;
    environ[1] = 0;
  }
}

/* Programs that `rejoin cc` built run without replay, too, and then nothing may be different. */
static int replaying;

__attribute__((constructor)) static void start(void) {
  const char *fd = getenv("REJOIN_REPLAY_FD");
  test_path = getenv("KTEST_FILE");
  replaying = fd || test_path;
  if (!replaying)
    return;
  if (fd) {
    /* Out of the way: the program's first open() must get the number it would get without us. */
    int given = atoi(fd);
    event_fd = fcntl(given, F_DUPFD_CLOEXEC, 900);
    close(given);
    if (event_fd >= 0 && __sanitizer_set_report_fd)
      __sanitizer_set_report_fd((void *)(intptr_t)event_fd);
  }
#ifndef SANITIZED
  watch_signals();
#endif
  struct line l;
  begin(&l, "start");
  end(&l);
  if (test_path)
    read_test();
  set_files();
  set_environment();
}

/* ---- Time -------------------------------------------------------------------------------------- */

/* Time is the analysed program's: it moves a little when looked at, and by what the program sleeps. */
static uint64_t passed;
enum { TICK = 1000, SECOND = 1000000000, EPOCH = 1600000000, UP_SINCE = 10000 };

static struct timespec look_at_clock(clockid_t clock) {
  uint64_t base = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ? 0
                  : clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE           ? EPOCH
                                                                                        : UP_SINCE;
  passed += TICK;
  return (struct timespec){(time_t)(base + passed / SECOND), (long)(passed % SECOND)};
}

API int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!replaying || clock < 0 || clock > CLOCK_BOOTTIME)
    return (int)syscall(SYS_clock_gettime, clock, now);
  *now = look_at_clock(clock);
  return 0;
}

API int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (now)
    *now = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
  return 0;
}

API time_t time(time_t *now) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return now ? *now = t.tv_sec : t.tv_sec;
}

/* All time is the program's own, and it always has the same amount of memory. */
API int getrusage(int who, struct rusage *usage) {
  if (!replaying || who < RUSAGE_CHILDREN || who > RUSAGE_SELF + 1)
    return (int)syscall(SYS_getrusage, who, usage);
  memset(usage, 0, sizeof *usage);
  if (who != RUSAGE_CHILDREN) {
    struct timespec t = look_at_clock(CLOCK_PROCESS_CPUTIME_ID);
    usage->ru_utime = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
  }
  usage->ru_maxrss = 2048;
  return 0;
}

API clock_t times(struct tms *used) {
  if (!replaying)
    return (clock_t)syscall(SYS_times, used);
  struct timespec t = look_at_clock(CLOCK_PROCESS_CPUTIME_ID);
  clock_t ticks = t.tv_sec * 100 + t.tv_nsec / (SECOND / 100);
  if (used)
    *used = (struct tms){.tms_utime = ticks};
  return ticks + 1000000;
}

/* Nobody waits. */
API int nanosleep(const struct timespec *asked, struct timespec *left) {
  if (!replaying)
    return (int)syscall(SYS_nanosleep, asked, left);
  if (asked->tv_sec < 0 || asked->tv_nsec < 0 || asked->tv_nsec >= SECOND) {
    errno = EINVAL;
    return -1;
  }
  passed += (uint64_t)asked->tv_sec * SECOND + (uint64_t)asked->tv_nsec;
  return 0;
}

/* A C library may sleep by calls of its own. */
API unsigned sleep(unsigned seconds) {
  struct timespec span = {seconds, 0};
  return nanosleep(&span, &span) ? (unsigned)span.tv_sec : 0;
}

API int usleep(useconds_t microseconds) {
  struct timespec span = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
  return nanosleep(&span, NULL);
}

API int clock_nanosleep(clockid_t clock, int flags, const struct timespec *asked, struct timespec *left) {
  if (!replaying)
    return syscall(SYS_clock_nanosleep, clock, flags, asked, left) ? errno : 0;
  struct timespec span = *asked;
  if (flags & TIMER_ABSTIME) {
    struct timespec now = look_at_clock(clock);
    int64_t ns = (asked->tv_sec - now.tv_sec) * (int64_t)SECOND + asked->tv_nsec - now.tv_nsec;
    span = ns < 0 ? (struct timespec){0, 0} : (struct timespec){ns / SECOND, ns % SECOND};
  }
  return nanosleep(&span, left) ? EINVAL : 0;
}

/* Random bytes are those of the model, one by one. */
API ssize_t getrandom(void *buffer, size_t len, unsigned flags) {
  static uint64_t given;
  if (!replaying)
    return syscall(SYS_getrandom, buffer, len, flags);
  if (flags & ~7u || (flags & 6) == 6) {
    errno = EINVAL;
    return -1;
  }
  if (len > 1 << 20)
    len = 1 << 20;
  for (size_t i = 0; i < len; i++) {
    uint64_t x = ++given * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    ((unsigned char *)buffer)[i] = (unsigned char)(x >> 56);
  }
  return (ssize_t)len;
}

/* ---- Ends -------------------------------------------------------------------------------------- */

static NORETURN void assertion(const char *condition, const char *file, unsigned line,
                               const char *function) {
  struct line l;
  begin(&l, "assert");
  field(&l, "file", file);
  number(&l, "line", line);
  field(&l, "message", condition);
  end(&l);
  fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file, line,
          function, condition);
  abort();
}

static NORETURN void report_error(const char *file, int line, const char *message, const char *suffix) {
  struct line l;
  begin(&l, "report_error");
  field(&l, "file", file);
  number(&l, "line", (unsigned long)line);
  field(&l, "message", message);
  field(&l, "suffix", suffix);
  end(&l);
  fprintf(stderr, "%s:%d: %s\n", file, line, message);
  _exit(EXIT_REPORT);
}

static NORETURN void leave(const char *event, int code) {
  struct line l;
  begin(&l, event);
  end(&l);
  _exit(code);
}

static void assume(int condition) {
  if (!condition)
    leave("assume", EXIT_ASSUME);
}

static int range(int first, int past, const char *name) {
  int x;
  if (first >= past)
    report_error("", 0, "invalid range", "user");
  if (past - 1 == first)
    return first;
  take(&x, sizeof x, name);
  if (x < first || x >= past)
    mismatch("the test has a value out of range for input ", name);
  return x;
}

static uintptr_t choose(uintptr_t n, const char *name) {
  uintptr_t x;
  take(&x, sizeof x, name);
  if (x >= n)
    leave("silent_exit", EXIT_SILENT);
  return x;
}

API NORETURN void __assert_fail(const char *condition, const char *file, unsigned line,
                                const char *function) {
  assertion(condition, file, line, function);
}

/* ---- <rejoin.h> -------------------------------------------------------------------------------- */

API void rejoin_symbolic(void *p, size_t n, const char *name) { take(p, n, name); }
API int rejoin_range(int first, int past, const char *name) { return range(first, past, name); }
API uintptr_t rejoin_choose(uintptr_t n) { return choose(n, "rejoin_choose"); }
API void rejoin_assume(uintptr_t condition) { assume(condition != 0); }
API NORETURN void rejoin_silent_exit(int status) { (void)status, leave("silent_exit", EXIT_SILENT); }
API void rejoin_prefer(void *object, uintptr_t condition) { (void)object, (void)condition; }
API unsigned rejoin_is_symbolic(uintptr_t value) { return (void)value, 0; }
API unsigned rejoin_is_replay(void) { return 1; }
API uint64_t rejoin_concretize(uint64_t value) { return value; }
API void rejoin_warning(const char *message) { (void)message; }

API int rejoin_int(const char *name) {
  int x;
  take(&x, sizeof x, name);
  return x;
}

API NORETURN void rejoin_assert_failed(const char *condition, const char *file, unsigned line,
                                       const char *function) {
  assertion(condition, file, line, function);
}

API NORETURN void rejoin_report_error(const char *file, int line, const char *message,
                                      const char *suffix) {
  report_error(file, line, message, suffix);
}

/* ---- <klee/klee.h> ----------------------------------------------------------------------------- */

API void klee_make_symbolic(void *p, size_t n, const char *name) { take(p, n, name); }
API int klee_int(const char *name) { return rejoin_int(name); }
API int klee_range(int first, int past, const char *name) { return range(first, past, name); }
API uintptr_t klee_choose(uintptr_t n) { return choose(n, "klee_choose"); }
API void klee_assume(uintptr_t condition) { assume(condition != 0); }
API void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
API void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
API NORETURN void klee_silent_exit(int status) { (void)status, leave("silent_exit", EXIT_SILENT); }
API NORETURN void klee_abort(void) { abort(); }
API unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0; }
API unsigned klee_is_replay(void) { return 1; }
API int klee_get_errno(void) { return errno; }
API float klee_get_valuef(float x) { return x; }
API double klee_get_valued(double x) { return x; }
API long klee_get_valuel(long x) { return x; }
API long long klee_get_valuell(long long x) { return x; }
API int32_t klee_get_value_i32(int32_t x) { return x; }
API int64_t klee_get_value_i64(int64_t x) { return x; }
API void klee_mark_global(void *object) { (void)object; }
API void klee_set_forking(unsigned enable) { (void)enable; }
API void klee_open_merge(void) {}
API void klee_close_merge(void) {}
API void klee_warning(const char *message) { (void)message; }
API void klee_warning_once(const char *message) { (void)message; }
API void klee_print_expr(const char *message, ...) { (void)message; }
API void klee_print_range(const char *name, int value) { (void)name, (void)value; }
API void klee_stack_trace(void) {}

API NORETURN void klee_report_error(const char *file, int line, const char *message,
                                    const char *suffix) {
  report_error(file, line, message, suffix);
}

API size_t klee_get_obj_size(void *p) {
  (void)p;
  mismatch("the size of an object is not known natively: ", "klee_get_obj_size");
}

/* Touching both ends is as much as a native program can check. */
API void klee_check_memory_access(const void *p, size_t n) {
  if (n > 0) {
    (void)*(const volatile char *)p;
    (void)((const volatile char *)p)[n - 1];
  }
}

API void klee_define_fixed_object(void *p, size_t n) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p & ~(page - 1);
  size_t len = ((uintptr_t)p + n - from + page - 1) & ~(page - 1);
  void *got = mmap((void *)from, len, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != (void *)from)
    mismatch("no memory natively at the address given to ", "klee_define_fixed_object");
}

/* ---- The names of verification competitions ---------------------------------------------------- */

#define NONDET(suffix, type)                                                                         \
  API type __VERIFIER_nondet_##suffix(void) {                                                        \
    type x;                                                                                          \
    take(&x, sizeof x, "__VERIFIER_nondet_" #suffix);                                                \
    return x;                                                                                        \
  }

NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(float, float)
NONDET(double, double)
NONDET(size_t, size_t)
NONDET(loff_t, long long)
NONDET(sector_t, unsigned long)
NONDET(S8, signed char)
NONDET(U8, unsigned char)
NONDET(u8, unsigned char)
NONDET(s8, signed char)
NONDET(U16, unsigned short)
NONDET(u16, unsigned short)
NONDET(s16, short)
NONDET(U32, unsigned)
NONDET(u32, unsigned)
NONDET(s32, int)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(pointer, void *)
NONDET(pchar, char *)

API _Bool __VERIFIER_nondet_bool(void) {
  unsigned char x;
  take(&x, sizeof x, "__VERIFIER_nondet_bool");
  return x != 0;
}

API void __VERIFIER_nondet_memory(void *p, size_t n) { take(p, n, "__VERIFIER_nondet_memory"); }
API void __VERIFIER_assume(int condition) { assume(condition); }
API NORETURN void __VERIFIER_error(void) { assertion("__VERIFIER_error", "", 0, "__VERIFIER_error"); }
API void reach_error(void) { assertion("reach_error", "", 0, "reach_error"); }
API void __VERIFIER_atomic_begin(void) {}
API void __VERIFIER_atomic_end(void) {}
