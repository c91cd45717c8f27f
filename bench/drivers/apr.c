/* apr: strings, file paths, tables and encodings. */
#include "driver.h"
#include <apr_cstr.h>
#include <apr_encode.h>
#include <apr_escape.h>
#include <apr_file_info.h>
#include <apr_fnmatch.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_tables.h>

static apr_pool_t *pool(void) {
  apr_pool_t *it;
  apr_initialize();
  apr_pool_create(&it, NULL);
  return it;
}

DRIVER(strnatcmp) { apr_strnatcmp(string("one"), "a10"); }

DRIVER(strnatcasecmp) { apr_strnatcasecmp(string("one"), "A1.5"); }

DRIVER(cpystrn) {
  char copy[32];
  apr_cpystrn(copy, string("text"), sizeof copy);
}

DRIVER(collapse_spaces) {
  char *s = string("text");
  apr_collapse_spaces(s, s);
}

DRIVER(strtok) {
  char *last, *token = apr_strtok(string("text"), " ,", &last);
  while (token) token = apr_strtok(NULL, " ,", &last);
}

DRIVER(strtoi64) {
  char *end;
  apr_strtoi64(string("text"), &end, 10);
}

DRIVER(pstrdup) { apr_pstrdup(pool(), string("text")); }

DRIVER(pstrcat) { apr_pstrcat(pool(), string("one"), "/", string("other"), NULL); }

DRIVER(tokenize_to_argv) {
  char **words;
  apr_tokenize_to_argv(string("text"), &words, pool());
}

DRIVER(filepath_root) {
  const char *root, *path = string("path");
  apr_filepath_root(&root, &path, 0, pool());
}

DRIVER(filepath_merge) {
  char *path;
  apr_filepath_merge(&path, "/base/of", string("path"), APR_FILEPATH_NOTABOVEROOT, pool());
}

DRIVER(filepath_list_split) {
  apr_array_header_t *elements;
  apr_filepath_list_split(&elements, string("path"), pool());
}

DRIVER(filepath_name_get) { apr_filepath_name_get(string("path")); }

DRIVER(fnmatch) { apr_fnmatch("*.[ch]", string("name"), APR_FNM_PATHNAME); }

DRIVER(fnmatch_pattern) { apr_fnmatch(string("pattern"), "main.c", 0); }

DRIVER(fnmatch_test) { apr_fnmatch_test(string("pattern")); }

DRIVER(table_get) {
  apr_table_t *table = apr_table_make(pool(), 4);
  apr_table_setn(table, "Host", "a");
  apr_table_setn(table, "Accept", "b");
  apr_table_get(table, string("key"));
}

DRIVER(table_set) {
  apr_table_t *table = apr_table_make(pool(), 4);
  apr_table_set(table, "Host", "a");
  apr_table_set(table, string("key"), "b");
}

DRIVER(cstr_casecmp) { apr_cstr_casecmp(string("text"), "Content-Length"); }

DRIVER(cstr_count_newlines) { apr_cstr_count_newlines(string("text")); }

DRIVER(cstr_split) { apr_cstr_split(string("text"), ",", 1, pool()); }

DRIVER(escape_shell) {
  apr_size_t n;
  apr_escape_shell(NULL, string("text"), APR_ESCAPE_STRING, &n);
}

DRIVER(unescape_url) {
  apr_size_t n;
  char *s = string("text");
  apr_unescape_url(s, s, APR_ESCAPE_STRING, "/", NULL, 1, &n);
}

DRIVER(decode_base64) {
  apr_size_t n;
  apr_decode_base64(NULL, string("text"), APR_ENCODE_STRING, 0, &n);
}
