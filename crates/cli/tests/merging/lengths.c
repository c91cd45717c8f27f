// libc: musl
// What merged states print has a length for each of them, in libc's buffer and in a system call.
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char a[3], b[3], line[8];
    klee_make_symbolic(a, sizeof a, "a");
    klee_make_symbolic(b, sizeof b, "b");
    klee_assume(a[2] == 0);
    klee_assume(b[2] == 0);
    klee_assume((a[0] & ~1) == 0 || a[0] == 'x');
    klee_assume(a[1] == 0 || a[1] == 'y');
    klee_assume(b[0] == 0 || b[0] == 'p');
    klee_assume(b[1] == 0 || b[1] == 'q');
    size_t n = 0;
    while (a[n] != 0)
        n++;
    const char *what = n == 1 ? b : a;
    fputs(what, stdout);
    fwrite(a, 1, n, stdout);
    putchar('.');
    fflush(stdout);
    ssize_t written = write(1, "abc", n);
    if (written != (ssize_t)n)
        return 1;
    size_t m = strlen(b);
    memcpy(line, "<", 1);
    memcpy(line + 1, b, m);
    memcpy(line + 1 + m, ">\n", 2);
    write(1, line, m + 3);
    return (int)n;
}
