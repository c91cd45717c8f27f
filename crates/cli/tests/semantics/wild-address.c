int main(void) {
    return *(int *)0x123456789abcdef0; // error: ptr
}
