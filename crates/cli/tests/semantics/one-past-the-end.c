// expect: exit 6
int a[3] = {1, 2, 3};
int main(void) {
    int sum = 0;
    for (int *p = a; p != a + 3; p++)
        sum += *p;
    int *before = a - 1;
    before++;
    return sum + *before - 1;
}
