// A framed message: a header of three bytes is looked at field by field, then the payload of N bytes
// is summed up with a correction for escaped bytes and compared with the checksum in the header.
#include <klee/klee.h>
#ifndef N
#define N 8
#endif
static unsigned char message[N + 3];
int main(void) {
  unsigned a = 1, b = 0;
  klee_make_symbolic(message, sizeof message, "message");
  if (message[0] != 0x7e) return 1;
  unsigned length = message[1];
  if (length > N) return 2;
  for (unsigned i = 0; i < length; i++) {
    unsigned char c = message[3 + i];
    if (c == 0x7d) { b ^= 0x20; continue; }
    if (c >= 0x80) c -= 0x60;
    a = (a + c) % 251;
    b = (b + a) % 251;
  }
  if ((unsigned char)(a ^ b) != message[2]) return 3;
  return 0;
}
