/* The harness API of Rejoin: how a program says what is unknown and what must hold.
 *
 * Under `rejoin run` these calls are answered by the engine. Under `rejoin replay` they are answered
 * natively from one test (runtime/replay/replay.c), so a harness needs no change to be replayed.
 */
#ifndef REJOIN_H
#define REJOIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REJOIN_NORETURN __attribute__((noreturn))

/* Makes `n` bytes at `p` unknown. The bytes may be part of an object, but must lie inside it. `name`
 * is how tests and reports call them; several inputs may share a name. */
void rejoin_symbolic(void *p, size_t n, const char *name);

/* An unknown int. */
int rejoin_int(const char *name);

/* An unknown int in [begin, end). Having begin >= end is an error. */
int rejoin_range(int begin, int end, const char *name);

/* An unknown number below `n`. */
uintptr_t rejoin_choose(uintptr_t n);

/* Goes on only where `condition` is not zero. Write `&` and `|` rather than `&&` and `||` to keep the
 * condition one expression instead of a branch. A path on which it can not hold ends without a test. */
void rejoin_assume(uintptr_t condition);

/* Reports an `assert` error, with the text of the condition, where `condition` can be zero. */
#define rejoin_assert(condition)                                                                     \
  ((condition) ? (void)0 : rejoin_assert_failed(#condition, __FILE__, __LINE__, __func__))

/* What rejoin_assert calls. */
void rejoin_assert_failed(const char *condition, const char *file, unsigned line,
                          const char *function) REJOIN_NORETURN;

/* Reports an error of the program's own making and ends the path. The error's file is named after
 * `suffix`. */
void rejoin_report_error(const char *file, int line, const char *message,
                         const char *suffix) REJOIN_NORETURN;

/* Ends the path without a test: the input is of no interest. */
void rejoin_silent_exit(int status) REJOIN_NORETURN;

/* Asks that tests satisfy `condition` wherever they can; loses no path. `object` is the input the
 * condition is about. */
void rejoin_prefer(void *object, uintptr_t condition);

/* Whether the value depends on the input. Always 0 in a replay. */
unsigned rejoin_is_symbolic(uintptr_t value);

/* 1 in a native replay, 0 under the engine. */
unsigned rejoin_is_replay(void);

/* One possible value of an expression; from here on it is the only one on this path. The ledger
 * records what was given up. */
uint64_t rejoin_concretize(uint64_t value);

/* Writes a line to the run's log. */
void rejoin_warning(const char *message);

#ifdef __cplusplus
}
#endif

#endif
