#include <rejoin.h>
#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 int128_t;
typedef unsigned __int128 uint128_t;

/* The operations that may fail. */
#ifndef ORACLE_FAST
#define ELEM(array, length, index) ((array)[index])
#define AT(pointer) (*(pointer))
#define DIV(type, a, b) ((a) / (b))
#define REM(type, a, b) ((a) % (b))
#define SHL(type, a, b) ((a) << (b))
#define SHR(type, a, b) ((a) >> (b))
#define PUT(pointer, constant, value) (*(uint32_t *)(pointer) = (value))
#define CALL(function) (function)
#define UNREACHABLE() __builtin_unreachable()
#define CHECK(condition) assert(condition)
#define ABORT() abort()
#define REPORT() rejoin_report_error(__FILE__, __LINE__, "planted", "user")
#endif

/* How a loop goes on, decided by one condition at one place: 0 on, 1 leave it, 2 leave it by another exit. */
static inline int ending(int stops, int other)
{
  if (stops)
    return other ? 2 : 1;
  return 0;
}
