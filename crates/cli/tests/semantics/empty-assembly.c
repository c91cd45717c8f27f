// expect: exit 4
int main(void) {
    int x = 4;
    __asm__ volatile("" ::: "memory");
    __asm__("" : "+r"(x));
    __asm__("# only a comment\n\tnop # and another" : "+r"(x));
    return x;
}
