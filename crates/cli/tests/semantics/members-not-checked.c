// Bounds are those of the whole object, as allocated: members of a struct are not apart.
// expect: exit 2
struct {
    int a[2], b[2];
} s = {{0, 0}, {2, 0}};
int main(void) {
    int *p = s.a;
    return p[2];
}
