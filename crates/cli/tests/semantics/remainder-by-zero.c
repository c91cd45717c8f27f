int main(void) {
    volatile unsigned n = 0;
    return 4 % n; // error: div
}
