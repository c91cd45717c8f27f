/* Prints things that every C library has to print alike. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int ctor_ran;
__attribute__((constructor)) static void ctor(void) { ctor_ran = 1; }
static void at_exit(void) { puts("atexit"); }
static _Thread_local int unused_tls = 7;

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) printf("argv[%d] = %s\n", i, argv[i]);
    printf("constructor %d, thread-local %d\n", ctor_ran, unused_tls);
    atexit(at_exit);

    printf("%d %5d|%-5d|%05d %u %x %#o %c %s %.3s %%\n", -42, 42, 42, 42, 4000000000u, 0xbeefu, 8, 'x', "str", "truncated");
    printf("%ld %lld %zu %hhd %jd\n", -1L, LLONG_MIN, sizeof(long), (signed char)-1, (intmax_t)INT64_MAX);
    printf("%f %.17g %e %a %g\n", 3.14159, 0.1, 1e300, 1.0, 1e-5);
    printf("%Lf %.20Lg %Le\n", 2.5L, 0.1L, 1e-4000L);
    printf("%f %f %F\n", INFINITY, -0.0, -INFINITY);

    int v[] = {5, -3, 99, 0, 42, -3, 7};
    qsort(v, sizeof v / sizeof *v, sizeof *v, by_value);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) printf("%d ", v[i]);
    int key = 42;
    printf("found at %td\n", (int *)bsearch(&key, v, sizeof v / sizeof *v, sizeof *v, by_value) - v);

    char *end;
    printf("%ld ", strtol("  -0x1fz", &end, 0));
    printf("%s ", end);
    errno = 0;
    printf("%ld %d ", strtol("99999999999999999999", NULL, 10), errno == ERANGE);
    printf("%.17g %s ", strtod("1.7976931348623157e308rest", &end), end);
    printf("%.17g %.17g %Lg\n", strtod("0x1.8p1", NULL), strtod("4.9e-324", NULL), strtold("1e4931", NULL));

    printf("%.17g %.17g %.9g %.20Lg\n", sqrt(2), fabs(-1.5), sqrtf(3), sqrtl(2));
    volatile double x = -2.5, y = 1e16;
    printf("%g %g %g %g %.17g %g\n", floor(x), ceil(x), trunc(x), rint(x), fma(y, y, -1), fmod(x, 2));
    printf("%.10f %.10f %.10f %.10f\n", sin(1), exp(1), log(2), pow(2, 0.5));

    char buffer[64];
    memset(buffer, '-', sizeof buffer);
    buffer[63] = 0;
    memmove(buffer + 2, buffer, 10);
    strcpy(buffer, "hello");
    strncat(buffer, ", world", 3);
    printf("%s %zu %s %s %d\n", buffer, strlen(buffer), strchr(buffer, 'l'), strstr("haystack", "st"), strcmp("a", "b") < 0);
    printf("%zu %zu %d\n", strspn("aabbc", "ab"), strcspn("xyz,", ","), memcmp("abc", "abd", 3) < 0);
    char *copy = strdup("a:b::c"), *save, *token;
    for (token = strtok_r(copy, ":", &save); token; token = strtok_r(NULL, ":", &save)) printf("[%s]", token);
    free(copy);
    printf(" %d %d\n", isalpha('z') != 0, toupper('q'));

    int a = 0;
    char word[16] = "";
    double d = 0;
    int n = scanf("%d %15s %lf", &a, word, &d);
    printf("scanf %d: %d %s %g\n", n, a, word, d);
    printf("%d %d %d\n", sscanf("7,8", "%d,%d", &a, &n), a, n);

    char *grown = malloc(3);
    grown = realloc(grown, 100);
    snprintf(grown, 100, "%s %ls", "wide", L"string");
    puts(grown);
    free(grown);
    int *zero = calloc(10, sizeof *zero);
    printf("%d %s\n", zero[9], strerror(ENOENT));
    free(zero);
    FILE *f = fopen("/nonexistent", "r");
    printf("%d %d\n", f == NULL, errno == ENOENT);
    return 0;
}
