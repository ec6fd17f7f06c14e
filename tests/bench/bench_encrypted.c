// All tiles of a world over TCP on this machine, plain and with TLS 1.3, to the client library: what encryption costs.
// The tiles are in the daemons' memory; the two daemons take turns.
#include "clients/navctl/output/progress.h"
#include "tests/bench/site.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 9 };

typedef struct secret {
    char folder[32], certificate[48], key[48];
} secret;

// Signs itself, for 127.0.0.1.
static bool make_certificate(EVP_PKEY *key, X509 *c)
{
    X509V3_CTX context;
    X509_set_version(c, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(c), 1);
    X509_gmtime_adj(X509_getm_notBefore(c), -3600);
    X509_gmtime_adj(X509_getm_notAfter(c), 86400);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_UTF8, (const uint8_t *)"bench", -1, -1, 0);
    X509_set_issuer_name(c, X509_get_subject_name(c));
    X509V3_set_ctx(&context, c, c, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &context, NID_subject_alt_name, "IP:127.0.0.1");
    bool ok = e && X509_add_ext(c, e, -1) && X509_set_pubkey(c, key) && X509_sign(c, key, EVP_sha256()) > 0;
    X509_EXTENSION_free(e);
    return ok;
}

static bool secret_init(secret *s)
{
    strcpy(s->folder, "/tmp/navd-bench-XXXXXX");
    if (!mkdtemp(s->folder)) return false;
    snprintf(s->certificate, sizeof s->certificate, "%s/cert.pem", s->folder);
    snprintf(s->key, sizeof s->key, "%s/key.pem", s->folder);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *c = X509_new();
    FILE *key_file = fopen(s->key, "w"), *file = fopen(s->certificate, "w");
    bool ok = key && c && key_file && file && fchmod(fileno(key_file), 0600) == 0 && make_certificate(key, c) &&
              PEM_write_X509(file, c) && PEM_write_PrivateKey(key_file, key, NULL, NULL, 0, NULL, NULL);
    if (file) ok = fclose(file) == 0 && ok;
    if (key_file) ok = fclose(key_file) == 0 && ok;
    X509_free(c);
    EVP_PKEY_free(key);
    return ok;
}

static void secret_remove(secret *s)
{
    unlink(s->certificate);
    unlink(s->key);
    rmdir(s->folder);
}

typedef struct way {
    const char *name, *scheme;
    site site;
    char address[40];
    const char *arguments[8];
    double ms[ROUNDS];
    uint64_t tiles, bytes; // of a round; bytes as compressed
} way;

static bool way_open(way *w, const bench_options *o, const city *c, const secret *s, table *fill)
{
    const char *const given[] = {"--listen",
                                 w->address,
                                 s ? "--tls-certificate" : NULL,
                                 s ? s->certificate : NULL,
                                 s ? "--tls-key" : NULL,
                                 s ? s->key : NULL,
                                 NULL};
    snprintf(w->address, sizeof w->address, "127.0.0.1:%d", service_free_port());
    memcpy(w->arguments, given, sizeof given);
    w->name = s ? "TLS 1.3" : "plain";
    w->scheme = s ? "tls://" : "";
    site_init(&w->site, c);
    w->site.daemon.arguments = w->arguments;
    return site_open(&w->site, o, fill);
}

static void count_tile(void *user, const navd_tile *t)
{
    way *w = user;
    (void)t;
    w->tiles++;
}

// From the subscription to the last tile.
static bool take_all(way *w, const secret *own, double *ms)
{
    char address[64], why[256];
    session s = {.client = NULL};
    const navd_subscription_options all = {.profile = "agent", .encoding = NAVD_ENCODING_DETOUR};
    snprintf(address, sizeof address, "%s%s", w->scheme, w->address);
    const navd_options options = {
        .address = address, .name = "bench", .timeout_ms = 10000, .ca_file = own->certificate};
    if (navd_connect_with(&options, &s.client, why, sizeof why) != NAVD_OK) {
        fprintf(stderr, "bench: %s\n", why);
        return false;
    }
    navd_on_tile(s.client, count_tile, w);
    w->tiles = 0;
    bool ok = session_open(&s, "city");
    uint64_t before = session_counter(&w->site.session, "bytes_out");
    double began_s = now_s();
    ok = ok && session_did(&s, navd_subscribe(s.client, s.world, &all, NULL), "subscribe") &&
         session_did(&s, navd_wait(s.client, s.world, NULL, NULL), "wait");
    *ms = (now_s() - began_s) * 1e3;
    w->bytes = session_counter(&w->site.session, "bytes_out") - before;
    navd_close(s.client);
    return ok;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(table *t, way *w, double plain_ms)
{
    double ms = w->ms[ROUNDS / 2];
    table_add(t, "%s", w->name);
    table_add(t, "%llu", (unsigned long long)w->tiles);
    table_add(t, "%.1f", (double)w->bytes / (1 << 20));
    table_add(t, "%.1f", ms);
    table_add(t, "%.0f", (double)w->tiles / ms * 1e3);
    table_add(t, "%.1f", (double)w->bytes / (1 << 20) / ms * 1e3);
    table_add(t, "%.2f", plain_ms / ms);
}

bool bench_encrypted(const bench_options *o, table *bars)
{
    const city c = o->quick ? (city){"city", 1250, 250, false} : (city){"city", 20000, 1000, false};
    way *ways = calloc(2, sizeof *ways);
    secret own = {.folder = ""};
    table t, fill;
    (void)bars; // there is none for it
    if (!ways) return false;
    table_init(&fill, "encrypted_worlds", "", FILL_COLUMNS);
    table_init(&t, "encrypted", "All tiles over TCP on this machine to the client library, milliseconds",
               "over,tiles,mib,all_tiles_ms,tiles_per_s,mib_per_s,of_plain");
    bool ok = secret_init(&own) && way_open(&ways[0], o, &c, NULL, &fill) && way_open(&ways[1], o, &c, &own, &fill);
    double first_ms; // the encoding is made then
    for (int k = 0; ok && k < 2; k++) ok = take_all(&ways[k], &own, &first_ms);
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; ok && k < 2; k++) ok = take_all(&ways[k], &own, &ways[k].ms[i]);
    for (int k = 0; ok && k < 2; k++) {
        qsort(ways[k].ms, ROUNDS, sizeof *ways[k].ms, compare);
        report(&t, &ways[k], ways[0].ms[ROUNDS / 2]);
    }
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    for (int k = 0; k < 2; k++)
        if (ways[k].site.city) site_close(&ways[k].site);
    secret_remove(&own);
    table_deinit(&t);
    table_deinit(&fill);
    free(ways);
    return ok;
}
