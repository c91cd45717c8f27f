// Answers requests on standard input: the number of an operation and three operands, 16 bytes each;
// the answer has 16 bytes. The operations are in operations.ll.

#include <stdio.h>
#include <string.h>

#define OP(n) void op##n(const void *in, void *out);
#include "table.h"
#undef OP

static void (*const table[])(const void *, void *) = {
#define OP(n) op##n,
#include "table.h"
};

// Older versions of libgcc have no bfloat.
__attribute__((weak)) __bf16 __truncsfbf2(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  if (x != x)
    bits |= 1u << 22;
  else
    bits += 0x7fff + (bits >> 16 & 1);
  unsigned short top = bits >> 16;
  __bf16 result;
  memcpy(&result, &top, 2);
  return result;
}

int main(void) {
  struct {
    unsigned long long operation, unused;
    _Alignas(16) unsigned char operands[48];
  } request;
  while (fread(&request, sizeof request, 1, stdin) == 1) {
    _Alignas(16) unsigned char answer[16] = {0};
    table[request.operation](request.operands, answer);
    fwrite(answer, sizeof answer, 1, stdout);
  }
  return 0;
}
