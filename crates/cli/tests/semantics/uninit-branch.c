// flags: --check-uninit
int main(void) {
    int cells[2];
    cells[0] = 1;
    if (cells[1] == 7) // error: uninit
        return 1;
    return 0;
}
