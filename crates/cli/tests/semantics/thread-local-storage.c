// libc: musl
// expect: exit 5
static _Thread_local int t = 4;
int main(void) {
    t++;
    return t;
}
