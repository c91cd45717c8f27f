// A local lives until its function returns, not only to the end of its block.
// expect: exit 4
int main(void) {
    int *p;
    {
        int x = 4;
        p = &x;
    }
    return *p;
}
