/* What it does depends on how much of a file and of standard input is there. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    struct stat st;
    char b[8];
    unsigned char c;
    int lines = 0;
    int fd = open("A", O_RDONLY);
    if (fd < 0 || fstat(fd, &st))
        return 9;
    /* A large file is told by its size alone. */
    if (st.st_size > 2)
        puts("large");
    ssize_t n = read(fd, b, sizeof b);
    if (n != st.st_size || (n > 0) != (st.st_blocks > 0) || lseek(fd, 0, SEEK_END) != n)
        abort();
    if (n == 0)
        puts("empty");
    else if (b[n - 1] != '\n')
        puts("no newline at the end");
    close(fd);
    /* Byte by byte: what comes behind a point is never asked for. */
    while (read(0, &c, 1) == 1 && c != '.')
        if (c == '\n')
            lines++;
    /* Behind what is there. */
    fd = open("A", O_WRONLY | O_APPEND);
    if (fd >= 0 && (write(fd, "!", 1) != 1 || fstat(fd, &st) || st.st_size != n + 1))
        abort();
    return lines;
}
