// An option parser in the style of getopt: N symbolic arguments of up to L characters; flags can be
// grouped, -o takes a value, -- ends the options. The options select what is done at the end.
#include <klee/klee.h>
#ifndef N
#define N 2
#endif
#ifndef L
#define L 3
#endif
static char args[N][L + 1];
static char *argv[N + 2];
static int argc = N + 1, index_ = 1;
static char *group, *value;
static int next_option(void) {
  if (!group || !*group) {
    if (index_ >= argc || argv[index_][0] != '-' || !argv[index_][1]) return -1;
    if (argv[index_][1] == '-' && !argv[index_][2]) { index_++; return -1; }
    group = argv[index_++] + 1;
  }
  char c = *group++;
  if (c == 'o') {
    if (*group) value = group;
    else if (index_ < argc) value = argv[index_++];
    else return '?';
    group = 0;
    return c;
  }
  return c == 'a' || c == 'v' || c == 'q' ? c : '?';
}
int main(void) {
  int all = 0, verbose = 0, named = 0, c;
  klee_make_symbolic(args, sizeof args, "args");
  argv[0] = "tool";
  for (int i = 0; i < N; i++) { args[i][L] = 0; argv[i + 1] = args[i]; }
  while ((c = next_option()) != -1) {
    switch (c) {
    case 'a': all = 1; break;
    case 'v': verbose++; break;
    case 'q': verbose = 0; break;
    case 'o': named = 1; break;
    default: return 2;
    }
  }
  if (named && !*value) return 1;
  if (verbose > 2) return 3;
  return all ? 4 : index_ == argc ? 5 : 0;
}
