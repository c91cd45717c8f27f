/* Runs a program of which `main` is called `tool_main` with every block of the heap, and every word of the command
   line, at the end of a page that nothing may be read behind. What reads or writes past the end of a block dies. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

int tool_main(int argc, char **argv);

/* Pages with the size and the block at their end, and one that nobody may touch. */
void *malloc(size_t size) {
  size_t pages = 1 + size / PAGE + 1;
  char *at = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return NULL;
  mprotect(at + pages * PAGE, PAGE, PROT_NONE);
  char *block = at + pages * PAGE - size;
  memcpy(block - sizeof size, &size, sizeof size);
  return block;
}

static size_t size_of(const char *block) {
  size_t size;
  memcpy(&size, block - sizeof size, sizeof size);
  return size;
}

void *realloc(void *old, size_t size) {
  void *new = malloc(size);
  if (new && old) {
    size_t had = size_of(old);
    memcpy(new, old, had < size ? had : size);
  }
  return new;
}

void *calloc(size_t count, size_t size) { return malloc(count * size); }

void free(void *block) { (void)block; }

int main(int argc, char **argv) {
  char *words[argc + 1];
  for (int i = 0; i < argc; i++)
    words[i] = strcpy(malloc(strlen(argv[i]) + 1), argv[i]);
  words[argc] = NULL;
  return tool_main(argc, words);
}
