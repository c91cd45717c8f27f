/* Prints its arguments, its standard input and the file A. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char text[100];
  for (int i = 0; i < argc; i++)
    printf("%s\n", isprint((unsigned char)argv[i][0]) ? argv[i] : "?");
  ssize_t n = read(0, text, sizeof text);
  printf("stdin %.*s\n", (int)n, text);
  int fd = open("A", O_RDWR);
  n = read(fd, text, sizeof text);
  printf("A %.*s fd %d\n", (int)n, text, fd);
  return write(fd, "more", 4) == 4 ? 0 : 1;
}
