int data[4];
int main(void) {
    int (*f)(void) = (int (*)(void))(void *)data;
    return f(); // error: ptr
}
