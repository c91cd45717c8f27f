// libc: musl
// expect: exit 3
// expect: stdout 12main765
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor(102))) static void second(void) { printf("2"); }
__attribute__((constructor(101))) static void first(void) { printf("1"); }
__attribute__((destructor(101))) static void last(void) { printf("5"); }
__attribute__((destructor(102))) static void sooner(void) { printf("6"); }
static void soonest(void) { printf("7"); }
int main(void) {
    atexit(soonest);
    printf("main");
    exit(3);
}
