// The compiler gives the jump no line.
// expect: error ptr
int main(void) {
    void *volatile target = &&stop;
    target = (char *)target + 8;
    goto *target;
stop:
    return 0;
}
