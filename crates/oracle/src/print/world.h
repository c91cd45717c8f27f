#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char **w_words;
static FILE *w_file, *w_notes;
static int w_raw, w_out;

static uint32_t w_get(int from) {
  uint8_t byte = 9;
  long count = read(from, &byte, 1);
  return byte + 256u * (uint32_t)count;
}

static void w_put(int to, uint32_t value) {
  uint8_t byte = (uint8_t)value;
  write(to, &byte, 1);
}

static uint32_t w_back(uint32_t at) {
  uint8_t byte = 9;
  long count = pread(w_out, &byte, 1, at);
  return byte + 256u * (uint32_t)count;
}

static void w_note(uint32_t value) {
  fseek(w_notes, 0, SEEK_END);
  fputc((int)(value & 255), w_notes);
}

static uint32_t w_noted(uint32_t at) {
  fseek(w_notes, at, SEEK_SET);
  return (uint32_t)fgetc(w_notes);
}

static uint32_t w_size(int of) {
  struct stat about;
  return fstat(of, &about) == 0 ? (uint32_t)about.st_size : 99;
}

static uint32_t w_pipe(uint32_t value) {
  int ends[2];
  if (pipe(ends) != 0)
    return 99;
  w_put(ends[1], value);
  uint32_t byte = w_get(ends[0]);
  close(ends[0]);
  close(ends[1]);
  return byte;
}

static void w_say(uint32_t value, int count) {
  char text[2] = {(char)('a' + (value & 7)), (char)('A' + (value >> 3 & 1))};
  write(1, text, (size_t)count);
}
