#include "clients/c/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client_tls {
    SSL_CTX *context;
    SSL *ssl;
    BIO *in, *out; // owned by ssl
    char host[256], why[400];
};

static const char *take_reason(void)
{
    unsigned long code = ERR_peek_last_error();
    const char *words = code ? ERR_reason_error_string(code) : NULL;
    if (code && ERR_SYSTEM_ERROR(code)) words = strerror(ERR_GET_REASON(code));
    ERR_clear_error();
    return words ? words : "unknown";
}

static int no_password(char *text, int size, int writing, void *user)
{
    (void)text, (void)size, (void)writing, (void)user;
    return 0;
}

static nav_status load_files(client_tls *t, const char *ca, const char *certificate, const char *key, char *why,
                             size_t why_bytes)
{
    SSL_CTX *c = t->context;
    if (ca[0] ? SSL_CTX_load_verify_file(c, ca) != 1 : SSL_CTX_set_default_verify_paths(c) != 1) {
        snprintf(why, why_bytes, "the authorities in %s: %s", ca[0] ? ca : "the system's files", take_reason());
        return NAV_ERR_ARGUMENT;
    }
    if (!certificate[0] && !key[0]) return NAV_OK;
    if (!certificate[0] || !key[0]) {
        snprintf(why, why_bytes, "a client certificate needs two files: the certificate and its key");
        return NAV_ERR_ARGUMENT;
    }
    bool loaded = SSL_CTX_use_certificate_chain_file(c, certificate) == 1;
    if (loaded && SSL_CTX_use_PrivateKey_file(c, key, SSL_FILETYPE_PEM) == 1 && SSL_CTX_check_private_key(c) == 1)
        return NAV_OK;
    snprintf(why, why_bytes, "the client's %s %s: %s", loaded ? "key" : "certificate", loaded ? key : certificate,
             take_reason());
    return NAV_ERR_ARGUMENT;
}

static bool expect_host(client_tls *t)
{
    unsigned char address[16];
    X509_VERIFY_PARAM *p = SSL_get0_param(t->ssl);
    if (inet_pton(AF_INET, t->host, address) == 1 || inet_pton(AF_INET6, t->host, address) == 1)
        return X509_VERIFY_PARAM_set1_ip_asc(p, t->host) == 1;
    return SSL_set1_host(t->ssl, t->host) == 1 && SSL_set_tlsext_host_name(t->ssl, t->host) == 1;
}

nav_status navd_client_tls_create(const char *host, const char *ca, const char *certificate, const char *key, char *why,
                                  size_t why_bytes, client_tls **out)
{
    ERR_clear_error();
    snprintf(why, why_bytes, "no memory for TLS");
    nav_status s = NAV_ERR_MEMORY;
    client_tls *t = calloc(1, sizeof *t);
    if (!t) return s;
    snprintf(t->host, sizeof t->host, "%s", host);
    t->context = SSL_CTX_new(TLS_client_method());
    if (!t->context || SSL_CTX_set_min_proto_version(t->context, TLS1_3_VERSION) != 1) goto failed;
    SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_default_passwd_cb(t->context, no_password);
    s = load_files(t, ca, certificate, key, why, why_bytes);
    if (s != NAV_OK) goto failed;
    s = NAV_ERR_MEMORY;
    t->ssl = SSL_new(t->context);
    t->in = BIO_new(BIO_s_mem());
    t->out = BIO_new(BIO_s_mem());
    if (!t->ssl || !t->in || !t->out || !expect_host(t)) {
        BIO_free(t->in);
        BIO_free(t->out);
        goto failed;
    }
    SSL_set_bio(t->ssl, t->in, t->out);
    SSL_set_connect_state(t->ssl);
    *out = t;
    return NAV_OK;

failed:
    ERR_clear_error();
    navd_client_tls_destroy(t);
    return s;
}

void navd_client_tls_destroy(client_tls *t)
{
    if (!t) return;
    SSL_free(t->ssl);
    SSL_CTX_free(t->context);
    free(t);
    ERR_clear_error();
}

nav_status navd_client_tls_feed(client_tls *t, const void *bytes, size_t count)
{
    size_t written = 0;
    if (!count || (BIO_write_ex(t->in, bytes, count, &written) == 1 && written == count)) return NAV_OK;
    ERR_clear_error();
    return NAV_ERR_MEMORY;
}

static void explain_certificate(client_tls *t, long verified)
{
    switch (verified) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        snprintf(t->why, sizeof t->why, "the daemon's certificate has expired");
        break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        snprintf(t->why, sizeof t->why, "the daemon's certificate is not valid yet (or this machine's clock is wrong)");
        break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        snprintf(t->why, sizeof t->why, "the daemon's certificate is not for %s", t->host);
        break;
    default:
        snprintf(t->why, sizeof t->why,
                 "the daemon's certificate is not signed by a trusted authority (%s); give the authority's file "
                 "with --ca FILE or NAVD_CA_FILE",
                 X509_verify_cert_error_string(verified));
    }
}

// Says what went wrong. Returns the status that goes with it.
static nav_status explain(client_tls *t)
{
    unsigned long code = ERR_peek_last_error();
    long verified = SSL_get_verify_result(t->ssl);
    int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
    nav_status s = NAV_ERR_UNTRUSTED;
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
        explain_certificate(t, verified);
    } else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG ||
               reason == SSL_R_RECORD_LENGTH_MISMATCH || reason == SSL_R_HTTP_REQUEST) {
        snprintf(t->why, sizeof t->why, "the server does not use TLS; remove tls:// from the address");
        s = NAV_ERR_IO;
    } else if (reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED) {
        snprintf(t->why, sizeof t->why, "the daemon requires a client certificate: --cert FILE and --key FILE");
    } else if (reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA || reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE ||
               reason == SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED || reason == SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN) {
        snprintf(t->why, sizeof t->why, "the daemon rejected the client certificate (%s)", take_reason());
    } else {
        snprintf(t->why, sizeof t->why, "TLS: %s", take_reason());
        s = NAV_ERR_IO;
    }
    ERR_clear_error();
    return s;
}

static nav_status after(client_tls *t, int done)
{
    switch (SSL_get_error(t->ssl, done)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return NAV_ERR_AGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return NAV_ERR_CLOSED;
    default:
        return explain(t);
    }
}

nav_status navd_client_tls_read(client_tls *t, void *out, size_t room, size_t *count)
{
    *count = 0;
    ERR_clear_error();
    int done = SSL_read_ex(t->ssl, out, room, count);
    return done == 1 ? NAV_OK : after(t, done);
}

nav_status navd_client_tls_shake(client_tls *t)
{
    ERR_clear_error();
    int done = SSL_do_handshake(t->ssl);
    return done == 1 ? NAV_OK : after(t, done);
}

nav_status navd_client_tls_write(client_tls *t, const void *bytes, size_t count)
{
    size_t written = 0;
    ERR_clear_error();
    if (!count) return NAV_OK;
    int done = SSL_write_ex(t->ssl, bytes, count, &written);
    return done == 1 && written == count ? NAV_OK : NAV_ERR_IO;
}

nav_status navd_client_tls_take(client_tls *t, nav_buffer *out)
{
    size_t waiting = BIO_ctrl_pending(t->out), count = 0;
    if (!waiting) return NAV_OK;
    nav_status s = nav_buffer_reserve(out, waiting);
    if (s != NAV_OK) return s;
    if (BIO_read_ex(t->out, out->data + out->size, waiting, &count) == 1) out->size += count;
    ERR_clear_error();
    return NAV_OK;
}

const char *navd_client_tls_why(const client_tls *t)
{
    return t->why;
}
