int main(void) {
    int a[3] = {0};
    int b[3] = {0};
    int *p = a;
    return p[3] + b[0]; // error: ptr
}
