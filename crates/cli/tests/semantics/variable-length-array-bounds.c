int main(void) {
    volatile int n = 5;
    char a[n];
    a[n] = 1; // error: ptr
    return 0;
}
