// Two places move in different directions: each hole of the formula has its own a·k + b.
#include <rejoin.h>
static char s[2 * M];
int main(void) {
  unsigned n;
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, sizeof n, "n");
  rejoin_assume(n <= M);
  unsigned i = 0;
  int balance = 1000;
  while (i < n && s[i] == s[2 * M - 1 - i]) {
    i++;
    balance -= 3;
  }
  if (balance + (int)n > 990) return 1;
  return 0;
}
