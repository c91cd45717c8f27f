// Obstacks, whose macros fix the layout.
#define _GNU_SOURCE
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

int main(void) {
  struct obstack o;
  obstack_init(&o);
  char *first = obstack_copy0(&o, "first", 5);
  long sum = 0;
  for (int i = 0; i < 3000; i++)
    obstack_int_grow(&o, i);
  size_t n = obstack_object_size(&o) / sizeof(int);
  int *numbers = obstack_finish(&o);
  for (size_t i = 0; i < n; i++)
    sum += numbers[i];
  printf("%s %zu %ld\n", first, n, sum);
  obstack_printf(&o, "%d-%s", 42, "x");
  obstack_1grow(&o, 0);
  printf("%s\n", (char *)obstack_finish(&o));
  char *large = obstack_alloc(&o, 100000);
  memset(large, 'a', 100000);
  printf("%c %d\n", large[99999], obstack_memory_used(&o) > 100000);
  obstack_free(&o, numbers);
  printf("%s %s\n", first, (char *)obstack_copy0(&o, "again", 5));
  obstack_free(&o, NULL);
  return 0;
}
