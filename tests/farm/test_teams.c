// Who may do what on a farm: the server's configuration of docs/operations.md, as it stands there, lets a daemon and a
// worker do their work and keeps a team out of another's namespace; and all of it over TLS, with an authority of one's
// own.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/daemon/certificates.h"
#include "tests/e2e/daemon.h"
#include "tests/farm/nats_server.h"

#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nats_server server;
static char ca[PATH_BYTES], url[128];

// The block of the document that begins with this comment.
static char *documented(void)
{
    size_t count;
    char *page = (char *)read_file(NAVD_DOCS "/operations.md", &count), *end;
    page = realloc(page, count + 1);
    ck_assert_ptr_nonnull(page);
    page[count] = 0;
    char *at = strstr(page, "# nats-server.conf");
    ck_assert_msg(at && (end = strstr(at, "```")), "docs/operations.md has no nats-server.conf");
    char *block = strndup(at, (size_t)(end - at));
    free(page);
    return block;
}

static void start_server(void)
{
    char certificate[PATH_BYTES], key[PATH_BYTES], text[8192];
    static char config[PATH_BYTES];
    authority a;
    authority_init(&a, "studio");
    authority_write(&a, path_into(ca, "ca.pem"));
    authority_issue(&a, &(wanted_certificate){.name = "nats", .alt = "DNS:localhost,IP:127.0.0.1", VALID_FROM_TO},
                    path_into(certificate, "nats.pem"), path_into(key, "nats.key"));
    authority_deinit(&a);
    char *block = documented();
    snprintf(text, sizeof text, "%s\ntls { cert_file: \"%s\", key_file: \"%s\" }\n", block, certificate, key);
    free(block);
    write_text(path_into(config, "nats.conf"), text);
    nats_server_start(&server, "nats", config);
}

static void stop_server(void)
{
    nats_server_kill(&server);
}

static const char *url_of(const char *user)
{
    snprintf(url, sizeof url, "tls://%s:change-me@localhost:%d", user, server.port);
    return url;
}

static void start_navd(daemon_process *d, const char *user, const char *name, const char *authorities, bool worker)
{
    char path[PATH_BYTES];
    const char *arguments[12] = {"--farm", url_of(user), "--threads", "1"};
    int n = 4;
    if (authorities) arguments[n++] = "--farm-ca", arguments[n++] = authorities;
    if (!worker) arguments[n++] = "--farm-tiles", arguments[n++] = "4";
    const daemon_options o = {
        .arguments = arguments, .socket = path_into(path, name), .no_tcp = true, .worker = worker};
    daemon_launch(d, &o);
}

START_TEST(a_daemon_and_a_worker_may_do_their_work)
{
    daemon_process worker, navd;
    const char *scene = temp_path("hills.obj");
    write_hills(scene, FULL_OR_SANITIZED(120, 60));
    start_navd(&worker, "worker", "worker.sock", ca, true);
    start_navd(&navd, "film", "film.sock", ca, false);
    daemon_await(&navd, "event=farm.peer", "kind=worker", NULL);
    outcome r = run_navctl("push", scene, "-w", "hills", "--namespace", "film", "-c", navd.socket, "-o",
                           temp_path("farm.bin"), NULL);
    EXPECT_CODE(r, 0);
    ck_assert_uint_gt(daemon_stat(&navd, "farm_made"), 0); // a worker has built some of them
    EXPECT_CODE(run_navctl("build", scene, "-o", temp_path("here.bin"), NULL), 0);
    size_t a_count, b_count;
    uint8_t *a = read_file(temp_path("farm.bin"), &a_count), *b = read_file(temp_path("here.bin"), &b_count);
    ck_assert(a_count == b_count && !memcmp(a, b, a_count));
    free(a);
    free(b);
    ck_assert(!daemon_said(&navd, "level=warn event=farm.trouble") && !daemon_said(&navd, "farm.deaf"));
    ck_assert(!daemon_said(&navd, "change-me") && !daemon_said(&worker, "change-me")); // no password in a log
    ck_assert_int_eq(daemon_stop(&navd), 0);
    ck_assert_int_eq(daemon_stop(&worker), 0);
}
END_TEST

START_TEST(worlds_of_the_namespace_may_be_published_and_followed)
{
    daemon_process leader, follower;
    char path[PATH_BYTES], state[PATH_BYTES];
    outcome r;
    const char *leading[] = {"--farm", url_of("film"), "--farm-ca", ca, "--farm-worlds", "publish", NULL};
    daemon_options o = {.arguments = leading,
                        .socket = path_into(path, "leader.sock"),
                        .state = path_into(state, "leader"),
                        .no_tcp = true};
    daemon_launch(&leader, &o);
    const char *following[] = {"--farm", url_of("film"), "--farm-ca", ca, "--farm-worlds", "follow", NULL};
    o.arguments = following;
    o.socket = path_into(path, "follower.sock");
    o.state = path_into(state, "follower");
    daemon_launch(&follower, &o);
    EXPECT_CODE(run_navctl("push", yard(), "-w", "yard", "--namespace", "film", "-c", leader.socket, NULL), 0);
    bool there = false;
    for (double until = clock_ms() + PATIENCE_MS; clock_ms() < until && !there;) {
        r = run_navctl("world", "list", "--namespace", "film", "-c", follower.socket, NULL);
        EXPECT_CODE(r, 0);
        there = strstr(r.out, "yard") && strstr(r.out, "4 instances");
    }
    ck_assert_msg(there, "the world did not come: %s", r.out);
    ck_assert(!daemon_said(&leader, "farm.deaf") && !daemon_said(&follower, "farm.deaf"));
    ck_assert_int_eq(daemon_stop(&follower), 0);
    ck_assert_int_eq(daemon_stop(&leader), 0);
}
END_TEST

// NULL: it was let.
static const char *publish_as(const char *user, const char *subject)
{
    natsOptions *o = NULL;
    natsConnection *c = NULL;
    const char *why = NULL;
    static char said[256];
    ck_assert_int_eq(natsOptions_Create(&o), NATS_OK);
    ck_assert_int_eq(natsOptions_SetURL(o, url_of(user)), NATS_OK);
    ck_assert_int_eq(natsOptions_LoadCATrustedCertificates(o, ca), NATS_OK);
    ck_assert_int_eq(natsOptions_SetSecure(o, true), NATS_OK);
    ck_assert_int_eq(natsConnection_Connect(&c, o), NATS_OK);
    ck_assert_int_eq(natsConnection_PublishString(c, subject, "tiles"), NATS_OK);
    ck_assert_int_eq(natsConnection_FlushTimeout(c, PATIENCE_MS), NATS_OK); // the server's word comes before its pong
    if (natsConnection_GetLastError(c, &why) != NATS_OK) snprintf(said, sizeof said, "%s", why ? why : "refused");
    bool refused = why && why[0];
    natsConnection_Destroy(c);
    natsOptions_Destroy(o);
    return refused ? said : NULL;
}

START_TEST(a_team_stays_in_its_namespace)
{
    ck_assert_ptr_null(publish_as("film", "navd.film.tiles.a.0"));
    const char *said = publish_as("film", "navd.game.tiles.a.0");
    ck_assert_msg(said && strcasestr(said, "permissions violation"), "%s", said ? said : "it was let");
    said = publish_as("film", "navd.game.jobs.v4.x");
    ck_assert_msg(said && strcasestr(said, "permissions violation"), "%s", said ? said : "it was let");
    said = publish_as("worker", "navd.film.jobs.v4.x"); // a worker gives no work
    ck_assert_msg(said && strcasestr(said, "permissions violation"), "%s", said ? said : "it was let");
}
END_TEST

START_TEST(a_server_that_nobody_vouches_for_is_not_talked_to)
{
    daemon_process navd;
    const char *scene = yard();
    start_navd(&navd, "film", "film.sock", NULL, false); // the system's authorities do not know it
    EXPECT_CODE(run_navctl("push", scene, "-w", "yard", "-c", navd.socket, NULL), 0);
    outcome r = run_navctl("farm", "-c", navd.socket, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "\"up\": false"), "%s", r.out);
    ck_assert(!daemon_said(&navd, "event=farm.up"));
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

int main(void)
{
    if (!nats_server_is_there()) return 0;
    Suite *s = suite_create("teams");
    TCase *t = tcase_create("teams");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, start_server, stop_server);
    tcase_add_test(t, a_daemon_and_a_worker_may_do_their_work);
    tcase_add_test(t, worlds_of_the_namespace_may_be_published_and_followed);
    tcase_add_test(t, a_team_stays_in_its_namespace);
    tcase_add_test(t, a_server_that_nobody_vouches_for_is_not_talked_to);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
