// Bytes from a network, before anybody has logged in: a TLS connection gets them in two parts, as the first byte says,
// and must end up refused, closed or waiting for more, with little to say. No input completes a handshake.
#include "daemon/access/tls.h"
#include "daemon/base/thread.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ANSWER = 16384, MOST_INPUT = 1 << 17 };

static nd_tls_context *context;

static void must(bool holds)
{
    if (!holds) abort();
}

// The context takes files, as the daemon does.
static void make_context(void)
{
    char certificate[] = "/tmp/fuzz-tls-cert-XXXXXX", key_path[] = "/tmp/fuzz-tls-key-XXXXXX", why[256];
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *c = X509_new();
    must(key && c);
    X509_gmtime_adj(X509_getm_notBefore(c), -3600);
    X509_gmtime_adj(X509_getm_notAfter(c), 86400);
    X509_set_pubkey(c, key);
    must(X509_sign(c, key, EVP_sha256()) > 0);
    FILE *f = fdopen(mkstemp(certificate), "w"), *k = fdopen(mkstemp(key_path), "w");
    must(f && k && PEM_write_X509(f, c) && PEM_write_PrivateKey(k, key, NULL, NULL, 0, NULL, NULL));
    must(!fclose(f) && !fclose(k));
    nd_thread_set_loop(true);
    must(nd_tls_context_create(certificate, key_path, certificate, why, sizeof why, &context) == NAV_OK);
    unlink(certificate);
    unlink(key_path);
    X509_free(c);
    EVP_PKEY_free(key);
}

static nav_status feed(nd_tls *t, const uint8_t *data, size_t size)
{
    uint8_t plain[4096];
    size_t count;
    nav_status s = nd_tls_feed(t, data, size);
    while (s == NAV_OK) s = nd_tls_read(t, plain, sizeof plain, &count);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nd_tls *t;
    if (!context) make_context();
    if (!size || size > MOST_INPUT) return 0;
    size_t first = data[0] < size ? data[0] : size - 1;
    must(nd_tls_create(context, &t) == NAV_OK);
    nav_status s = feed(t, data + 1, first);
    if (s == NAV_ERR_AGAIN) s = feed(t, data + 1 + first, size - 1 - first);
    must(s == NAV_ERR_AGAIN || s == NAV_ERR_CLOSED || s == NAV_ERR_FORMAT);
    must(!nd_tls_is_ready(t) && nd_tls_output_size(t) <= MOST_ANSWER);
    nd_tls_end(t);
    nd_tls_destroy(t);
    return 0;
}
