#include <math.h>

float fmaf(float x, float y, float z)
{
	return __builtin_fmaf(x, y, z);
}
