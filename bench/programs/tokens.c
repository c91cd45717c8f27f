// A tokenizer: N symbolic characters are cut into words, numbers, strings and operators; only the
// number of tokens of each kind is kept.
#include <klee/klee.h>
#ifndef N
#define N 5
#endif
static char text[N + 1];
static int words, numbers, strings, operators;
static int letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
static int digit(char c) { return c >= '0' && c <= '9'; }
int main(void) {
  const char *s = text;
  klee_make_symbolic(text, sizeof text, "text");
  text[N] = 0;
  while (*s) {
    if (*s == ' ') { s++; continue; }
    if (letter(*s)) {
      while (letter(*s) || digit(*s)) s++;
      words++;
    } else if (digit(*s)) {
      while (digit(*s)) s++;
      numbers++;
    } else if (*s == '"') {
      do s++; while (*s && *s != '"');
      if (!*s) return 1;
      s++;
      strings++;
    } else {
      if (s[0] == '=' && s[1] == '=') s++;
      s++;
      operators++;
    }
  }
  return words > 0 && operators == 0 ? 2 : 0;
}
