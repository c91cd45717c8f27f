// expect: exit 0
int main(void) {
    int *last = 0, total = 0;
    for (int n = 1; n < 5; n++) {
        int a[n][n];
        a[n - 1][n - 1] = n;
        total += a[n - 1][n - 1] + (int)(sizeof a / sizeof a[0][0]);
        last = &a[0][0];
    }
    char *p = __builtin_alloca(total);
    p[total - 1] = 1;
    return last && total == 10 + 30 && p[39] == 1 ? 0 : 1;
}
