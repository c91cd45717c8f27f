// A ring buffer: N symbolic commands put elements in and take them out again.
#include <rejoin.h>
#ifndef N
#define N 8
#endif
#define SIZE 8

static int ring[SIZE], head, length, lost;

static int enqueue(int value) {
  if (length == SIZE) return 0;
  ring[(head + length) % SIZE] = value;
  length++;
  return 1;
}

static int dequeue(int *value) {
  if (length == 0) return 0;
  *value = ring[head];
  head = (head + 1) % SIZE;
  length--;
  return 1;
}

int main(void) {
  unsigned char c[N];
  rejoin_symbolic(c, N, "c");
  int in = 0, out = 0;
  for (int i = 0; i < N; i++) {
    if (c[i] & 1) {
      if (enqueue(in)) in++;
      else lost++;
    } else {
      int value = -1;
      if (dequeue(&value)) {
        rejoin_assert(value == out);
        out++;
      }
    }
  }
  rejoin_assert(in - out == length);
  return 0;
}
