// flags: --cflags -fsanitize=undefined
#include <stdbool.h>
int main(void) {
    bool b;
    *(volatile char *)&b = 2;
    return b; // error: invalid_load
}
