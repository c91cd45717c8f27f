// expect: exit 0
#include <stdarg.h>
struct small {
    int a, b;
};
struct large {
    long a[5];
};
struct floats {
    double a, b;
};
static int sum(int n, ...) {
    va_list list, again;
    va_start(list, n);
    va_copy(again, list);
    int total = 0;
    for (int i = 0; i < n; i++)
        total += va_arg(list, int);
    total += (int)va_arg(list, double);
    total += (int)va_arg(list, long double);
    struct small s = va_arg(list, struct small);
    struct large l = va_arg(list, struct large);
    struct floats f = va_arg(list, struct floats);
    total += s.a + s.b + (int)l.a[4] + (int)(f.a + f.b);
    total += (int)va_arg(list, __int128);
    total += va_arg(list, char *)[0];
    va_end(list);
    total -= va_arg(again, int);
    va_end(again);
    return total;
}
int main(void) {
    struct small s = {7, 8};
    struct large l = {{0, 0, 0, 0, 9}};
    struct floats f = {1.5, 2.5};
    int total = sum(8, 1, 2, 3, 4, 5, 6, 7, 8, 10.25, 20.5L, s, l, f, (__int128)5, "\1");
    return total == 36 + 10 + 20 + 15 + 9 + 4 + 5 + 1 - 1 ? 0 : 1;
}
