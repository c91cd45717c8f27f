/* Symbolic arguments, a file and standard input. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc > 1) {
        struct stat st;
        char b[3] = "";
        int fd = open(argv[1], O_RDONLY);
        if (fd < 0) {
            printf("error %d\n", errno);
        } else {
            fstat(fd, &st);
            printf("%s%s%s\n", S_ISREG(st.st_mode) ? "file" : "directory",
                   S_ISREG(st.st_mode) && st.st_mode & 0100 ? " executable" : "",
                   S_ISREG(st.st_mode) && st.st_mtime < 1000 ? " old" : "");
            if (read(fd, b, 3) == 2 && b[0] == 'x')
                puts("x");
        }
    }
    if (getchar() == 'q')
        puts("quit");
    return argc;
}
