// expect: exit 0
// expect: exit 1
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    unsigned char c = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(x > 10);
    if (x < 5)
        return 2;
    if (x == 11 && c == 3)
        reach_error(); // error: assert
    if (__VERIFIER_nondet_bool())
        return 1;
    return 0;
}
