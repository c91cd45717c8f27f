// packet.c with few paths.
#define SIZE 1
#include "packet.c"
