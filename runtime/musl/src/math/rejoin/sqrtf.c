#include <math.h>

float sqrtf(float x)
{
	return __builtin_sqrtf(x);
}
