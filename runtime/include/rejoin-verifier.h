/* The names used by verification competitions (SV-COMP, Test-Comp). Programs of those suites declare
 * what they use themselves; this header is for harnesses that would rather include it. */
#ifndef REJOIN_VERIFIER_H
#define REJOIN_VERIFIER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
typedef bool rejoin_verifier_bool;
#else
typedef _Bool rejoin_verifier_bool;
#endif

/* Unknown values; the input is named after the function. */
rejoin_verifier_bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
unsigned int __VERIFIER_nondet_unsigned(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
size_t __VERIFIER_nondet_size_t(void);
void *__VERIFIER_nondet_pointer(void);
void __VERIFIER_nondet_memory(void *mem, size_t size);

/* Ends the path silently where the condition is zero. */
void __VERIFIER_assume(int condition);

/* Reaching either is an `assert` error. */
void __VERIFIER_error(void) __attribute__((noreturn));
void reach_error(void);

/* Brackets of an atomic section. */
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

#ifdef __cplusplus
}
#endif

#endif
