// The shape of echo, figure 1 of PLDI'12: one path skips the first iteration and differs in `r`,
// which is used at the very end only.
#include <klee/klee.h>

#define N 8
static unsigned short text;

int main(void) {
  int r = 1, arg = 1, seen = 0;
  klee_make_symbolic(&text, sizeof text, "text");
  if (text & 1) {
    r = 0;
    arg++;
  }
  for (; arg < N; arg++)
    if (text >> arg & 1)
      seen = 1;
  return r ? 2 + seen : seen;
}
