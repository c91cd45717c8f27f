// args: one 22
// expect: exit 26
int main(int argc, char **argv) {
    if (argv[argc])
        return 1;
    return argc + (argv[1][0] == 'o') + (argv[2][0] - '0') * 10 + (argv[2][1] - '0') + !argv[1][3] - 1;
}
