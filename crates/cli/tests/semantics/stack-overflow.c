int f(int n) {
    volatile int x = n;
    return x ? f(x + 1) + 1 : 0; // error: stack
}
int main(void) {
    return f(1);
}
