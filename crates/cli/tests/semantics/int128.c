// expect: exit 0
typedef unsigned __int128 u128;
int main(void) {
    volatile u128 a = (u128)0x0123456789abcdef << 64 | 0xfedcba9876543210, b = 1000000007;
    u128 q = a / b, r = a % b;
    if (q * b + r != a || r >= b)
        return 1;
    __int128 s = -(__int128)(a >> 1);
    if ((s >> 100) != -((__int128)(a >> 101)) - 1 && (s >> 127) != -1)
        return 2;
    if ((unsigned long)(a >> 64) != 0x0123456789abcdef)
        return 3;
    return (a ^ a << 3) >> 125 == 0 ? 0 : 4;
}
