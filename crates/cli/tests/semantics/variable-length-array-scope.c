// Such an array dies at the end of its block.
int main(void) {
    char *p;
    for (volatile int n = 1; n < 2; n++) {
        char a[n];
        a[0] = 1;
        p = a;
    }
    return *p; // error: ptr
}
