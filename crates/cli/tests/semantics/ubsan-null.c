// flags: --cflags -fsanitize=undefined
int main(void) {
    int *volatile p = 0;
    return *p; // error: ptr
}
