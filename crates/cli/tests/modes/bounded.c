// A bug in the fifth iteration, for bounded model checking.
#include <klee/klee.h>

int main(void) {
  unsigned char bits;
  unsigned sum = 0;
  klee_make_symbolic(&bits, 1, "bits");
  for (int i = 0; i < 8; i++) {
    if (bits >> i & 1)
      sum += 2;
    else
      sum += 1;
    if (sum == 10)
      klee_report_error(__FILE__, __LINE__, "ten", "user.err");
  }
  return 0;
}
