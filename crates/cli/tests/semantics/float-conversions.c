// expect: exit 0
int main(void) {
    volatile double d = -3.99, big = 1e30, nan = __builtin_nan("");
    volatile unsigned long u = 0xffffffffffffffff;
    volatile float f = (float)u;
    if ((int)d != -3 || f != 18446744073709551616.0f || (float)16777217 != 16777216.0f)
        return 1;
    if (nan == nan || nan < 1 || !(nan != nan) || !__builtin_isnan(nan))
        return 2;
    return (__int128)big / 1000000000000000000 == 1000000000000 ? 0 : 3;
}
