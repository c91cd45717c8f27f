// The part of KLEE's interface that the test programs use.
#include <stddef.h>
#include <stdint.h>
void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);
void klee_report_error(const char *file, int line, const char *message, const char *suffix);
void klee_print_expr(const char *message, ...);
