/* Seen before the program by the fast build: operations that may fail check first and never go wrong. */
#include "native.h"
#define ORACLE_FAST

_Noreturn void oracle_fail(const char *kind, int line);
void *oracle_malloc(size_t size);
void oracle_free(void *at, int line);
int oracle_dead(const void *at);

#define malloc(size) oracle_malloc(size)
#define calloc(count, size) oracle_malloc((count) * (size))
#define free(at) oracle_free(at, __LINE__)

#define oracle_unless(good, kind) ((good) ? (void)0 : oracle_fail(kind, __LINE__))
#define ELEM(array, length, index) \
  (*({ oracle_unless((index) >= 0 && (index) < (length), "ptr"); &(array)[index]; }))
#define AT(pointer) (*({ oracle_unless((pointer) && !oracle_dead(pointer), "ptr"); (pointer); }))
#define oracle_least(type) ((type)((unsigned __int128)1 << (sizeof(type) * 8 - 1)))
#define oracle_divide(type, a, b, result) \
  ({ \
    oracle_unless((b) != 0, "div"); \
    oracle_unless((type)-1 > 0 || (type)(a) != oracle_least(type) || (type)(b) != (type)-1, "overflow"); \
    result; \
  })
#define DIV(type, a, b) oracle_divide(type, a, b, (a) / (b))
#define REM(type, a, b) oracle_divide(type, a, b, (a) % (b))
#define SHL(type, a, b) ({ oracle_unless((b) < sizeof(type) * 8, "overshift"); (a) << (b); })
#define SHR(type, a, b) ({ oracle_unless((b) < sizeof(type) * 8, "overshift"); (a) >> (b); })
#define PUT(pointer, constant, value) \
  ({ oracle_unless((pointer) != (constant), "read_only"); *(uint32_t *)(pointer) = (value); })
#define CALL(function) ({ oracle_unless((function) != NULL, "ptr"); (function); })
#define UNREACHABLE() oracle_fail("unreachable_call", __LINE__)
#define CHECK(condition) oracle_unless(condition, "assert")
#define ABORT() oracle_fail("abort", __LINE__)
#define REPORT() oracle_fail("user", __LINE__)
