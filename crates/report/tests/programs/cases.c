/* One way to end per value of `which`; lines are found by their markers. */
#include <assert.h>
#include <klee/klee.h>
#include <pthread.h>
#include <rejoin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char constant[] = "constant";
static volatile int sink;
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int deeper(int n) {
  volatile char frame[1000];
  frame[n % 1000] = (char)n;
  return n < 0 ? 0 : deeper(n + 1) + frame[0]; /* @stack */
}

static int divide(int a, int b) {
  return a / b; /* @div */
}

int main(int argc, char **argv) {
  unsigned char which, index;
  klee_make_symbolic(&which, sizeof which, "which");
  klee_make_symbolic(&index, sizeof index, "index");
  printf("case %d\n", which);
  char *heap = malloc(10);
  char local[4] = {0};
  volatile int shift = index, *null = NULL;
  int pick;
  memset(heap, 0, 10);
  switch (which) {
  case 0:
    return index;
  case 1:
    heap[index] = 1; /* @heap */
    break;
  case 2:
    sink = local[index]; /* @local */
    break;
  case 3:
    *null = 1; /* @null */
    break;
  case 4:
    free(heap);
    sink = heap[1]; /* @after-free */
    break;
  case 5:
    free(heap);
    free(heap); /* @double-free */
    break;
  case 6:
    *(volatile char *)constant = 'x'; /* @read-only */
    break;
  case 7:
    fflush(stdout);
    abort(); /* @abort */
  case 8:
    assert(index == 0); /* @assert */
    break;
  case 9:
    sink = divide(1, index);
    break;
  case 10:
    sink = 1 << shift; /* @overshift */
    break;
  case 11:
    sink = 2147483647 + shift; /* @overflow */
    break;
  case 12:
    klee_report_error(__FILE__, __LINE__, "my own", "mine.err"); /* @report */
  case 13:
    sink = deeper(0);
    break;
  case 14:
    rejoin_assert(index > 9); /* @rejoin-assert */
    break;
  case 15:
    reach_error(); /* @reach */
    break;
  case 16:
    klee_assume(index > 9); /* @assume */
    break;
  case 17:
    for (;;)
      sink++;
  case 18:
    for (size_t n = 1;; n++) { /* a memory hog */
      char *more = malloc(1 << 20);
      if (!more)
        return 33;
      memset(more, (int)n, 1 << 20);
    }
  case 19:
    heap = NULL; /* @leak */
    break;
  case 20:
    pick = klee_range(3, 9, "pick") + __VERIFIER_nondet_int() + klee_int("pick");
    printf("%d %s\n", pick, argc > 1 ? argv[1] : "-");
    return pick;
  case 21:
    _exit(139); /* looks like a fault to a shell */
  case 22:
    raise(SIGKILL);
  case 23: {
    char *uninitialised = malloc(4);
    if (uninitialised[index]) /* @uninit */
      return 1;
    break;
  }
  }
  return 0;
}
