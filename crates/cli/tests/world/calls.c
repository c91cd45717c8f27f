/* Files, pipes, signals, directories and streams, with symbolic bytes passing through them. */
#include <dirent.h>
#include <fcntl.h>
#include <rejoin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void handler(int signal) { caught += signal; }

int main(int argc, char **argv) {
    char in[4], out[4];
    rejoin_symbolic(in, sizeof in, "in");
    FILE *f = fopen("x", "w+");
    if (!f || fwrite(in, 1, 4, f) != 4 || fflush(f))
        return 1;
    rewind(f);
    if (fread(out, 1, 4, f) != 4 || memcmp(in, out, 4))
        return 2;
    char *mapped = mmap(0, 4, PROT_READ, MAP_PRIVATE, fileno(f), 0);
    if (mapped == MAP_FAILED || mapped[1] != in[1] || munmap(mapped, 4))
        return 3;
    fclose(f);

    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    raise(SIGUSR1);
    if (caught != 2 * SIGUSR1)
        return 4;

    int ends[2];
    if (pipe(ends) || write(ends[1], in + 2, 2) != 2 || read(ends[0], out, 4) != 2 || out[1] != in[3])
        return 5;

    struct stat st;
    if (stat("x", &st) || stat("y", &st) == 0)
        return 6;
    DIR *here = opendir(".");
    struct dirent *entry;
    while ((entry = readdir(here)))
        if (entry->d_name[0] != '.')
            printf("%s\n", entry->d_name);
    char cwd[100], line[100];
    printf("%s %ld %d %s\n", getcwd(cwd, 100), (long)st.st_size, argc, getenv("PATH"));
    while (fgets(line, sizeof line, stdin))
        fputs(line, stdout);
    fwrite(in, 1, 1, stdout);
    return in[0] == 'x' ? 10 : 11;
}
