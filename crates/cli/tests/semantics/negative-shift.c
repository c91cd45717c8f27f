int main(void) {
    volatile int n = -1;
    return 1 >> n; // error: overshift
}
