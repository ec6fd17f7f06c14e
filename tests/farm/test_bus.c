// The connection to a NATS server: tasks, subscriptions, servers that are away, identities.
#include "daemon/base/thread.h"
#include "daemon/bus/bus_parts.h"
#include "daemon/farm/farm_options.h"
#include "daemon/farm/names.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/farm/nats_server.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

typedef struct own {
    uv_loop_t loop;
    nd_bus *bus;
    int ups, downs, heard, done, undone;
    char last[64];
    nd_bus_ear *ear;
    bool hush;
} own;

static void on_state(void *user, bool up)
{
    own *o = user;
    *(up ? &o->ups : &o->downs) += 1;
}

static nd_bus_options options_of(own *o, const char *url)
{
    return (nd_bus_options){.url = url,
                            .name = "test",
                            .credentials = "",
                            .nkey = "",
                            .ca = "",
                            .certificate = "",
                            .key = "",
                            .on_state = on_state,
                            .user = o};
}

static void open_with(own *o, const nd_bus_options *options)
{
    char why[512];
    nd_thread_set_loop(true);
    ck_assert_int_eq(uv_loop_init(&o->loop), 0);
    ck_assert_msg(nd_bus_create(&o->loop, options, why, sizeof why, &o->bus) == NAV_OK, "%s", why);
}

static void open_bus(own *o, const char *url)
{
    memset(o, 0, sizeof *o);
    const nd_bus_options options = options_of(o, url);
    open_with(o, &options);
}

static void close_bus(own *o)
{
    nd_bus_close(o->bus);
    ck_assert_int_eq(uv_run(&o->loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(uv_loop_close(&o->loop), 0);
}

static void run_until(own *o, const int *count, int enough)
{
    while (*count < enough) (void)uv_run(&o->loop, UV_RUN_ONCE);
}

static void on_message(void *user, const nd_bus_message *m)
{
    own *o = user;
    snprintf(o->last, sizeof o->last, "%s=%.*s", m->subject, (int)m->count, (const char *)m->bytes);
    o->heard++;
    if (o->hush) nd_bus_hush(o->bus, o->ear);
}

START_TEST(what_is_told_is_heard)
{
    nats_server n;
    own o;
    nats_server_start(&n, "nats", NULL);
    open_bus(&o, n.url);
    ck_assert_int_eq(nd_bus_listen(o.bus, ND_BUS_ORDERS, "a.*", on_message, &o, &o.ear), NAV_OK);
    ck_assert_int_eq(nd_bus_tell(o.bus, ND_BUS_ORDERS, "a.b", "hello", 5), NAV_OK);
    run_until(&o, &o.heard, 1);
    ck_assert_str_eq(o.last, "a.b=hello");
    ck_assert(nd_bus_is_up(o.bus));
    o.hush = true; // from inside of the call
    ck_assert_int_eq(nd_bus_tell(o.bus, ND_BUS_ORDERS, "a.c", "", 0), NAV_OK);
    run_until(&o, &o.heard, 2);
    ck_assert_str_eq(o.last, "a.c=");
    ck_assert_uint_ge(nd_bus_stats_of(o.bus).messages_in, 2);
    close_bus(&o);
    nats_server_kill(&n);
}
END_TEST

enum { FLOOD = 150000 }; // at least 64 MB with what each takes

static void flood(nd_bus_task *task, const nd_bus_link *link)
{
    (void)task;
    for (int i = 0; i < FLOOD; i++) (void)natsConnection_Publish(link->connection, "a.x", NULL, 0);
}

static void flooded(nd_bus_task *task, bool ran)
{
    (void)task;
    (void)ran;
}

START_TEST(messages_without_words_take_room_as_well)
{
    nats_server n;
    own o;
    nd_bus_task task = {.run = flood, .done = flooded};
    nats_server_start(&n, "nats", NULL);
    open_bus(&o, n.url);
    ck_assert_int_eq(nd_bus_listen(o.bus, ND_BUS_ORDERS, "a.*", on_message, &o, &o.ear), NAV_OK);
    ck_assert_int_eq(nd_bus_tell(o.bus, ND_BUS_ORDERS, "a.b", "", 0), NAV_OK);
    run_until(&o, &o.heard, 1);
    nd_bus_push(o.bus, ND_BUS_ORDERS, &task);
    while (!nd_bus_stats_of(o.bus).lost) (void)sched_yield(); // the loop takes none
    run_until(&o, &o.heard, 100000);
    close_bus(&o);
    nats_server_kill(&n);
}
END_TEST

typedef struct asks {
    nd_bus_task task;
    own *o;
    nav_status status;
} asks;

static void add_stream(nd_bus_task *task, const nd_bus_link *link)
{
    jsStreamConfig cfg;
    jsErrCode code = 0;
    const char *subjects[] = {"stored.>"};
    jsStreamConfig_Init(&cfg);
    cfg.Name = "stored";
    cfg.Subjects = subjects;
    cfg.SubjectsLen = 1;
    ((asks *)task)->status = nd_bus_status(js_AddStream(NULL, link->streams, &cfg, NULL, &code), code);
}

static void get_nothing(nd_bus_task *task, const nd_bus_link *link)
{
    natsMsg *m = NULL;
    jsErrCode code = 0;
    ((asks *)task)->status = nd_bus_status(js_GetLastMsg(&m, link->streams, "stored", "stored.x", NULL, &code), code);
}

static void expect_wrong(nd_bus_task *task, const nd_bus_link *link)
{
    jsPubOptions p;
    jsErrCode code = 0;
    jsPubOptions_Init(&p);
    p.ExpectLastSubjectSeq = 77;
    ((asks *)task)->status = nd_bus_status(js_Publish(NULL, link->streams, "stored.y", "1", 1, &p, &code), code);
}

static void asked(nd_bus_task *task, bool ran)
{
    asks *a = (asks *)task;
    *(ran ? &a->o->done : &a->o->undone) += 1;
}

START_TEST(tasks_wait_for_answers)
{
    nats_server n;
    own o;
    nats_server_start(&n, "nats", NULL);
    open_bus(&o, n.url);
    void (*const runs[])(nd_bus_task *, const nd_bus_link *) = {add_stream, get_nothing, expect_wrong};
    const nav_status expected[] = {NAV_OK, NAV_ERR_NOT_FOUND, NAV_ERR_STATE};
    asks a[3];
    for (int i = 0; i < 3; i++) {
        a[i] = (asks){.task = {.run = runs[i], .done = asked}, .o = &o};
        nd_bus_push(o.bus, ND_BUS_RECORDS, &a[i].task);
    }
    run_until(&o, &o.done, 3);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(a[i].status, expected[i]);
    ck_assert_uint_eq(nd_bus_waiting(o.bus, ND_BUS_RECORDS), 0);
    close_bus(&o);
    nats_server_kill(&n);
}
END_TEST

START_TEST(a_server_goes_and_comes_back)
{
    nats_server n;
    own o;
    nats_server_start(&n, "nats", NULL);
    open_bus(&o, n.url);
    ck_assert_int_eq(nd_bus_listen(o.bus, ND_BUS_ORDERS, "a", on_message, &o, &o.ear), NAV_OK);
    run_until(&o, &o.ups, 1);
    nats_server_kill(&n);
    run_until(&o, &o.downs, 1);
    ck_assert(!nd_bus_is_up(o.bus));
    asks a = {.task = {.run = get_nothing, .done = asked}, .o = &o};
    nd_bus_push(o.bus, ND_BUS_BULK, &a.task); // fails, and does not wait for long
    run_until(&o, &o.done, 1);
    ck_assert_int_ne(a.status, NAV_OK);
    nats_server_restart(&n);
    run_until(&o, &o.ups, 2);
    ck_assert_int_eq(nd_bus_tell(o.bus, ND_BUS_ORDERS, "a", "again", 5), NAV_OK);
    run_until(&o, &o.heard, 1);
    ck_assert_str_eq(o.last, "a=again");
    close_bus(&o);
    nats_server_kill(&n);
}
END_TEST

// The library gives a connection up where the login is refused; the bus does not, and who listens hears again.
START_TEST(a_server_that_refuses_the_login_may_think_again)
{
    nats_server n;
    own o;
    char config[256], url[96];
    snprintf(config, sizeof config, "%s", temp_path("nats.conf"));
    write_text(config, "authorization { user: a, password: one }\n");
    nats_server_start(&n, "nats", config);
    snprintf(url, sizeof url, "nats://a:two@127.0.0.1:%d", n.port);
    open_bus(&o, url);
    ck_assert_int_eq(nd_bus_listen(o.bus, ND_BUS_ORDERS, "a", on_message, &o, &o.ear), NAV_OK);
    asks a = {.task = {.run = get_nothing, .done = asked}, .o = &o};
    nd_bus_push(o.bus, ND_BUS_ORDERS, &a.task); // runs when there is a connection, of whatever kind
    run_until(&o, &o.done, 1);
    ck_assert_int_ne(a.status, NAV_OK);
    ck_assert_int_eq(o.ups, 0);
    nats_server_kill(&n);
    write_text(config, "authorization { user: a, password: two }\n");
    nats_server_restart(&n);
    run_until(&o, &o.ups, 1);
    while (!o.heard) { // it is told again until who listens is there
        ck_assert_int_eq(nd_bus_tell(o.bus, ND_BUS_ORDERS, "a", "again", 5), NAV_OK);
        (void)uv_run(&o.loop, UV_RUN_ONCE);
    }
    close_bus(&o);
    nats_server_kill(&n);
}
END_TEST

// Where there is no server, the one who waits for it ends when it is told to.
START_TEST(no_server_at_all)
{
    own o;
    open_bus(&o, "nats://127.0.0.1:1");
    asks a = {.task = {.run = get_nothing, .done = asked}, .o = &o};
    ck_assert_int_eq(nd_bus_listen(o.bus, ND_BUS_ORDERS, "a", on_message, &o, &o.ear), NAV_OK);
    nd_bus_push(o.bus, ND_BUS_BULK, &a.task);
    (void)uv_run(&o.loop, UV_RUN_NOWAIT);
    close_bus(&o);
    ck_assert_int_eq(o.done + o.undone, 1);
    ck_assert_int_eq(o.ups, 0);
}
END_TEST

START_TEST(bad_options_are_told)
{
    static const char *const urls[] = {
        "",           "http://a:1",     "nats://",    "127.0.0.1:4222", "nats://a:1,", "nats://u:secret@",
        "nats://a:0", "nats://a:65536", "nats://a:b", "tls://[::1]:1x"};
    own o = {0};
    char why[512];
    nd_bus *bus;
    nd_thread_set_loop(true);
    ck_assert_int_eq(uv_loop_init(&o.loop), 0);
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        const nd_bus_options options = options_of(&o, urls[i]);
        ck_assert_msg(nd_bus_create(&o.loop, &options, why, sizeof why, &bus) == NAV_ERR_ARGUMENT, "%s", urls[i]);
        ck_assert_ptr_nonnull(strstr(why, "--farm"));
        ck_assert_ptr_null(strstr(why, "secret"));
    }
    const struct {
        const char *member, *option;
    } files[] = {{"nkey", "--farm-nkey"}, {"credentials", "--farm-credentials"}, {"ca", "--farm-ca"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        nd_bus_options options = options_of(&o, "nats://127.0.0.1:1");
        *(i == 0 ? &options.nkey : i == 1 ? &options.credentials : &options.ca) = "/nowhere/file";
        ck_assert_int_eq(nd_bus_create(&o.loop, &options, why, sizeof why, &bus), NAV_ERR_ARGUMENT);
        ck_assert_msg(strstr(why, files[i].option) && strstr(why, "/nowhere/file"), "%s", why);
    }
    (void)uv_run(&o.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&o.loop), 0);
}
END_TEST

START_TEST(options_that_do_not_go_together_are_told)
{
    static const struct {
        const char *arguments[6];
        int count;
        const char *words; // NULL: they are good
    } cases[] = {
        {{"--farm", "nats://a:4222"}, 2, NULL},
        {{"--farm", "nats://a:4222", "--worker"}, 3, NULL},
        {{"--farm", "nats://a:1,tls://b:2", "--farm-worlds", "standby", "--state", "/tmp/s"}, 6, NULL},
        {{"--worker"}, 1, "there is no farm to work for"},
        {{"--farm-worlds", "follow"}, 2, "there is no farm"},
        {{"--farm", "nats://a:4222", "--farm-name", "a.b"}, 4, "farm_name"},
        {{"--farm", "nats://a:4222", "--farm-worlds", "follow", "--worker"}, 5, "a worker has no worlds"},
        {{"--farm", "nats://a:4222", "--farm-worlds", "publish", "--state", ""}, 6, "set state"},
        {{"--farm", "a:4222"}, 2, "nats://HOST:PORT"},
        {{"--farm", "tls://a:4222", "--farm-certificate", "/x"}, 4, "go together"},
    };
    char why[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nd_config c;
        nd_config_default(&c);
        ck_assert_int_eq(nd_config_parse(&c, cases[i].count, (char *const *)cases[i].arguments, why, sizeof why),
                         NAV_OK);
        const nav_status s = nd_farm_check_options(&c, why, sizeof why);
        ck_assert_msg((s == NAV_OK) == !cases[i].words, "%zu: %s", i, why);
        if (cases[i].words) ck_assert_msg(strstr(why, cases[i].words) != NULL, "%zu: %s", i, why);
    }
}
END_TEST

START_TEST(namespaces_become_tokens_of_subjects)
{
    char token[16];
    ck_assert(nd_farm_space_token("a-b_9", token, sizeof token));
    ck_assert_str_eq(token, "a-b_9");
    ck_assert(nd_farm_space_token("a.b", token, sizeof token));
    ck_assert_str_eq(token, "a%2Eb");
    ck_assert(nd_farm_space_token("", token, sizeof token));
    ck_assert_str_eq(token, "%");
    ck_assert(!nd_farm_space_token("sixteen-letters-", token, sizeof token));
    static const char *const wrong[] = {"%4", "%1G", "a%", "%2", "%00", "%g1"};
    char longest[ND_NAMESPACE_BYTES], space[ND_NAMESPACE_BYTES], of_longest[ND_SPACE_BYTES], subject[ND_SUBJECT_BYTES];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) ck_assert(!nd_farm_read_space(wrong[i], space));
    ck_assert(nd_farm_read_space("%", space) && !space[0]);
    memset(longest, '.', sizeof longest);
    longest[0] = 'a';
    longest[sizeof longest - 1] = 0;
    ck_assert(nd_farm_space_token(longest, of_longest, sizeof of_longest));
    ck_assert(nd_farm_read_space(of_longest, space));
    ck_assert_str_eq(space, longest);
    snprintf(subject, sizeof subject, "farm.%s.jobs.v4.x", of_longest);
    ck_assert_str_eq(nd_farm_subject_space("farm", subject, of_longest), "jobs.v4.x");
    ck_assert_ptr_null(nd_farm_subject_space("far", subject, of_longest));
    ck_assert_ptr_null(nd_farm_subject_space("farm", "farm..jobs", of_longest));
    ck_assert_ptr_null(nd_farm_subject_space("farm", "farm.jobs", of_longest));
}
END_TEST

// A user of nobody.
static const char seed[] = "SUAMLK2ZNL35WSMW37E7UD4VZ7ELPKW7DHC3BWBSD2GCZ7IUQQXZIORRBU";

START_TEST(a_server_knows_the_nkey)
{
    nats_server n;
    own o = {0};
    char key[ND_NKEY_BYTES], why[512], text[512], seed_path[256], config_path[256];
    snprintf(seed_path, sizeof seed_path, "%s", temp_path("seed"));
    snprintf(config_path, sizeof config_path, "%s", temp_path("nats.conf"));
    snprintf(text, sizeof text, "-----BEGIN USER NKEY SEED-----\n%s\n", seed);
    write_text(seed_path, text);
    ck_assert_msg(nd_nkey_public(seed_path, key, why, sizeof why) == NAV_OK, "%s", why);
    snprintf(text, sizeof text, "authorization { users = [ { nkey: %s } ] }\n", key);
    write_text(config_path, text);
    nats_server_start(&n, "nats", config_path);
    nd_bus_options options = options_of(&o, n.url);
    options.nkey = seed_path;
    open_with(&o, &options);
    run_until(&o, &o.ups, 1);
    close_bus(&o);
    nats_server_kill(&n);

    snprintf(text, sizeof text, "%s", seed);
    text[20] = text[20] == 'A' ? 'B' : 'A'; // the checksum finds it
    write_text(seed_path, text);
    ck_assert_int_eq(nd_nkey_public(seed_path, key, why, sizeof why), NAV_ERR_ARGUMENT);
    write_text(seed_path, "nothing of the kind");
    ck_assert_int_eq(nd_nkey_public(seed_path, key, why, sizeof why), NAV_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    const bool served = nats_server_is_there();
    Suite *s = suite_create("bus");
    TCase *t = tcase_create("bus");
    if (served) {
        tcase_add_test(t, what_is_told_is_heard);
        tcase_add_test(t, messages_without_words_take_room_as_well);
        tcase_add_test(t, tasks_wait_for_answers);
        tcase_add_test(t, a_server_goes_and_comes_back);
        tcase_add_test(t, a_server_that_refuses_the_login_may_think_again);
        tcase_add_test(t, a_server_knows_the_nkey);
    }
    tcase_add_test(t, no_server_at_all);
    tcase_add_test(t, bad_options_are_told);
    tcase_add_test(t, options_that_do_not_go_together_are_told);
    tcase_add_test(t, namespaces_become_tokens_of_subjects);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
