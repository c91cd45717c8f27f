int main(void) {
    int *p = 0;
    *p = 1; // error: ptr
    return 0;
}
