struct s {
    int a[1000];
    int b;
};
int main(void) {
    struct s *p = 0;
    return p->b; // error: ptr
}
