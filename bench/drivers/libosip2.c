/* libosip2: the parsers of SIP headers, URIs and messages, and its helpers for strings. */
#include "driver.h"
#include <osipparser2/osip_message.h>
#include <osipparser2/osip_parser.h>
#include <osipparser2/osip_port.h>
#include <osipparser2/osip_uri.h>
#include <osipparser2/sdp_message.h>
#include "parser.h"

/* A parser with the usual three functions: make, parse, destroy. */
#define PARSER(name)                                                                                 \
  DRIVER(name) {                                                                                    \
    osip_##name##_t *it;                                                                             \
    if (osip_##name##_init(&it) != 0) return;                                                        \
    osip_##name##_parse(it, string("text"));                                                         \
    osip_##name##_free(it);                                                                          \
  }

PARSER(accept_encoding)
PARSER(authentication_info)
PARSER(authorization)
PARSER(call_id)
PARSER(call_info)
PARSER(contact)
PARSER(content_disposition)
PARSER(content_length)
PARSER(content_type)
PARSER(cseq)
PARSER(from)
PARSER(record_route)
PARSER(uri)
PARSER(via)
PARSER(www_authenticate)

DRIVER(uri_params) {
  osip_uri_t *uri;
  if (osip_uri_init(&uri) != 0) return;
  osip_uri_parse_params(uri, string("text"));
  osip_uri_free(uri);
}

DRIVER(uri_headers) {
  osip_uri_t *uri;
  if (osip_uri_init(&uri) != 0) return;
  osip_uri_parse_headers(uri, string("text"));
  osip_uri_free(uri);
}

DRIVER(uri_unescape) { __osip_uri_unescape(string("text")); }

DRIVER(uri_escape) { free(__osip_uri_escape_userinfo(string("text"))); }

DRIVER(generic_params) {
  osip_list_t list;
  osip_list_init(&list);
  __osip_generic_param_parseall(&list, string("text"));
  osip_generic_param_freelist(&list);
}

DRIVER(message) {
  osip_message_t *message;
  parser_init();
  if (osip_message_init(&message) != 0) return;
  size_t n = size(1);
  osip_message_parse(message, bytes(n, "text"), n);
  osip_message_free(message);
}

DRIVER(header_known) {
  parser_init();
  __osip_message_is_known_header(string("text"));
}

DRIVER(body) {
  osip_body_t *body;
  if (osip_body_init(&body) != 0) return;
  size_t n = size(1);
  osip_body_parse(body, bytes(n, "text"), n);
  osip_body_free(body);
}

DRIVER(sdp) {
  sdp_message_t *sdp;
  if (sdp_message_init(&sdp) != 0) return;
  sdp_message_parse(sdp, string("text"));
  sdp_message_free(sdp);
}

DRIVER(next_crlf) {
  const char *end;
  __osip_find_next_crlf(string("text"), &end);
}

DRIVER(next_crlfcrlf) {
  const char *end;
  __osip_find_next_crlfcrlf(string("text"), &end);
}

DRIVER(token) {
  char *result = NULL;
  const char *next;
  __osip_token_set("q", string("text"), &result, &next);
  free(result);
}

DRIVER(quoted_string) {
  char *result = NULL;
  const char *next;
  __osip_quoted_string_set("q", string("text"), &result, &next);
  free(result);
}

DRIVER(next_token) {
  char *result = NULL, *next;
  __osip_set_next_token(&result, string("text"), ' ', &next);
  free(result);
}

DRIVER(quote_find) { __osip_quote_find(string("text")); }

DRIVER(enquote) { free(osip_enquote(string("text"))); }

DRIVER(dequote) { osip_dequote(string("text")); }

DRIVER(strdup_without_quote) { free(osip_strdup_without_quote(string("text"))); }

DRIVER(clrspace) { osip_clrspace(string("text")); }

DRIVER(clrncpy) {
  char *s = string("text"), *copy = malloc(strlen(s) + 1);
  osip_clrncpy(copy, s, strlen(s));
  free(copy);
}

DRIVER(tolower) { osip_tolower(string("text")); }

DRIVER(strcasestr) { osip_strcasestr(string("text"), "sip"); }
