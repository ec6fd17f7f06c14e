#include "tests/daemon/certificates.h"

#include "tests/check.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <unistd.h>

static long serial = 1;

static EVP_PKEY *make_key(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    ck_assert_ptr_nonnull(key);
    return key;
}

static void add_extension(X509 *to, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, to, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(X509_add_ext(to, e, -1), 1);
    X509_EXTENSION_free(e);
}

static X509 *begin(const char *name, EVP_PKEY *key, long from_s, long to_s)
{
    X509 *c = X509_new();
    ck_assert_ptr_nonnull(c);
    X509_set_version(c, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(c), serial++);
    X509_gmtime_adj(X509_getm_notBefore(c), from_s);
    X509_gmtime_adj(X509_getm_notAfter(c), to_s);
    X509_set_pubkey(c, key);
    ck_assert_int_eq(X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_UTF8,
                                                (const unsigned char *)name, -1, -1, 0),
                     1);
    return c;
}

void authority_init(authority *a, const char *name)
{
    a->key = make_key();
    a->certificate = begin(name, a->key, -3600, 86400);
    X509_set_issuer_name(a->certificate, X509_get_subject_name(a->certificate));
    add_extension(a->certificate, a->certificate, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(a->certificate, a->certificate, NID_key_usage, "critical,keyCertSign");
    ck_assert_int_gt(X509_sign(a->certificate, a->key, EVP_sha256()), 0);
}

void authority_deinit(authority *a)
{
    X509_free(a->certificate);
    EVP_PKEY_free(a->key);
}

static FILE *create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    ck_assert_ptr_nonnull(f);
    return f;
}

static void write_certificate(X509 *c, const char *path)
{
    FILE *f = create(path);
    ck_assert_int_eq(PEM_write_X509(f, c), 1);
    ck_assert_int_eq(fclose(f), 0);
}

void authority_write(const authority *a, const char *path)
{
    write_certificate(a->certificate, path);
}

void authority_issue(const authority *a, const wanted_certificate *w, const char *certificate_path,
                     const char *key_path)
{
    EVP_PKEY *key = make_key();
    X509 *c = begin(w->name, key, w->from_s, w->to_s);
    X509_set_issuer_name(c, X509_get_subject_name(a->certificate));
    if (w->alt) add_extension(c, a->certificate, NID_subject_alt_name, w->alt);
    ck_assert_int_gt(X509_sign(c, a->key, EVP_sha256()), 0);
    write_certificate(c, certificate_path);
    FILE *f = create(key_path);
    ck_assert_int_eq(PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL), 1);
    ck_assert_int_eq(fclose(f), 0);
    X509_free(c);
    EVP_PKEY_free(key);
}
