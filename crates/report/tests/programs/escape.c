/* Tries to leave the sandbox; each bit of the exit code is one way that worked. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int writable(const char *path, int flags) { return open(path, O_WRONLY | flags, 0600) >= 0; }

int main(int argc, char **argv) {
  int ways = 0;
  if (argc < 3)
    return 128;
  if (writable(argv[1], O_TRUNC))
    ways |= 1;
  if (writable("/var/tmp/rejoin-escape", O_CREAT) || writable("/dev/shm/rejoin-escape", O_CREAT))
    ways |= 2;
  /* This one is its own: the test looks whether it is outside too. */
  writable("/tmp/rejoin-escape", O_CREAT);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[2]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s >= 0 && connect(s, (struct sockaddr *)&to, sizeof to) == 0)
    ways |= 4;
  if (getuid() == 0 || setuid(0) == 0)
    ways |= 8;
  if (open("/etc/shadow", O_RDONLY) >= 0)
    ways |= 16;
  /* Its own directory must work, and its first descriptor be the one a program expects. */
  if (!writable("mine", O_CREAT))
    ways |= 32;
  /* Nobody is out there to be signalled: only this process's own namespace. */
  if (getppid() > 2)
    ways |= 64;
  return ways;
}
