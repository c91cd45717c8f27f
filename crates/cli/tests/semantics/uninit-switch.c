// flags: --check-uninit
int main(void) {
    int local;
    switch (local) { // error: uninit
    case 1:
        return 1;
    default:
        return 0;
    }
}
