// Numbers from text: K symbolic strings of up to L characters are read as decimal numbers with sign
// and blanks, as strtol does, and summed up; the sum is checked afterwards.
#include <klee/klee.h>
#ifndef K
#define K 2
#endif
#ifndef L
#define L 4
#endif
static int number(const char *s, long *value) {
  long n = 0;
  int negative = 0, digits = 0;
  while (*s == ' ' || *s == '\t') s++;
  if (*s == '-') { negative = 1; s++; }
  else if (*s == '+') s++;
  for (; *s >= '0' && *s <= '9'; s++) { n = 10 * n + (*s - '0'); digits++; }
  *value = negative ? -n : n;
  return digits > 0 && *s == 0;
}
static char text[K][L + 1];
int main(void) {
  long seconds = 0;
  klee_make_symbolic(text, sizeof text, "text");
  for (int i = 0; i < K; i++) {
    long value;
    text[i][L] = 0;
    if (!number(text[i], &value)) return 1;
    seconds += value;
  }
  if (seconds < 0) return 2;
  return seconds > 100 ? 3 : 0;
}
