// expect: exit 30
int main(void) {
    static void *const code[] = {&&add, &&add, &&twice, &&add, &&twice, &&stop};
    int i = 0, n = 3;
    goto *code[i];
add:
    n += 4;
    goto *code[++i];
twice:
    n *= 2;
    if (n > 1000)
        goto *code[0];
    goto *code[++i];
stop:
    return n == 52 ? 30 : n;
}
