#include "daemon/access/tls.h"

#include "daemon/base/thread.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { KEPT_OUTPUT_BYTES = 65536, SOON_S = 14 * 86400 };

struct nd_tls_context {
    SSL_CTX *ssl;
};

struct nd_tls {
    SSL *ssl;
    BIO *in, *out; // owned by ssl
    char peer[ND_TLS_NAME_BYTES], why[ND_TLS_WHY_BYTES];
};

// The newest words of OpenSSL's queue, which is empty after.
static const char *take_reason(void)
{
    unsigned long code = ERR_peek_last_error();
    const char *words = code ? ERR_reason_error_string(code) : NULL;
    if (code && ERR_SYSTEM_ERROR(code)) words = strerror(ERR_GET_REASON(code));
    ERR_clear_error();
    return words ? words : "unknown";
}

// --- context ---

static nav_status say(char *why, size_t why_bytes, nav_status s, const char *option, const char *path, const char *what)
{
    snprintf(why, why_bytes, "%s %s: %s", option, path, what);
    return s;
}

// A key with a password cannot be opened without a person: no prompt.
static int no_password(char *text, int size, int writing, void *user)
{
    (void)text, (void)size, (void)writing, (void)user;
    return 0;
}

static nav_status check_key_file(const char *path, char *why, size_t why_bytes)
{
    struct stat st;
    if (stat(path, &st)) return say(why, why_bytes, NAV_ERR_IO, "tls_key", path, strerror(errno));
    if (st.st_mode & (S_IROTH | S_IWOTH))
        return say(why, why_bytes, NAV_ERR_ARGUMENT, "tls_key", path,
                   "every user of the system can read or write it; restrict it with chmod o-rwx");
    return NAV_OK;
}

static nav_status load_files(SSL_CTX *ssl, const char *certificate, const char *key, const char *client_ca, char *why,
                             size_t why_bytes)
{
    nav_status s = check_key_file(key, why, why_bytes);
    if (s != NAV_OK) return s;
    if (SSL_CTX_use_certificate_chain_file(ssl, certificate) != 1)
        return say(why, why_bytes, NAV_ERR_FORMAT, "tls_certificate", certificate, take_reason());
    if (SSL_CTX_use_PrivateKey_file(ssl, key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(ssl) != 1)
        return say(why, why_bytes, NAV_ERR_FORMAT, "tls_key", key, take_reason());
    if (!client_ca[0]) return NAV_OK;
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(client_ca);
    if (!names || SSL_CTX_load_verify_file(ssl, client_ca) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return say(why, why_bytes, NAV_ERR_FORMAT, "tls_client_ca", client_ca, take_reason());
    }
    SSL_CTX_set_client_CA_list(ssl, names); // takes them over
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return NAV_OK;
}

nav_status nd_tls_context_create(const char *certificate, const char *key, const char *client_ca, char *why,
                                 size_t why_bytes, nd_tls_context **out)
{
    ERR_clear_error();
    nav_status s = NAV_ERR_MEMORY;
    snprintf(why, why_bytes, "no memory for TLS");
    nd_tls_context *c = calloc(1, sizeof *c);
    if (c) c->ssl = SSL_CTX_new(TLS_server_method());
    if (!c || !c->ssl || SSL_CTX_set_min_proto_version(c->ssl, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_num_tickets(c->ssl, 0) != 1)
        goto failed;
    SSL_CTX_set_session_cache_mode(c->ssl, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(c->ssl, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_CLEANSE_PLAINTEXT);
    SSL_CTX_set_mode(c->ssl, SSL_MODE_RELEASE_BUFFERS); // an idle connection holds little
    SSL_CTX_set_default_passwd_cb(c->ssl, no_password);
    s = load_files(c->ssl, certificate, key, client_ca, why, why_bytes);
    if (s != NAV_OK) goto failed;
    *out = c;
    return NAV_OK;

failed:
    ERR_clear_error();
    nd_tls_context_destroy(c);
    return s;
}

static void print_time(const ASN1_TIME *t, char *out, size_t out_bytes)
{
    struct tm tm;
    out[0] = 0;
    if (ASN1_TIME_to_tm(t, &tm) == 1) (void)strftime(out, out_bytes, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

bool nd_tls_context_warns(const nd_tls_context *c, char *why, size_t why_bytes)
{
    char at[32];
    const X509 *certificate = SSL_CTX_get0_certificate(c->ssl);
    if (!certificate) return false;
    const ASN1_TIME *from = X509_get0_notBefore(certificate), *to = X509_get0_notAfter(certificate);
    time_t now = time(NULL), soon = now + SOON_S;
    bool is_early = X509_cmp_time(from, &now) > 0, is_late = X509_cmp_time(to, &now) < 0;
    if (!is_early && X509_cmp_time(to, &soon) > 0) return false;
    print_time(is_early ? from : to, at, sizeof at);
    snprintf(why, why_bytes, "the certificate %s %s; %s",
             is_early  ? "is not valid before"
             : is_late ? "expired at"
                       : "expires at",
             at,
             is_early || is_late ? "clients refuse it: install another one, or set the clock"
                                 : "install a new one and send SIGHUP");
    return true;
}

void nd_tls_context_destroy(nd_tls_context *c)
{
    if (!c) return;
    SSL_CTX_free(c->ssl); // counted: the connections hold it
    free(c);
}

// --- connection ---

nav_status nd_tls_create(const nd_tls_context *c, nd_tls **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_tls *t = calloc(1, sizeof *t);
    if (!t) return NAV_ERR_MEMORY;
    t->ssl = SSL_new(c->ssl);
    t->in = BIO_new(BIO_s_mem());
    t->out = BIO_new(BIO_s_mem());
    if (!t->ssl || !t->in || !t->out) {
        BIO_free(t->in);
        BIO_free(t->out);
        SSL_free(t->ssl);
        free(t);
        ERR_clear_error();
        return NAV_ERR_MEMORY;
    }
    SSL_set_bio(t->ssl, t->in, t->out);
    SSL_set_accept_state(t->ssl);
    *out = t;
    return NAV_OK;
}

void nd_tls_destroy(nd_tls *t)
{
    if (!t) return;
    SSL_free(t->ssl);
    free(t);
    ERR_clear_error();
}

nav_status nd_tls_feed(nd_tls *t, const void *bytes, size_t count)
{
    size_t written = 0;
    if (!count || (BIO_write_ex(t->in, bytes, count, &written) == 1 && written == count)) return NAV_OK;
    ERR_clear_error();
    return NAV_ERR_MEMORY;
}

// Only a name of plain characters is one: it stands in the log and in the tokens file.
static void note_peer(nd_tls *t)
{
    X509 *certificate = SSL_get1_peer_certificate(t->ssl);
    if (!certificate) return;
    const X509_NAME *subject = X509_get_subject_name(certificate);
    int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    unsigned char *text = NULL;
    int length = at < 0 ? -1 : ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    bool plain = length > 0 && length < ND_TLS_NAME_BYTES;
    for (int i = 0; i < length && plain; i++) plain = text[i] > ' ' && text[i] < 0x7f;
    if (plain) memcpy(t->peer, text, (size_t)length);
    if (text) OPENSSL_free(text);
    X509_free(certificate);
}

nav_status nd_tls_read(nd_tls *t, void *out, size_t room, size_t *count)
{
    ND_ASSERT_LOOP_THREAD();
    *count = 0;
    ERR_clear_error();
    bool was_ready = nd_tls_is_ready(t);
    int done = SSL_read_ex(t->ssl, out, room, count);
    if (!was_ready && nd_tls_is_ready(t)) note_peer(t);
    if (done == 1) return NAV_OK;
    switch (SSL_get_error(t->ssl, done)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: // a memory BIO always takes more
        return NAV_ERR_AGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return NAV_ERR_CLOSED;
    default:
        snprintf(t->why, sizeof t->why, "%s", take_reason());
        return NAV_ERR_FORMAT;
    }
}

nav_status nd_tls_write(nd_tls *t, const void *bytes, size_t count)
{
    ND_ASSERT_LOOP_THREAD();
    size_t written = 0;
    if (!count) return NAV_OK;
    if (!nd_tls_is_ready(t)) return NAV_ERR_STATE;
    ERR_clear_error();
    if (SSL_write_ex(t->ssl, bytes, count, &written) == 1 && written == count) return NAV_OK;
    snprintf(t->why, sizeof t->why, "%s", take_reason());
    return NAV_ERR_MEMORY;
}

void nd_tls_end(nd_tls *t)
{
    if (nd_tls_is_ready(t)) (void)SSL_shutdown(t->ssl);
    ERR_clear_error();
}

size_t nd_tls_output_size(const nd_tls *t)
{
    return BIO_ctrl_pending(t->out);
}

// A memory BIO never shrinks: after much output it is exchanged, so that a client that stalls then costs little.
static void renew_output(nd_tls *t)
{
    BIO *fresh = BIO_new(BIO_s_mem());
    if (!fresh) return;
    SSL_set0_wbio(t->ssl, fresh); // frees the old one
    t->out = fresh;
}

size_t nd_tls_output(nd_tls *t, void *out, size_t room)
{
    size_t count = 0;
    if (BIO_read_ex(t->out, out, room, &count) != 1) count = 0;
    if (count > KEPT_OUTPUT_BYTES && !nd_tls_output_size(t)) renew_output(t);
    ERR_clear_error();
    return count;
}

bool nd_tls_is_ready(const nd_tls *t)
{
    return SSL_is_init_finished(t->ssl);
}

const char *nd_tls_peer_name(const nd_tls *t)
{
    return t->peer;
}

const char *nd_tls_why(const nd_tls *t)
{
    return t->why;
}
