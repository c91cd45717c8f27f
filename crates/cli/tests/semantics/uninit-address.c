// flags: --check-uninit
#include <stdlib.h>
int table[4];
int main(void) {
    int *index = malloc(sizeof *index);
    return table[*index & 3]; // error: uninit
}
