// Random bytes are the same in replay as in the model.
#include <stdio.h>
#include <sys/random.h>

int main(void) {
    unsigned char bytes[6];
    if (getrandom(bytes, 6, 0) != 6 || getrandom(bytes, 1, 8) != -1)
        return 1;
    printf("%02x%02x", bytes[0], bytes[5]);
    if (getrandom(bytes, 3, GRND_NONBLOCK) != 3)
        return 2;
    printf("%02x%02x\n", bytes[1], bytes[2]);
    return 0;
}
