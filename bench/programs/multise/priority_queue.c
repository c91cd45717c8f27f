// A priority queue as a binary heap of jobs: N symbolic priorities, each job with a function to run.
#include <rejoin.h>
#ifndef N
#define N 5
#endif

struct job {
  unsigned char priority;
  int (*run)(int);
};

static int cheap(int n) { return n + 1; }
static int costly(int n) { return n + 10; }

static struct job heap[N + 1];
static int size;

static void put(struct job job) {
  int at = ++size;
  while (at > 1 && heap[at / 2].priority > job.priority) {
    heap[at] = heap[at / 2];
    at /= 2;
  }
  heap[at] = job;
}

static struct job take(void) {
  struct job least = heap[1], last = heap[size--];
  int at = 1;
  while (2 * at <= size) {
    int child = 2 * at;
    if (child < size && heap[child + 1].priority < heap[child].priority) child++;
    if (last.priority <= heap[child].priority) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return least;
}

int main(void) {
  unsigned char p[N];
  rejoin_symbolic(p, N, "p");
  for (int i = 0; i < N; i++) {
    struct job job = {p[i], p[i] < 128 ? cheap : costly};
    put(job);
  }
  int cost = 0, before = 0;
  while (size > 0) {
    struct job job = take();
    rejoin_assert(job.priority >= before);
    before = job.priority;
    cost = job.run(cost);
  }
  rejoin_assert(cost >= N && cost <= 10 * N);
  return 0;
}
