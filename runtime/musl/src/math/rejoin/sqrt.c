#include <math.h>

double sqrt(double x)
{
	return __builtin_sqrt(x);
}
