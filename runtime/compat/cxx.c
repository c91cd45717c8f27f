/* What C++ needs besides its standard library: statics, and the ends of what has none. */
#include <stdint.h>
#include <stdlib.h>

void *__dso_handle;

/* The first byte says that the static is made. There is one thread, so nobody waits. */
int __cxa_guard_acquire(uint64_t *guard) { return !*(char *)guard; }
void __cxa_guard_release(uint64_t *guard) { *(char *)guard = 1; }
void __cxa_guard_abort(uint64_t *guard) { (void)guard; }
void __cxa_pure_virtual(void) { abort(); }
void __cxa_deleted_virtual(void) { abort(); }
