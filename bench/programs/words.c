// Words of up to N bytes, counted with strtok, snprintf, a copy of variable length and function pointers: 2^(N+1)-1 cheap
// paths, where merging loses.
#include <rejoin.h>
#include <stdio.h>
#include <string.h>
#ifndef N
#define N 10
#endif
static int up(int x) { return x + 1; }
static int down(int x) { return x - 1; }
int main(void) {
  char t[N + 1];
  rejoin_symbolic(t, sizeof t, "t");
  rejoin_assume(t[N] == 0);
  int (*f[2])(int) = {up, down};
  int total = 0;
  for (char *p = strtok(t, " ,"); p; p = strtok(NULL, " ,")) {
    size_t len = strlen(p);
    char copy[len + 1];
    memcpy(copy, p, len + 1);
    char out[16];
    int w = snprintf(out, sizeof out, "%zu:%s", len, copy);
    total += f[len & 1](w) + (out[0] == '2');
  }
  return total & 63;
}
