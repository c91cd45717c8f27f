/* wget: URLs, cookies, host names, listings, and its helpers for strings. */
#include <wget.h>
#include <css-url.h>
#include <cookies.h>
#include <ftp.h>
#include <hash.h>
#include <html-parse.h>
#include <http.h>
#include <res.h>
#include <url.h>
#include <utils.h>
#include "driver.h"

DRIVER(url_parse) {
  int error;
  struct url *url = url_parse(string("url"), &error, NULL, false);
  if (url) url_free(url);
}

DRIVER(url_scheme) { url_scheme(string("url")); }

DRIVER(url_has_scheme) { url_has_scheme(string("url")); }

DRIVER(url_escape) { free(url_escape(string("url"))); }

DRIVER(url_unescape) { url_unescape(string("url")); }

DRIVER(uri_merge) { free(uri_merge("http://a/b/c", string("link"))); }

DRIVER(rewrite_shorthand_url) { free(rewrite_shorthand_url(string("url"))); }

DRIVER(are_urls_equal) { are_urls_equal(string("url"), "/a%20b"); }

DRIVER(http_atotm) { http_atotm(string("date")); }

DRIVER(extract_param) {
  const char *source = string("header");
  param_token name, value;
  while (extract_param(&source, &name, &value, ';', NULL));
}

DRIVER(robots) {
  size_t n = size(1);
  res_parse(bytes(n, "text"), n);
}

DRIVER(is_robots_txt_url) { is_robots_txt_url(string("url")); }

DRIVER(ftp_process_type) { ftp_process_type(string("params")); }

DRIVER(sepstring) { free_vec(sepstring(string("text"))); }

DRIVER(subdir_p) { subdir_p("/a/b", string("directory")); }

DRIVER(file_merge) { free(file_merge("/a/b", string("file"))); }

DRIVER(suffix) { suffix(string("name")); }

DRIVER(match_tail) { match_tail(string("name"), ".html", true); }

DRIVER(has_wildcards_p) { has_wildcards_p(string("name")); }

DRIVER(has_html_suffix_p) { has_html_suffix_p(string("name")); }

DRIVER(xstrdup_lower) { free(xstrdup_lower(string("text"))); }

DRIVER(base64_encode) {
  size_t n = size(1);
  char *text = malloc(capacity * 4 / 3 + 8);
  wget_base64_encode(bytes(n, "data"), n, text);
  free(text);
}

DRIVER(base64_decode) {
  char *data = malloc(capacity);
  wget_base64_decode(string("text"), data, capacity);
  free(data);
}

DRIVER(hash_table_get) {
  struct hash_table *table = make_nocase_string_hash_table(3);
  hash_table_get(table, string("key"));
  hash_table_destroy(table);
}
