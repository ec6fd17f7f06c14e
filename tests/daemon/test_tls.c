// TLS: first the layer alone, fed with bytes; then sessions of a daemon over it, with the C library at the other end.
#include "clients/c/tls.h"
#include "daemon/access/tls.h"
#include "daemon/access/tokens.h"
#include "daemon/base/thread.h"
#include "daemon/service/check.h"
#include "navd.h"
#include "tests/check.h"
#include "tests/daemon/certificates.h"
#include "tests/daemon/fixture.h"
#include "tests/folder.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32], why[512];
static authority ours, other;

enum { PATHS = 16 };
static const char *path_of(const char *name)
{
    static char paths[PATHS][96];
    static unsigned turn;
    char *out = paths[turn++ % PATHS];
    snprintf(out, sizeof paths[0], "%s/%s", folder, name);
    return out;
}

#define ISSUE(from, stem, ...)                                                                                         \
    authority_issue(from, &(wanted_certificate){__VA_ARGS__}, path_of(stem ".pem"), path_of(stem ".key"))

static void make_files(void)
{
    strcpy(folder, "/tmp/navd-tls-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    authority_init(&ours, "our authority");
    authority_init(&other, "another authority");
    authority_write(&ours, path_of("ca.pem"));
    authority_write(&other, path_of("other-ca.pem"));
    ISSUE(&ours, "server", .name = "navd", .alt = "DNS:localhost,IP:127.0.0.1", VALID_FROM_TO);
    ISSUE(&ours, "expired", .name = "navd", .alt = "IP:127.0.0.1", .from_s = -7200, .to_s = -3600);
    ISSUE(&ours, "misnamed", .name = "navd", .alt = "DNS:elsewhere", VALID_FROM_TO);
    ISSUE(&ours, "farm", .name = "farm-3", VALID_FROM_TO);
    ISSUE(&ours, "stranger", .name = "stranger", VALID_FROM_TO);
    ISSUE(&other, "foreign", .name = "farm-3", VALID_FROM_TO);
    nd_thread_set_loop(true);
}

static void remove_files(void)
{
    remove_folder(folder);
    authority_deinit(&ours);
    authority_deinit(&other);
}

// --- the certificate's time ---

static void note_words(void *user, const char *words)
{
    snprintf(user, sizeof why, "%s", words);
}

START_TEST(a_certificate_out_of_its_time_is_told_and_one_in_it_is_not)
{
    static const struct {
        const char *stem, *words; // NULL: none
        long from_s, to_s;
    } cases[] = {{"now", NULL, -3600, 90 * 86400L},
                 {"late", "expired at", -7200, -3600},
                 {"early", "not valid before", 3600, 90 * 86400L},
                 {"soon", "expires at", -3600, 86400}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nd_config config;
        nd_config_default(&config);
        snprintf(config.tls_certificate, sizeof config.tls_certificate, "%s/%s.pem", folder, cases[i].stem);
        snprintf(config.tls_key, sizeof config.tls_key, "%s/%s.key", folder, cases[i].stem);
        config.state[0] = 0;
        authority_issue(&ours, &(wanted_certificate){.name = "navd", .from_s = cases[i].from_s, .to_s = cases[i].to_s},
                        config.tls_certificate, config.tls_key);
        why[0] = 0;
        ck_assert_msg(nd_config_check(&config, note_words, why) == NAV_OK, "%s", why);
        if (cases[i].words)
            ck_assert_msg(strstr(why, cases[i].words) && strstr(why, config.tls_certificate), "%s", why);
        else
            ck_assert_str_eq(why, "");
    }
}
END_TEST

// --- the layer ---

static nd_tls_context *context_of(const char *stem, const char *client_ca)
{
    nd_tls_context *c;
    char certificate[96], key[96];
    snprintf(certificate, sizeof certificate, "%s/%s.pem", folder, stem);
    snprintf(key, sizeof key, "%s/%s.key", folder, stem);
    ck_assert_msg(nd_tls_context_create(certificate, key, client_ca, why, sizeof why, &c) == NAV_OK, "%s", why);
    return c;
}

static client_tls *client_of(const char *ca, const char *stem)
{
    client_tls *c;
    char certificate[96] = "", key[96] = "";
    if (stem) snprintf(certificate, sizeof certificate, "%s/%s.pem", folder, stem);
    if (stem) snprintf(key, sizeof key, "%s/%s.key", folder, stem);
    ck_assert_msg(navd_client_tls_create("127.0.0.1", ca, certificate, key, why, sizeof why, &c) == NAV_OK, "%s", why);
    return c;
}

// One side's bytes to the other, `step` at a time. What the daemon's side made of them.
static nav_status client_to_daemon(client_tls *c, nd_tls *t, size_t step, nav_buffer *got)
{
    nav_buffer out = {0};
    uint8_t plain[256];
    size_t count;
    nav_status s = navd_client_tls_take(c, &out);
    ck_assert_int_eq(s, NAV_OK);
    s = NAV_ERR_AGAIN;
    for (size_t at = 0; at < out.size && s == NAV_ERR_AGAIN; at += step) {
        size_t n = out.size - at < step ? out.size - at : step;
        ck_assert_int_eq(nd_tls_feed(t, out.data + at, n), NAV_OK);
        while ((s = nd_tls_read(t, plain, sizeof plain, &count)) == NAV_OK)
            ck_assert_int_eq(nav_buffer_append(got, plain, count), NAV_OK);
    }
    nav_buffer_deinit(&out);
    return s;
}

static void daemon_to_client(nd_tls *t, client_tls *c)
{
    uint8_t bytes[1 << 15];
    size_t n;
    while ((n = nd_tls_output(t, bytes, sizeof bytes)) > 0) ck_assert_int_eq(navd_client_tls_feed(c, bytes, n), NAV_OK);
}

// To the end of the handshake on both sides, or the first failure.
static nav_status shake(client_tls *c, nd_tls *t, size_t step, nav_status *daemon_says)
{
    nav_buffer got = {0};
    nav_status s;
    *daemon_says = NAV_ERR_AGAIN;
    for (int turn = 0; turn < 8; turn++) {
        s = navd_client_tls_shake(c);
        if (*daemon_says == NAV_ERR_AGAIN) *daemon_says = client_to_daemon(c, t, step, &got);
        daemon_to_client(t, c);
        if (s != NAV_OK && s != NAV_ERR_AGAIN) break;
    }
    ck_assert_uint_eq(got.size, 0);
    return s;
}

START_TEST(a_handshake_may_come_in_single_bytes)
{
    nd_tls_context *context = context_of("server", "");
    for (size_t step = 1; step < 5000; step = step * 3 + 1) {
        client_tls *c = client_of(path_of("ca.pem"), NULL);
        nd_tls *t;
        nav_status says;
        nav_buffer got = {0};
        uint8_t answer[64];
        size_t count;
        ck_assert_int_eq(nd_tls_create(context, &t), NAV_OK);
        ck_assert(!nd_tls_is_ready(t));
        ck_assert_int_eq(nd_tls_write(t, "x", 1), NAV_ERR_STATE);
        ck_assert_msg(shake(c, t, step, &says) == NAV_OK, "%s / %s", navd_client_tls_why(c), nd_tls_why(t));
        ck_assert(nd_tls_is_ready(t));
        ck_assert_str_eq(nd_tls_peer_name(t), "");
        ck_assert_int_eq(navd_client_tls_write(c, "good morning", 12), NAV_OK);
        ck_assert_int_eq(client_to_daemon(c, t, step, &got), NAV_ERR_AGAIN);
        ck_assert_uint_eq(got.size, 12);
        ck_assert_mem_eq(got.data, "good morning", 12);
        ck_assert_int_eq(nd_tls_write(t, "evening", 7), NAV_OK);
        nd_tls_end(t);
        daemon_to_client(t, c);
        ck_assert_int_eq(navd_client_tls_read(c, answer, sizeof answer, &count), NAV_OK);
        ck_assert_uint_eq(count, 7);
        ck_assert_int_eq(navd_client_tls_read(c, answer, sizeof answer, &count), NAV_ERR_CLOSED);
        nav_buffer_deinit(&got);
        navd_client_tls_destroy(c);
        nd_tls_destroy(t);
    }
    nd_tls_context_destroy(context);
}
END_TEST

START_TEST(every_changed_byte_of_a_handshake_is_noticed)
{
    nd_tls_context *context = context_of("server", "");
    nav_buffer hello = {0}, got = {0};
    client_tls *first = client_of(path_of("ca.pem"), NULL);
    ck_assert_int_eq(navd_client_tls_shake(first), NAV_ERR_AGAIN);
    ck_assert_int_eq(navd_client_tls_take(first, &hello), NAV_OK);
    navd_client_tls_destroy(first);
    for (size_t i = 0; i < hello.size; i += 7) {
        // The daemon's answer to a changed hello never completes a handshake, and never more than some kilobytes.
        nd_tls *t;
        uint8_t plain[64];
        size_t count;
        hello.data[i] ^= 0x55;
        ck_assert_int_eq(nd_tls_create(context, &t), NAV_OK);
        ck_assert_int_eq(nd_tls_feed(t, hello.data, hello.size), NAV_OK);
        ck_assert_int_ne(nd_tls_read(t, plain, sizeof plain, &count), NAV_OK);
        ck_assert(!nd_tls_is_ready(t));
        ck_assert_uint_lt(nd_tls_output_size(t), 8192);
        nd_tls_destroy(t);
        hello.data[i] ^= 0x55;
    }
    nav_buffer_deinit(&hello);
    nav_buffer_deinit(&got);
    nd_tls_context_destroy(context);
}
END_TEST

START_TEST(what_is_no_tls_is_refused)
{
    static const char *const strange[] = {"GET / HTTP/1.1\r\nHost: navd\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
                                          "\x16\x03\x01\xff\xffxxxxxxxxxxxxxxxx", "\x16\x03\x01\x00\x05zzzzz"};
    nd_tls_context *context = context_of("server", "");
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        nd_tls *t;
        uint8_t plain[64];
        size_t count;
        ck_assert_int_eq(nd_tls_create(context, &t), NAV_OK);
        ck_assert_int_eq(nd_tls_feed(t, strange[i], strlen(strange[i]) + (i == 3 ? 7 : 0)), NAV_OK);
        nav_status s = nd_tls_read(t, plain, sizeof plain, &count);
        ck_assert_msg(s == NAV_ERR_FORMAT, "%zu: %s", i, nav_status_name(s));
        ck_assert_str_ne(nd_tls_why(t), "");
        nd_tls_destroy(t);
    }
    nd_tls_context_destroy(context);
}
END_TEST

START_TEST(older_versions_are_refused)
{
    nd_tls_context *context = context_of("server", "");
    nd_tls *t;
    SSL_CTX *old = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(old, TLS1_2_VERSION);
    SSL *c = SSL_new(old);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    uint8_t bytes[4096], plain[64];
    size_t count;
    SSL_set_bio(c, in, out);
    ck_assert_int_ne(SSL_connect(c), 1);
    int n = BIO_read(out, bytes, sizeof bytes);
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(nd_tls_create(context, &t), NAV_OK);
    ck_assert_int_eq(nd_tls_feed(t, bytes, (size_t)n), NAV_OK);
    ck_assert_int_eq(nd_tls_read(t, plain, sizeof plain, &count), NAV_ERR_FORMAT);
    ck_assert_msg(strstr(nd_tls_why(t), "protocol"), "%s", nd_tls_why(t));
    ck_assert_uint_gt(nd_tls_output_size(t), 0); // the alert
    SSL_free(c);
    SSL_CTX_free(old);
    nd_tls_destroy(t);
    nd_tls_context_destroy(context);
}
END_TEST

static const struct {
    const char *server, *ca, *says;
} bad_servers[] = {{"server", "other-ca.pem", "not signed by a trusted authority"},
                   {"expired", "ca.pem", "has expired"},
                   {"misnamed", "ca.pem", "is not for 127.0.0.1"}};

START_TEST(a_client_says_what_is_wrong_with_the_daemons_certificate)
{
    for (size_t i = 0; i < sizeof bad_servers / sizeof *bad_servers; i++) {
        nd_tls_context *context = context_of(bad_servers[i].server, "");
        client_tls *c = client_of(path_of(bad_servers[i].ca), NULL);
        nd_tls *t;
        nav_status says;
        ck_assert_int_eq(nd_tls_create(context, &t), NAV_OK);
        ck_assert_int_eq(shake(c, t, 5000, &says), NAV_ERR_UNTRUSTED);
        ck_assert_msg(strstr(navd_client_tls_why(c), bad_servers[i].says), "%s", navd_client_tls_why(c));
        ck_assert(!nd_tls_is_ready(t));
        navd_client_tls_destroy(c);
        nd_tls_destroy(t);
        nd_tls_context_destroy(context);
    }
}
END_TEST

START_TEST(a_clients_certificate_is_wanted_where_configured)
{
    static const struct {
        const char *stem, *name;
    } clients[] = {{"farm", "farm-3"}, {"foreign", NULL}, {NULL, NULL}, {"expired", NULL}};
    nd_tls_context *context = context_of("server", path_of("ca.pem"));
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        client_tls *c = client_of(path_of("ca.pem"), clients[i].stem);
        nd_tls *t;
        nav_status says;
        ck_assert_int_eq(nd_tls_create(context, &t), NAV_OK);
        nav_status through = shake(c, t, 5000, &says); // the client is, before the daemon has looked
        ck_assert_int_ne(through, NAV_ERR_AGAIN);
        if (clients[i].name) {
            ck_assert_msg(says == NAV_ERR_AGAIN && nd_tls_is_ready(t), "%s", nd_tls_why(t));
            ck_assert_str_eq(nd_tls_peer_name(t), clients[i].name);
        } else {
            uint8_t plain[16];
            size_t count;
            ck_assert_int_eq(says, NAV_ERR_FORMAT);
            ck_assert(!nd_tls_is_ready(t));
            ck_assert_int_eq(navd_client_tls_read(c, plain, sizeof plain, &count), NAV_ERR_UNTRUSTED);
            ck_assert_msg(strstr(navd_client_tls_why(c), "client"), "%s", navd_client_tls_why(c));
        }
        navd_client_tls_destroy(c);
        nd_tls_destroy(t);
    }
    nd_tls_context_destroy(context);
}
END_TEST

START_TEST(files_with_a_fault_are_refused_with_words)
{
    nd_tls_context *c;
    FILE *f = fopen(path_of("nonsense.pem"), "w");
    fputs("nonsense\n", f);
    fclose(f);
    const struct {
        const char *certificate, *key, *ca, *says;
    } bad[] = {{"none.pem", "server.key", "", "tls_certificate"},
               {"nonsense.pem", "server.key", "", "tls_certificate"},
               {"server.pem", "none.key", "", "tls_key"},
               {"server.pem", "farm.key", "", "tls_key"},
               {"server.pem", "nonsense.pem", "", "tls_key"},
               {"server.pem", "server.key", "none.pem", "tls_client_ca"},
               {"server.pem", "server.key", "nonsense.pem", "tls_client_ca"}};
    ck_assert_int_eq(chmod(path_of("nonsense.pem"), 0600), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nav_status s = nd_tls_context_create(path_of(bad[i].certificate), path_of(bad[i].key),
                                             bad[i].ca[0] ? path_of(bad[i].ca) : "", why, sizeof why, &c);
        ck_assert_msg(s != NAV_OK && strstr(why, bad[i].says), "%zu: %s", i, why);
    }
    ck_assert_int_eq(chmod(path_of("server.key"), 0644), 0);
    ck_assert_int_eq(nd_tls_context_create(path_of("server.pem"), path_of("server.key"), "", why, sizeof why, &c),
                     NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(why, "chmod"), "%s", why);
    ck_assert_int_eq(chmod(path_of("server.key"), 0600), 0);
}
END_TEST

// --- sessions ---

static daemon_fixture navd;
static char token[ND_TOKEN_BYTES];
static bool wants_certificates;

static void with_tls(nd_config *c)
{
    strcpy(c->listen, "127.0.0.1:0");
    snprintf(c->tls_certificate, sizeof c->tls_certificate, "%s", path_of("server.pem"));
    snprintf(c->tls_key, sizeof c->tls_key, "%s", path_of("server.key"));
    if (wants_certificates) snprintf(c->tls_client_ca, sizeof c->tls_client_ca, "%s", path_of("ca.pem"));
    snprintf(c->tokens, sizeof c->tokens, "%s", path_of("tokens"));
    c->auth_delay_ms = 1;
}

static void launch(bool certificates)
{
    char line[ND_TOKEN_LINE_BYTES];
    make_files();
    wants_certificates = certificates;
    ck_assert_int_eq(nd_token_create("ed", NP_ROLE_EDITOR, "red", token, line), NAV_OK);
    FILE *f = fopen(path_of("tokens"), "w");
    ck_assert_int_eq(fchmod(fileno(f), 0600), 0);
    fprintf(f, "%s\ncert:farm-3 farm editor blue\n", line);
    fclose(f);
    f = fopen(path_of("token"), "w");
    ck_assert_int_eq(fchmod(fileno(f), 0600), 0);
    fprintf(f, "%s\n", token);
    fclose(f);
    fixture_start(&navd, with_tls);
    ck_assert_msg(navd.status == NAV_OK, "%s", navd.why);
}

static void halt(void)
{
    fixture_stop(&navd);
    remove_files();
}

typedef struct way {
    const char *token, *ca, *stem;
    bool plain;
} way;

static navd_status connect_by(way w, navd_client **out)
{
    char address[64], certificate[96], key[96], file[96] = "";
    snprintf(address, sizeof address, "%s127.0.0.1:%d", w.plain ? "" : "tls://", nd_server_port(navd.server));
    snprintf(certificate, sizeof certificate, "%s/%s.pem", folder, w.stem ? w.stem : "");
    snprintf(key, sizeof key, "%s/%s.key", folder, w.stem ? w.stem : "");
    if (w.token) snprintf(file, sizeof file, "%s/%s", folder, w.token);
    navd_options o = {.address = address,
                      .name = "test",
                      .timeout_ms = 60000,
                      .token_file = file,
                      .ca_file = path_of(w.ca ? w.ca : "ca.pem"),
                      .certificate_file = w.stem ? certificate : "",
                      .key_file = w.stem ? key : ""};
    why[0] = 0;
    return navd_connect_with(&o, out, why, sizeof why);
}

// What a subscriber has of a world: as many tiles, and the same bytes in them.
typedef struct sight {
    uint64_t tiles, bytes;
    navd_key sum;
} sight;

static void see(void *user, const navd_tile *t)
{
    sight *s = user;
    nav_key key = nav_key_of(t->data, t->size);
    s->tiles++;
    s->bytes += t->size;
    for (int i = 0; i < 8; i++) s->sum.bytes[i] ^= (uint8_t)(key.low >> 8 * i);
}

static void look(navd_client *c, sight *out)
{
    navd_world w;
    uint64_t subscription;
    *out = (sight){0};
    ck_assert_msg(navd_world_open(c, "w", false, NULL, NULL, 0, &w) == NAVD_OK, "%s", navd_error_text(c));
    navd_on_tile(c, see, out);
    navd_subscription_options o = {.profile = "walker", .encoding = NAVD_ENCODING_DETOUR};
    ck_assert_msg(navd_subscribe(c, w.id, &o, &subscription) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_msg(navd_wait(c, w.id, NULL, NULL) == NAVD_OK, "%s", navd_error_text(c));
    navd_world_free(&w);
}

enum { SIDE = 400 }; // squares; some megabytes of mesh

static void put_field(navd_client *c)
{
    static float vertices[3 * (SIDE + 1) * (SIDE + 1)];
    static uint32_t triangles[6 * SIDE * SIDE];
    size_t corners = 0, used = 0;
    for (uint32_t z = 0; z <= SIDE; z++)
        for (uint32_t x = 0; x <= SIDE; x++) {
            vertices[corners++] = (float)x * 0.25f;
            vertices[corners++] = (float)((x * 7 + z * 13) % 10) * 0.01f;
            vertices[corners++] = (float)z * 0.25f;
        }
    for (uint32_t z = 0; z < SIDE; z++)
        for (uint32_t x = 0; x < SIDE; x++) {
            uint32_t at = z * (SIDE + 1) + x;
            const uint32_t quad[6] = {at, at + SIDE + 1, at + 1, at + 1, at + SIDE + 1, at + SIDE + 2};
            memcpy(triangles + used, quad, sizeof quad);
            used += 6;
        }
    navd_mesh mesh = {vertices, (uint32_t)(corners / 3), triangles, (uint32_t)(used / 3), NULL, NULL};
    navd_profile p = {.name = "walker"};
    navd_world w;
    navd_settings_default(&p.settings);
    p.settings.tile_cells = 16;
    ck_assert_msg(navd_world_open(c, "w", true, NULL, &p, 1, &w) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_msg(navd_mesh_put(c, &mesh, NULL, NULL, NULL) == NAVD_OK, "%s", navd_error_text(c));
    navd_operation put = {.kind = NAVD_PUT_INSTANCE, .id = 1};
    put.u.instance.mesh = navd_mesh_hash(&mesh);
    put.u.instance.area = NAVD_AREA_DEFAULT;
    put.u.instance.transform[0] = put.u.instance.transform[5] = put.u.instance.transform[10] = 1;
    navd_edit_result r;
    ck_assert_msg(navd_edit(c, w.id, NULL, &put, 1, &r) == NAVD_OK, "%s", navd_error_text(c));
    navd_world_free(&w);
}

START_TEST(a_session_over_tls_gets_the_same_bytes_as_any_other)
{
    navd_client *c, *local;
    sight sealed, plain;
    launch(false);
    ck_assert_msg(connect_by((way){.token = "token"}, &c) == NAVD_OK, "%s", why);
    put_field(c);
    look(c, &sealed);
    navd_options o = {.address = navd.config.socket, .timeout_ms = 60000, .namespace_name = "red"};
    ck_assert_msg(navd_connect_with(&o, &local, why, sizeof why) == NAVD_OK, "%s", why);
    look(local, &plain);
    ck_assert_uint_gt(plain.tiles, 400);
    ck_assert_uint_ge(sealed.tiles, plain.tiles);
    look(c, &sealed); // again, all in one burst
    ck_assert_uint_eq(sealed.tiles, plain.tiles);
    ck_assert_uint_eq(sealed.bytes, plain.bytes);
    ck_assert_mem_eq(sealed.sum.bytes, plain.sum.bytes, sizeof plain.sum.bytes);
    navd_close(c);
    navd_close(local);
    halt();
}
END_TEST

START_TEST(what_stands_in_the_way_is_said_in_words)
{
    navd_client *c;
    const struct {
        way w;
        navd_status status;
        const char *says;
    } tries[] = {
        {{.token = "token"}, NAVD_OK, ""},
        {{.token = NULL}, NAVD_ERR_UNAUTHENTICATED, "--token-file"},
        {{.token = "ca.pem"}, NAVD_ERR_UNAUTHENTICATED, "the token is not valid"},
        {{.token = "none"}, NAVD_ERR_ARGUMENT, "token file"},
        {{.token = "token", .ca = "other-ca.pem"}, NAVD_ERR_UNTRUSTED, "--ca FILE"},
        {{.token = "token", .plain = true}, NAVD_ERR_FORMAT, "tls://"},
    };
    launch(false);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        navd_status s = connect_by(tries[i].w, &c);
        ck_assert_msg(s == tries[i].status && strstr(why, tries[i].says), "%zu: %s: %s", i, navd_status_name(s), why);
        navd_close(c);
    }
    halt();
}
END_TEST

START_TEST(a_certificate_that_is_known_needs_no_token)
{
    navd_client *c;
    launch(true);
    ck_assert_msg(connect_by((way){.stem = "farm"}, &c) == NAVD_OK, "%s", why);
    navd_close(c);
    ck_assert_int_eq(connect_by((way){.stem = "stranger"}, &c), NAVD_ERR_UNAUTHENTICATED); // good, but nobody
    ck_assert_msg(connect_by((way){.stem = "stranger", .token = "token"}, &c) == NAVD_OK, "%s", why);
    navd_close(c);
    ck_assert_int_eq(connect_by((way){.token = "token"}, &c), NAVD_ERR_UNTRUSTED);
    ck_assert_msg(strstr(why, "client certificate"), "%s", why);
    ck_assert_int_eq(connect_by((way){.stem = "foreign", .token = "token"}, &c), NAVD_ERR_UNTRUSTED);
    ck_assert_msg(strstr(why, "rejected the client certificate"), "%s", why);
    halt();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tls");
    TCase *t = tcase_create("layer"), *sessions = tcase_create("sessions");
    tcase_add_checked_fixture(t, make_files, remove_files);
    tcase_set_timeout(t, 900);
    tcase_set_timeout(sessions, 900);
    tcase_add_test(t, a_certificate_out_of_its_time_is_told_and_one_in_it_is_not);
    tcase_add_test(t, a_handshake_may_come_in_single_bytes);
    tcase_add_test(t, every_changed_byte_of_a_handshake_is_noticed);
    tcase_add_test(t, what_is_no_tls_is_refused);
    tcase_add_test(t, older_versions_are_refused);
    tcase_add_test(t, a_client_says_what_is_wrong_with_the_daemons_certificate);
    tcase_add_test(t, a_clients_certificate_is_wanted_where_configured);
    tcase_add_test(t, files_with_a_fault_are_refused_with_words);
    tcase_add_test(sessions, a_session_over_tls_gets_the_same_bytes_as_any_other);
    tcase_add_test(sessions, what_stands_in_the_way_is_said_in_words);
    tcase_add_test(sessions, a_certificate_that_is_known_needs_no_token);
    suite_add_tcase(s, t);
    suite_add_tcase(s, sessions);
    return run_suite(s);
}
