// A descriptor that depends on the input: the call is made for each of its values, then paths are one again.
// libc: musl
#include <rejoin.h>
#include <unistd.h>

int main(void) {
    unsigned char x;
    rejoin_symbolic(&x, 1, "x");
    int fd = 1, n = 3;
    if (x & 1) fd = 2;
    if (x & 2) n = 2;
    long done = write(fd, "abc", n);
    if (x & 4) done += 10;
    return (int)done;
}
