// expect: exit 0
int main(void) {
    volatile unsigned x = 0x00f0a001;
    volatile unsigned long y = 0x0102030405060708;
    if (__builtin_popcount(x) != 7 || __builtin_clz(x) != 8 || __builtin_ctzl(y) != 3)
        return 1;
    if (__builtin_bswap64(y) != 0x0807060504030201 || __builtin_bitreverse8(0x13) != 0xc8)
        return 2;
    if (__builtin_rotateleft32(x, 12) != 0x0a00100f || __builtin_rotateright8(1, 1) != 0x80)
        return 3;
    if (__builtin_parity(x) != 1 || __builtin_ffs(0) != 0 || __builtin_abs(-5) != 5)
        return 4;
    return 0;
}
