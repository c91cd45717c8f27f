// A fortified function that sees its destination overflow ends the program.
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  char d[4];
  strcpy(d, argc > 0 ? "too long" : "");
  puts(d);
  return 0;
}
