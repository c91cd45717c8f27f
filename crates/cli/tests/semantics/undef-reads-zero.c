// expect: exit 0
int main(void) {
    int never_set;
    return never_set;
}
