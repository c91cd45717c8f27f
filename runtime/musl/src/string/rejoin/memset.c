#include <string.h>

/* Without the shortcuts for small sizes, each of which is a branch on n. */
void *memset(void *d, int c, size_t n)
{
	unsigned char *p = d;
	for (; n; n--) *p++ = c;
	return d;
}
