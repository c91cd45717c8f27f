/* libpng: the simplified reader, single chunks, and helpers on keywords and rows. */
#include "driver.h"
#include <pngpriv.h>

DRIVER(sig_cmp) {
  size_t n = size(1);
  png_sig_cmp(bytes(n, "signature"), 0, n);
}

DRIVER(check_keyword) {
  png_byte key[80];
  png_struct png = {0};
  png.flags = PNG_FLAG_BENIGN_ERRORS_WARN;
  png_check_keyword(&png, string("key"), key);
}

DRIVER(check_fp_number) {
  size_t n = size(1), where = 0;
  int state = 0;
  png_check_fp_number(bytes(n, "number"), n, &state, &where);
}

DRIVER(check_fp_string) {
  size_t n = size(1);
  png_check_fp_string(bytes(n, "number"), n);
}

DRIVER(do_invert) {
  png_row_info row = {.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 8, .channels = 1, .pixel_depth = 8};
  row.width = row.rowbytes = size(1);
  png_do_invert(&row, bytes(row.rowbytes, "row"));
}

DRIVER(do_swap) {
  png_row_info row = {.color_type = PNG_COLOR_TYPE_GRAY, .bit_depth = 16, .channels = 1, .pixel_depth = 16};
  row.width = size(2) / 2;
  row.rowbytes = row.width * 2;
  png_do_swap(&row, bytes(row.rowbytes, "row"));
}

DRIVER(do_strip_channel) {
  png_row_info row = {.color_type = PNG_COLOR_TYPE_GRAY_ALPHA, .bit_depth = 8, .channels = 2, .pixel_depth = 16};
  row.width = size(2) / 2;
  row.rowbytes = row.width * 2;
  png_do_strip_channel(&row, bytes(row.rowbytes, "row"), 0);
}

DRIVER(image_begin_read) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  size_t n = size(1);
  png_image_begin_read_from_memory(&image, bytes(n, "file"), n);
  png_image_free(&image);
}
