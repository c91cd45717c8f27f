/* operator new and delete, for native executables; the engine has its own. */
#include <stdlib.h>

void *_Znwm(size_t n) {
  void *p = malloc(n ? n : 1);
  if (!p)
    abort();
  return p;
}
void *_Znam(size_t n) { return _Znwm(n); }
void _ZdlPv(void *p) { free(p); }
void _ZdaPv(void *p) { free(p); }
void _ZdlPvm(void *p, size_t n) { (void)n, free(p); }
void _ZdaPvm(void *p, size_t n) { (void)n, free(p); }
