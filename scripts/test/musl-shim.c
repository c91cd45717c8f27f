/* Stands in for the engine: runs libc.bc natively, with real system calls, an
 * allocator that never frees, and the entry point that musl has in assembly. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__asm__(".text\n"
        ".global _start\n"
        "_start:\n"
        "	xor %ebp, %ebp\n"
        "	mov %rsp, %rdi\n"
        "	and $-16, %rsp\n"
        "	call rejoin_start\n");

void _start_c(long *sp);
__attribute__((used)) void rejoin_start(long *sp) { _start_c(sp); }

long rejoin_syscall(long n, long a, long b, long c, long d, long e, long f)
{
    long ret;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}

static _Alignas(16) char heap[1 << 24];
static size_t used;

void *malloc(size_t n)
{
    n = (n + 15) & -16UL;
    if (n > sizeof heap - 16 - used) return NULL;
    char *p = heap + used + 16;
    ((size_t *)p)[-1] = n;
    used += n + 16;
    return p;
}

size_t malloc_usable_size(void *p) { return p ? ((size_t *)p)[-1] : 0; }
void free(void *p) { (void)p; }

void *calloc(size_t m, size_t n)
{
    size_t size;
    if (__builtin_mul_overflow(m, n, &size)) return NULL;
    return malloc(size); /* the heap is zero and nothing is used twice */
}

void *realloc(void *p, size_t n)
{
    void *q = malloc(n);
    if (p && q) memcpy(q, p, n < malloc_usable_size(p) ? n : malloc_usable_size(p));
    return q;
}

void *aligned_alloc(size_t align, size_t n)
{
    uintptr_t p = (uintptr_t)malloc(n + align);
    return p ? (void *)((p + align - 1) & -align) : NULL;
}

void *memalign(size_t align, size_t n) { return aligned_alloc(align, n); }

int posix_memalign(void **p, size_t align, size_t n)
{
    *p = aligned_alloc(align, n);
    return *p ? 0 : ENOMEM;
}

int setjmp(void *buf)
{
    (void)buf;
    return 0;
}

void longjmp(void *buf, int value)
{
    (void)buf, (void)value;
    __builtin_trap();
}
