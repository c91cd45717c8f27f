/* A parser of "key=value" lines with a mistake: can you see it? Rejoin does.
 *
 *   rejoin run examples/parse.c
 */
#include <rejoin.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_MAX = 4 };

/* Copies the key of `line` into a string of its own; NULL if there is none. */
static char *parse_key(const char *line) {
  char *key = malloc(KEY_MAX);
  int n = 0;
  while (line[n] != '\0' && line[n] != '=') {
    if (n == KEY_MAX) {
      free(key);
      return NULL; /* too long */
    }
    key[n] = line[n];
    n++;
  }
  key[n] = '\0';
  return key;
}

int main(void) {
  char line[6];
  rejoin_symbolic(line, sizeof line, "line");
  rejoin_assume(line[5] == '\0');
  char *key = parse_key(line);
  if (key == NULL)
    return 1;
  if (key[0] == 'v' && key[1] == 'i')
    puts("vi");
  free(key);
  return 0;
}
