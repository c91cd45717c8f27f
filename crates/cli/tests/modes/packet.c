// Figure 2 of PLDI'12: merging in topological order has to finish compute_hash before anything
// reaches handle_packet.
#include <klee/klee.h>

#ifndef SIZE
#define SIZE 256
#endif
static unsigned char packet[SIZE];
static unsigned hash;

static unsigned compute_hash(void) {
  unsigned h = 5381;
  for (int i = 0; i < SIZE; i++) {
    if (packet[i] & 1)
      h = 33 * h + packet[i];
    else
      h ^= packet[i];
  }
  return h;
}

static int handle_packet(void) {
  switch (packet[0]) {
  case 'a':
    return 1;
  case 'b':
    return 2;
  default:
    return 3;
  }
}

int main(void) {
  unsigned char log_hash;
  klee_make_symbolic(packet, sizeof packet, "packet");
  klee_make_symbolic(&log_hash, 1, "log_hash");
  if (log_hash)
    hash = compute_hash();
  return handle_packet();
}
