#define _BSD_SOURCE
#include <string.h>

void explicit_bzero(void *d, size_t n)
{
	volatile unsigned char *p = d;
	for (; n; n--) *p++ = 0;
}
