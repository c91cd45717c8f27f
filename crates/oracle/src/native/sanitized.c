/* Runs the sanitized build on every input that the fast build found free of errors, in this process, and
   compares; and on some inputs that it found erroneous, each in a child whose report is passed on.
   Arguments: the file of digests, then the numbers of the erroneous inputs to try. */
#include "driver.h"
#include <sys/wait.h>

void __sanitizer_set_death_callback(void (*callback)(void));

_Noreturn void rejoin_report_error(const char *file, int line, const char *message, const char *suffix) {
  fprintf(stderr, "reported: %s:%d: %s (%s)\n", file, line, message, suffix);
  abort();
}

static void died(void) {
  fprintf(stderr, "died on input %u\n", current);
}

static void sample(unsigned number) {
  int ends[2];
  if (pipe(ends) != 0)
    exit(3);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    run(number);
    _exit(0);
  }
  close(ends[1]);
  static char report[1 << 16];
  size_t length = 0;
  for (ssize_t n; length < sizeof report && (n = read(ends[0], report + length, sizeof report - length)) > 0;)
    length += (size_t)n;
  close(ends[0]);
  waitpid(child, NULL, 0);
  printf("sample %u %zu ", number, length);
  for (unsigned k = 0; k < result->length; k++)
    printf("%02x", (unsigned char)result->out[k]);
  printf("\n");
  fwrite(report, 1, length, stdout);
  printf("\n");
}

int main(int argc, char **argv) {
  FILE *digests = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!digests)
    return 3;
  start();
  for (int i = 2; i < argc; i++)
    sample((unsigned)atoi(argv[i]));
  fflush(stdout);
  __sanitizer_set_death_callback(died);
  for (unsigned number = 0, end = domain(); number < end; number++) {
    uint64_t expected;
    if (fread(&expected, sizeof expected, 1, digests) != 1)
      return 3;
    if (expected == 1)
      continue;
    run(number);
    uint64_t found = strcmp(result->kind, "dropped") == 0 ? 0 : digest() | 2;
    if (found != expected)
      printf("differs %u\n", number);
  }
  printf("done\n");
  return 0;
}
