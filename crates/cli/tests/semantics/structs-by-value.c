// expect: exit 0
struct pair {
    long a;
    double b;
};
struct big {
    int a[20];
};
static struct pair swap(struct pair p) { return (struct pair){(long)p.b, (double)p.a}; }
static struct big add(struct big b, int n) {
    for (int i = 0; i < 20; i++)
        b.a[i] += n;
    return b;
}
int main(void) {
    struct pair p = swap((struct pair){3, 4.0});
    struct big b = {{1}};
    struct big c = add(b, 2);
    return p.a == 4 && p.b == 3.0 && c.a[0] == 3 && c.a[19] == 2 && b.a[0] == 1 ? 0 : 1;
}
