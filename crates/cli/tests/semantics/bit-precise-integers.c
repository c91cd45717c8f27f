// expect: exit 0
int main(void) {
    volatile unsigned _BitInt(37) a = 137438953471uwb;
    volatile _BitInt(100) b = -3;
    a = a + 2;
    return a == 1 && b * b * b == -27 && (b >> 99) == -1 ? 0 : 1;
}
