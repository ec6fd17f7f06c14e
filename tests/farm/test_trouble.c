// A farm that is not there, does not answer, is full, or has workers of another version alone: tiles are built at home,
// and edits never wait. A wait would be for ever here: the time after which a job is given up is an hour.
#include "daemon/farm/area_format.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/bystander.h"
#include "tests/farm/area_fixture.h"
#include "tests/farm/farm_hand.h"
#include "tests/farm/nats_server.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIDE = 24, EDITS = 12 };

static nats_server server;
static daemon_process navd, truth, worker;
static bystander well;
static peer load, loaded;
static char load_name[16];

static void launch_navd(const char *url)
{
    const char *const arguments[] = {
        "--farm", url, "--farm-name", HAND_FARM, "--farm-job-s", "3600", "--farm-tiles", "1", "--threads", "1", NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments, .no_tcp = true});
    daemon_launch(&truth, &(daemon_options){.no_tcp = true, .socket = temp_path("truth.sock")});
}

static void launch_worker(void)
{
    const char *const arguments[] = {"--farm", server.url, "--farm-name", HAND_FARM, NULL};
    daemon_launch(&worker, &(daemon_options){.arguments = arguments, .worker = true});
}

// A world of many tiles that wait, in both daemons.
static void begin_load(void)
{
    static int loads;
    city c;
    snprintf(load_name, sizeof load_name, "load%d", loads++);
    city_build(&c, load_name, SIDE, navd.socket);
    city_build(&c, load_name, SIDE, truth.socket);
    peer_init(&load, load_name, SIDE);
    peer_init(&loaded, load_name, SIDE);
    ck_assert(peer_connect(&load, navd.socket));
    ck_assert(peer_connect(&loaded, truth.socket));
    ck_assert(peer_greeted(&load));
    ck_assert(peer_greeted(&loaded));
}

static void drop_load(void)
{
    peer_deinit(&load);
    peer_deinit(&loaded);
}

// Stops the worker and gives navd work, until a job is out. A worker that is silent for some seconds is taken for gone:
// where that was quicker than the work, once more.
static void stop_with_a_job_out(void)
{
    for (;;) {
        ck_assert_int_eq(kill(worker.pid, SIGSTOP), 0);
        begin_load();
        while (daemon_stat(&navd, "farm_workers"))
            if (daemon_stat(&navd, "farm_jobs_out")) return;
        drop_load();
        ck_assert_int_eq(kill(worker.pid, SIGCONT), 0);
        while (!daemon_stat(&navd, "farm_workers")) {
        }
    }
}

static void edit(void)
{
    for (int i = 0; i < EDITS; i++) bystander_edits(&well);
}

// All tiles are there, as if there were no farm.
static void end_load(void)
{
    peer_settle(&load);
    peer_settle(&loaded);
    ck_assert_uint_eq(peer_differences(&load, &loaded), 0);
    ck_assert_uint_eq(daemon_stat(&navd, "jobs_failed"), 0);
    drop_load();
    bystander_stop(&well);
    ck_assert_int_eq(daemon_stop(&navd), 0);
    ck_assert_int_eq(daemon_stop(&truth), 0);
}

START_TEST(a_farm_that_is_not_there)
{
    launch_navd("nats://127.0.0.1:1");
    bystander_start(&well, &navd, 4);
    begin_load();
    edit();
    end_load();
}
END_TEST

// It takes connections and says nothing.
START_TEST(a_server_that_is_silent_from_the_beginning)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t bytes = sizeof a;
    char url[64];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(listen(fd, 16), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &bytes), 0);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", ntohs(a.sin_port));
    launch_navd(url);
    bystander_start(&well, &navd, 4);
    begin_load();
    edit();
    end_load();
    close(fd);
}
END_TEST

// Tiles are out when server and worker stop to answer. Edits of others get theirs meanwhile; then all comes.
START_TEST(a_server_and_a_worker_that_stop_to_answer)
{
    nats_server_start(&server, "nats", NULL);
    launch_navd(server.url);
    daemon_await(&navd, "event=farm.up", NULL);
    launch_worker();
    daemon_await(&navd, "event=farm.peer kind=worker", NULL); // else it has no jobs for anybody
    bystander_start(&well, &navd, 4);
    stop_with_a_job_out();
    nats_server_pause(&server);
    edit();
    ck_assert_uint_gt(daemon_stat(&navd, "farm_tiles_out"), 0);
    ck_assert_int_eq(kill(worker.pid, SIGCONT), 0);
    nats_server_go_on(&server);
    end_load();
    ck_assert_int_eq(daemon_stop(&worker), 0);
    nats_server_kill(&server);
}
END_TEST

static void add_small_stream(farm_hand *h, const char *name, const char *subject, bool queue)
{
    jsStreamConfig cfg;
    jsErrCode code = 0;
    jsStreamConfig_Init(&cfg);
    cfg.Name = name;
    cfg.Subjects = &subject;
    cfg.SubjectsLen = 1;
    cfg.MaxBytes = 1024;
    cfg.Discard = js_DiscardNew;
    cfg.Retention = queue ? js_WorkQueuePolicy : js_LimitsPolicy;
    cfg.AllowDirect = !queue;
    cfg.MaxMsgsPerSubject = queue ? -1 : 1;
    ck_assert_int_eq(js_AddStream(NULL, h->streams, &cfg, NULL, &code), NATS_OK);
}

// Streams that take nothing: no mesh, no job, no tile.
START_TEST(a_server_that_is_full)
{
    farm_hand h = {0};
    nats_server_start(&server, "full", NULL);
    ck_assert_int_eq(natsConnection_ConnectTo(&h.connection, server.url), NATS_OK);
    ck_assert_int_eq(natsConnection_JetStream(&h.streams, h.connection, NULL), NATS_OK);
    add_small_stream(&h, HAND_FARM "_jobs", HAND_FARM ".*.jobs.>", true);
    add_small_stream(&h, HAND_FARM "_tiles", HAND_FARM ".*.tiles.>", false);
    add_small_stream(&h, HAND_FARM "_meshes", HAND_FARM ".*.meshes.>", false);
    launch_navd(server.url);
    launch_worker();
    bystander_start(&well, &navd, 4);
    begin_load();
    edit();
    daemon_await(&navd, "event=farm.trouble", NULL); // it has met it
    end_load();
    ck_assert_int_eq(daemon_stop(&worker), 0);
    hand_close(&h);
    nats_server_kill(&server);
}
END_TEST

// A worker that is there, and of another version: it says so each time it is asked.
START_TEST(workers_of_another_version_alone)
{
    farm_hand h;
    char subject[ND_SUBJECT_BYTES];
    nav_buffer beat = {0};
    nats_server_start(&server, "other", NULL);
    hand_open(&h, server.url);
    nd_beat b = {.kind = ND_BEAT_WORKER, .generator = NAV_GENERATOR_VERSION + 1, .threads = 64};
    snprintf(b.id, sizeof b.id, "%s", h.id);
    snprintf(subject, sizeof subject, "%s.beat.%s", HAND_FARM, h.id);
    ck_assert_int_eq(nd_beat_write(&beat, &b), NAV_OK);
    launch_navd(server.url);
    bystander_start(&well, &navd, 4);
    daemon_await(&navd, "event=farm.up", NULL);
    do {
        hand_tell(&h, subject, beat.data, beat.size);
        ck_assert_uint_eq(daemon_stat(&navd, "farm_workers"), 0);
    } while (!daemon_said(&navd, "event=farm.peer kind=worker"));
    begin_load();
    hand_tell(&h, subject, beat.data, beat.size);
    edit();
    ck_assert_uint_eq(daemon_stat(&navd, "farm_workers"), 0);
    end_load();
    ck_assert_uint_eq(hand_jobs_left(&h), 0);
    nav_buffer_deinit(&beat);
    hand_close(&h);
    nats_server_kill(&server);
}
END_TEST

typedef struct liar {
    farm_hand hand;
    uint64_t chance;
    atomic_int lies;
} liar;

static void tell_lie(liar *l, const char *subject, const uint8_t *bytes, size_t count)
{
    uint8_t lie[4096];
    if (count > sizeof lie) count = sizeof lie;
    if (count) memcpy(lie, bytes, count);
    const uint32_t how = random_below(&l->chance, 3);
    if (how == 0 || !count) { // noise
        count = 1 + random_below(&l->chance, sizeof lie - 1);
        for (size_t i = 0; i < count; i++) lie[i] = (uint8_t)random_below(&l->chance, 256);
    } else if (how == 1) {
        lie[random_below(&l->chance, (uint32_t)count)] ^= (uint8_t)(1 + random_below(&l->chance, 255));
    } else {
        count = random_below(&l->chance, (uint32_t)count);
    }
    hand_tell(&l->hand, subject, lie, count);
    l->lies++;
}

// A job goes by: its daemon hears nonsense of it before anybody can answer, and its area gets packs of nonsense.
static void on_job(natsConnection *connection, natsSubscription *subscription, natsMsg *m, void *user)
{
    liar *l = user;
    char subject[ND_SUBJECT_BYTES], daemon[ND_FARM_ID_BYTES];
    uint32_t generator;
    nd_done d = {.status = ND_DONE_BUILT, .built = 3};
    nav_buffer notice = {0};
    nd_pack_writer pack;
    const uint8_t *bytes = (const uint8_t *)natsMsg_GetData(m), data[100] = {1};
    const size_t count = (size_t)natsMsg_GetDataLength(m);
    (void)connection;
    (void)subscription;
    if (nd_area_job_peek(bytes, count, &generator, daemon, &d.job)) {
        nd_pack_writer_init(&pack);
        for (unsigned i = 0; i < 5; i++) {
            const nd_pack_tile t = pack_tile(i, data, sizeof data);
            if (nd_pack_writer_add(&pack, &t) != NAV_OK) abort();
        }
        nd_pack_writer_finish(&pack);
        nd_farm_pack_subject(HAND_FARM, HAND_SPACE, nav_key_load(bytes + ND_AREA_KEY_AT), 0, subject);
        for (int i = 0; i < 4; i++) tell_lie(l, subject, pack.parts[0].data, pack.parts[0].size);
        nd_pack_writer_deinit(&pack);
        snprintf(d.worker, sizeof d.worker, "%s", l->hand.id);
        if (nd_done_write(&notice, &d) != NAV_OK) abort();
        snprintf(subject, sizeof subject, "%s.%s.done.%s", HAND_FARM, HAND_SPACE, daemon);
        for (int i = 0; i < 4; i++) tell_lie(l, subject, notice.data, notice.size);
        snprintf(subject, sizeof subject, "%s.beat.%s", HAND_FARM, l->hand.id);
        for (int i = 0; i < 4; i++) tell_lie(l, subject, notice.data, notice.size);
        nav_buffer_deinit(&notice);
    }
    natsMsg_Destroy(m);
}

START_TEST(nonsense_on_a_daemon_s_subjects_does_no_harm)
{
    liar l = {.chance = wanted_count("NAVD_SEED", 3)};
    natsSubscription *jobs = NULL;
    nats_server_start(&server, "lies", NULL);
    hand_open(&l.hand, server.url);
    ck_assert_int_eq(natsConnection_Subscribe(&jobs, l.hand.connection, HAND_FARM ".*.jobs.>", on_job, &l), NATS_OK);
    ck_assert_int_eq(natsConnection_Flush(l.hand.connection), NATS_OK);
    launch_navd(server.url);
    launch_worker();
    daemon_await(&navd, "event=farm.peer kind=worker", NULL); // else it has no jobs for anybody
    bystander_start(&well, &navd, 4);
    begin_load();
    edit();
    end_load();
    ck_assert_int_eq(daemon_stop(&worker), 0);
    ck_assert_int_eq(natsSubscription_Unsubscribe(jobs), NATS_OK);
    ck_assert_int_eq(natsConnection_Flush(l.hand.connection), NATS_OK);
    natsSubscription_Destroy(jobs);
    ck_assert_int_gt(l.lies, 0);
    hand_close(&l.hand);
    nats_server_kill(&server);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("trouble");
    TCase *t = tcase_create("trouble");
    if (!nats_server_is_there()) return 0;
    tcase_set_timeout(t, TEST_S);
    tcase_add_test(t, a_farm_that_is_not_there);
    tcase_add_test(t, a_server_that_is_silent_from_the_beginning);
    tcase_add_test(t, a_server_and_a_worker_that_stop_to_answer);
    tcase_add_test(t, a_server_that_is_full);
    tcase_add_test(t, workers_of_another_version_alone);
    tcase_add_test(t, nonsense_on_a_daemon_s_subjects_does_no_harm);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
