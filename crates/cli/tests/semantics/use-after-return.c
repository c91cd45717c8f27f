int *f(void) {
    int x = 1;
    int *volatile p = &x;
    return p;
}
int main(void) {
    return *f(); // error: ptr
}
