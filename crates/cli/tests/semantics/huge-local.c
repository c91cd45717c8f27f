int main(void) {
    volatile unsigned long n = 1ul << 40;
    char a[n]; // error: stack
    a[0] = 1;
    return a[0];
}
