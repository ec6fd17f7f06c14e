// Certificates for tests, made on the spot: an authority, and what it signs. Files in PEM.
#ifndef TEST_CERTIFICATES_H
#define TEST_CERTIFICATES_H

#include <openssl/x509.h>

typedef struct authority {
    EVP_PKEY *key;
    X509 *certificate;
} authority;

void authority_init(authority *a, const char *name);
void authority_deinit(authority *a);
// Its own certificate.
void authority_write(const authority *a, const char *path);

typedef struct wanted_certificate {
    const char *name;  // common name
    const char *alt;   // "DNS:localhost,IP:127.0.0.1"; NULL: none
    long from_s, to_s; // valid, from now
} wanted_certificate;

#define VALID_FROM_TO .from_s = -3600, .to_s = 86400
// Signs one, and writes it and its key (0600).
void authority_issue(const authority *a, const wanted_certificate *w, const char *certificate_path,
                     const char *key_path);

#endif
