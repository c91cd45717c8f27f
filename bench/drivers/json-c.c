/* json-c: the tokener, pointers, and what turns strings and numbers into text. */
#include "driver.h"
#include <json.h>
#include <json_util.h>
#include <printbuf.h>

DRIVER(tokener) {
  struct json_tokener *tokener = json_tokener_new();
  size_t n = size(1);
  json_object_put(json_tokener_parse_ex(tokener, bytes(n, "text"), n));
  json_tokener_free(tokener);
}

DRIVER(tokener_strict) {
  struct json_tokener *tokener = json_tokener_new();
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
  json_object_put(json_tokener_parse_ex(tokener, string("text"), -1));
  json_tokener_free(tokener);
}

DRIVER(string_to_json) {
  struct json_object *it = json_object_new_string(string("text"));
  json_object_to_json_string_ext(it, JSON_C_TO_STRING_PLAIN);
  json_object_put(it);
}

DRIVER(string_compare) {
  struct json_object *one = json_object_new_string(string("one")), *other = json_object_new_string(string("other"));
  json_object_equal(one, other);
  json_object_put(one);
  json_object_put(other);
}

DRIVER(string_get_int) {
  struct json_object *it = json_object_new_string(string("text"));
  json_object_get_int(it);
  json_object_put(it);
}

DRIVER(string_set) {
  struct json_object *it = json_object_new_string("before");
  json_object_set_string(it, string("text"));
  json_object_get_string_len(it);
  json_object_put(it);
}

DRIVER(object_get) {
  struct json_object *it = json_object_new_object(), *value;
  json_object_object_add(it, "name", json_object_new_int(1));
  json_object_object_get_ex(it, string("key"), &value);
  json_object_put(it);
}

DRIVER(pointer_get) {
  struct json_object *it = json_object_new_object(), *value;
  json_object_object_add(it, "a", json_object_new_array());
  json_pointer_get(it, string("path"), &value);
  json_object_put(it);
}

DRIVER(parse_int64) {
  int64_t value;
  json_parse_int64(string("text"), &value);
}

DRIVER(printbuf) {
  struct printbuf *buffer = printbuf_new();
  size_t n = size(1);
  printbuf_memappend(buffer, bytes(n, "text"), n);
  printbuf_memappend(buffer, "end", 3);
  printbuf_free(buffer);
}
