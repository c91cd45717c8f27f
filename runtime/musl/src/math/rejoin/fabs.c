#include <math.h>

double fabs(double x)
{
	return __builtin_fabs(x);
}
