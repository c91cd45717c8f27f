/* One door for all system calls. Inlined even at -O0, or each of musl's files
 * would bring copies of its own. */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

long rejoin_syscall(long n, long a, long b, long c, long d, long e, long f);

static inline __attribute__((__always_inline__)) long __syscall0(long n)
{
	return rejoin_syscall(n, 0, 0, 0, 0, 0, 0);
}

static inline __attribute__((__always_inline__)) long __syscall1(long n, long a)
{
	return rejoin_syscall(n, a, 0, 0, 0, 0, 0);
}

static inline __attribute__((__always_inline__)) long __syscall2(long n, long a, long b)
{
	return rejoin_syscall(n, a, b, 0, 0, 0, 0);
}

static inline __attribute__((__always_inline__)) long __syscall3(long n, long a, long b, long c)
{
	return rejoin_syscall(n, a, b, c, 0, 0, 0);
}

static inline __attribute__((__always_inline__)) long __syscall4(long n, long a, long b, long c, long d)
{
	return rejoin_syscall(n, a, b, c, d, 0, 0);
}

static inline __attribute__((__always_inline__)) long __syscall5(long n, long a, long b, long c, long d, long e)
{
	return rejoin_syscall(n, a, b, c, d, e, 0);
}

static inline __attribute__((__always_inline__)) long __syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	return rejoin_syscall(n, a, b, c, d, e, f);
}

/* VDSO_USEFUL stays undefined: the time, too, comes from system calls. */
#define IPC_64 0
