/* glibc's regexec: its offsets have 32 bits, musl's have 64. */
#include <regex.h>
#include <stdlib.h>

int __rejoin_gnu_regexec(const regex_t *regex, const char *string, size_t n, int (*found)[2], int flags) {
  size_t groups = regex->re_nsub + 1 < n ? regex->re_nsub + 1 : n;
  regmatch_t *wide = calloc(groups + 1, sizeof *wide);
  if (!wide)
    return REG_ESPACE;
  /* After REG_NOSUB it stays. */
  wide[0].rm_so = -2;
  int result = regexec(regex, string, groups, wide, flags);
  for (size_t i = 0; result == 0 && wide[0].rm_so != -2 && i < n; i++) {
    found[i][0] = i < groups ? (int)wide[i].rm_so : -1;
    found[i][1] = i < groups ? (int)wide[i].rm_eo : -1;
  }
  free(wide);
  return result;
}
