#include <math.h>

float floorf(float x)
{
	return __builtin_floorf(x);
}
