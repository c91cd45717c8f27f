/* libtasn1: the decoders and encoders of single DER values. */
#include "driver.h"
#include <libtasn1.h>

DRIVER(get_length_der) {
  int length;
  size_t n = size(1);
  asn1_get_length_der(bytes(n, "der"), n, &length);
}

DRIVER(get_length_ber) {
  int length;
  size_t n = size(1);
  asn1_get_length_ber(bytes(n, "ber"), n, &length);
}

DRIVER(get_tag_der) {
  unsigned char class;
  int length;
  unsigned long tag;
  size_t n = size(1);
  asn1_get_tag_der(bytes(n, "der"), n, &class, &length, &tag);
}

DRIVER(get_octet_der) {
  unsigned char text[16];
  int length, used;
  size_t n = size(1);
  asn1_get_octet_der(bytes(n, "der"), n, &used, text, sizeof text, &length);
}

DRIVER(get_bit_der) {
  unsigned char text[16];
  int length, used;
  size_t n = size(1);
  asn1_get_bit_der(bytes(n, "der"), n, &used, text, sizeof text, &length);
}

DRIVER(get_object_id_der) {
  char text[32];
  int used;
  size_t n = size(1);
  asn1_get_object_id_der(bytes(n, "der"), n, &used, text, sizeof text);
}

DRIVER(object_id_der) {
  unsigned char der[32];
  int length = sizeof der;
  asn1_object_id_der(string("text"), der, &length, 0);
}

DRIVER(decode_simple_der) {
  const unsigned char *text;
  unsigned length;
  size_t n = size(1);
  asn1_decode_simple_der(ASN1_ETYPE_OCTET_STRING, bytes(n, "der"), n, &text, &length);
}

DRIVER(decode_simple_ber) {
  unsigned char *text = NULL;
  unsigned length, used;
  size_t n = size(1);
  if (asn1_decode_simple_ber(ASN1_ETYPE_OCTET_STRING, bytes(n, "ber"), n, &text, &length, &used) == ASN1_SUCCESS) free(text);
}

DRIVER(encode_simple_der) {
  unsigned char tag[ASN1_MAX_TL_SIZE];
  unsigned length = sizeof tag;
  size_t n = size(1);
  asn1_encode_simple_der(ASN1_ETYPE_OCTET_STRING, bytes(n, "text"), n, tag, &length);
}

DRIVER(bit_der) {
  size_t n = size(1);
  unsigned char *der = malloc(capacity + 16);
  int length;
  asn1_bit_der(bytes(n, "text"), n * 8, der, &length);
  free(der);
}
