// Temporary files: /tmp is the program's own, in the model as in a sandbox.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char name[] = "/tmp/fileXXXXXX", text[4] = "";
    if (argc != 2)
        return 9;
    int fd = mkstemp(name);
    struct stat about;
    if (fd < 0 || write(fd, argv[1], 2) != 2 || lseek(fd, 0, SEEK_SET) != 0 || read(fd, text, 2) != 2)
        return 1;
    if (stat("/tmp", &about) != 0 || (about.st_mode & 07777) != 01777)
        return 2;
    FILE *other = tmpfile();
    if (!other || fputs(text, other) < 0 || fclose(other) != 0)
        return 3;
    if (unlink(name) != 0 || access(name, F_OK) == 0)
        return 4;
    puts(text[0] == 'x' ? "x" : "other");
    return 0;
}
