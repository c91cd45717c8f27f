// Throws what it is given; only 1 is caught.
#include <iostream>
#include <klee/klee.h>
#include <string>

int main() {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  try {
    if (x == 1)
      throw 1;
    throw std::string("two"); /* @uncaught */
  } catch (int caught) {
    std::cout << "caught " << caught << std::endl;
    return 3;
  }
}
