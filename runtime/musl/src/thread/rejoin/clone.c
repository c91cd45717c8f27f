#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include "pthread_impl.h"
#include "syscall.h"

/* C cannot return twice, so the callee of the system call has to start the
 * function. It finds it where x86_64's assembly keeps it: the function in the
 * sixth argument, its argument in the topmost word of the stack. */
int __clone(int (*func)(void *), void *stack, int flags, void *arg, ...)
{
	long ptid = 0, tls = 0, ctid = 0;

	/* posix_spawn passes nothing more; reading it would be an error. */
	if (flags & (CLONE_PARENT_SETTID | CLONE_SETTLS | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		va_list ap;
		va_start(ap, arg);
		ptid = (long)va_arg(ap, void *);
		tls = (long)va_arg(ap, void *);
		ctid = (long)va_arg(ap, void *);
		va_end(ap);
	}
	void **top = (void **)((char *)stack - (uintptr_t)stack % 16) - 1;
	*top = arg;
	return __syscall(SYS_clone, flags, top, ptid, ctid, tls, func);
}
