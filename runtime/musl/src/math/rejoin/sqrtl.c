#include <math.h>

long double sqrtl(long double x)
{
	return __builtin_sqrtl(x);
}
