// expect: exit 3
#include <stdint.h>
char bytes[9] = {0, 3};
int main(void) {
    return (int)*(int64_t *)(bytes + 1);
}
