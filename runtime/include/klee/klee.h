/* The names and signatures of KLEE's harness API, so that programs written for KLEE compile unchanged.
 * What each call means here is said beside it where that is not obvious from its name; new programs
 * may prefer <rejoin.h>. */
#ifndef REJOIN_KLEE_KLEE_H
#define REJOIN_KLEE_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. The `nbytes` of klee_make_symbolic may be less than the whole object, not more. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);
int klee_int(const char *name);
int klee_range(int begin, int end, const char *name);
uintptr_t klee_choose(uintptr_t n);

/* What holds, and what should. */
void klee_assume(uintptr_t condition);
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* Ends of paths. */
void klee_silent_exit(int status) __attribute__((noreturn));
void klee_abort(void) __attribute__((noreturn));
void klee_report_error(const char *file, int line, const char *message, const char *suffix)
    __attribute__((noreturn));

/* The C library's __assert_fail is declared differently from library to library, and not at all under
 * NDEBUG; so the failing half of klee_assert is ours. */
void rejoin_assert_failed(const char *condition, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));
#define klee_assert(condition)                                                                       \
  ((condition) ? (void)0 : rejoin_assert_failed(#condition, __FILE__, __LINE__, __func__))

/* Questions about values and memory. */
unsigned klee_is_symbolic(uintptr_t n);
unsigned klee_is_replay(void);
size_t klee_get_obj_size(void *ptr);
void klee_check_memory_access(const void *address, size_t size);
int klee_get_errno(void);

/* One value out of the possible ones, kept from there on. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* Memory at a fixed address; memory that is no local of the function that made it. */
void klee_define_fixed_object(void *addr, size_t nbytes);
void klee_mark_global(void *object);

/* Hints for the exploration. */
void klee_set_forking(unsigned enable);
void klee_open_merge(void);
void klee_close_merge(void);

/* Messages; they go to the run's log. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *msg, ...);
void klee_print_range(const char *name, int arg);
void klee_stack_trace(void);

#ifdef __cplusplus
}
#endif

#endif
