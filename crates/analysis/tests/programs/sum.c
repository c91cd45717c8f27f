/* A parser by recursive descent, its position in a global. */
static const char *p;
static int sum(void);

static int atom(void) {
  if (*p == '(') {
    p++;
    int v = sum();
    if (*p == ')') p++;
    return v;
  }
  int v = 0;
  while (*p >= '0' && *p <= '9') v = v * 10 + (*p++ - '0');
  return v;
}

static int sum(void) {
  int v = atom();
  while (*p == '+') {
    p++;
    v += atom();
  }
  return v;
}

int main(int argc, char **argv) {
  p = argv[1];
  return sum() == argc;
}
