// More arguments are read than were given.
#include <stdarg.h>
static int f(int n, ...) {
    va_list list;
    va_start(list, n);
    int total = 0;
    for (int i = 0; i <= n; i++)
        total += va_arg(list, int); // error: ptr
    va_end(list);
    return total;
}
int main(void) {
    return f(2, 1, 2);
}
