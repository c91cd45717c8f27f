// flags: --check-uninit
#include <stdlib.h>
int main(void) {
    void **slot = malloc(sizeof *slot);
    free(*slot); // error: uninit
    return 0;
}
