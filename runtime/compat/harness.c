/* What the harness asks of the C library. */
#include <errno.h>

/* klee_get_errno. */
int __rejoin_errno(void) { return errno; }
