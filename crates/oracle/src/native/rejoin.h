/* The harness functions of the native builds; the drivers define them. */
#include <stddef.h>
#include <stdint.h>
void rejoin_symbolic(void *at, size_t size, const char *name);
void rejoin_assume(uintptr_t condition);
_Noreturn void rejoin_report_error(const char *file, int line, const char *message, const char *suffix);
