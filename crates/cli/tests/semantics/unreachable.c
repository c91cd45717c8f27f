int main(void) {
    __builtin_unreachable(); // error: unreachable_call
}
