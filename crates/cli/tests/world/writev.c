// A length that may be negative: the kernel answers EINVAL, and nothing is written.
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

int main(int argc, char **argv) {
    char text[4] = "abc";
    long len = argv[1][0] == 'n' ? -1 : argv[1][0] == 'z' ? 0 : 2;
    struct iovec parts[2] = {{text, 1}, {text + 1, (size_t)len}};
    long written = writev(1, parts, 2);
    if (len < 0)
        return written == -1 && errno == EINVAL ? 1 : 9;
    return written == 1 + len ? 2 : 9;
}
