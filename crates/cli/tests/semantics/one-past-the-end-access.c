int a[3];
int main(void) {
    int *end = a + 3;
    return *end; // error: ptr
}
