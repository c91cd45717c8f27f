// A repetition within a repetition: rows i < n, and in each of them columns j < m.
#include <rejoin.h>
static char s[M * M];
int main(void) {
  unsigned char n, m;
  rejoin_symbolic(s, sizeof s, "s");
  rejoin_symbolic(&n, 1, "n");
  rejoin_symbolic(&m, 1, "m");
  rejoin_assume(n <= M && m <= M);
  unsigned i, j = 0;
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      if (s[i * M + j] != 'a') goto end;
end:
  if (2 * i + j > 9) return 1;
  return 0;
}
