// expect: exit 0
struct {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 40;
} s;
int main(void) {
    s.a = 9;
    s.b = -3;
    s.c = 0xffffffffffu;
    s.c += 2;
    return s.a == 1 && s.b == -3 && s.c == 1 ? 0 : 1;
}
