// Staying connected: a client whose connection breaks comes back by itself, and gets what changed meanwhile and no
// more.
#include "navd.h"
#include "tests/check.h"
#include "tests/daemon/fixture.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { SIDE = 16 }; // places of tiles looked at, from -SIDE/2

typedef struct watcher {
    navd_client *c;
    uint64_t subscription;
    nav_key tiles[SIDE][SIDE]; // zero: none
    unsigned came, lost, restored, resets, ended;
    uint64_t synced;
    char text[256];
} watcher;

static daemon_fixture daemon_;
static client editor; // raw
static watcher w;

static void on_tile(void *user, const navd_tile *t)
{
    watcher *me = user;
    ck_assert_int_ge(t->x, -SIDE / 2);
    ck_assert_int_lt(t->x, SIDE / 2);
    ck_assert_uint_eq(t->subscription, me->subscription ? me->subscription : t->subscription);
    me->tiles[t->z + SIDE / 2][t->x + SIDE / 2] =
        t->status == NAVD_TILE_REMOVED ? (nav_key){0, 0} : nav_key_load(t->key.bytes);
    me->came++;
}

static void on_event(void *user, const navd_event *e)
{
    watcher *me = user;
    switch (e->kind) {
    case NAVD_EVENT_LOST:
        me->lost++;
        break;
    case NAVD_EVENT_RESTORED:
        me->restored++;
        break;
    case NAVD_EVENT_SYNCED:
        me->synced = e->revision;
        break;
    case NAVD_EVENT_RESET:
        me->resets++;
        memset(me->tiles, 0, sizeof me->tiles);
        break;
    case NAVD_EVENT_ENDED:
        me->ended++;
        break;
    case NAVD_EVENT_SETTINGS:
        return; // test_client_profiles
    case NAVD_EVENT_AREAS:
        return;
    }
    if (e->text[0]) snprintf(me->text, sizeof me->text, "%s", e->text);
}

static void connect_to(watcher *me)
{
    char why[300];
    navd_options o = {.address = daemon_.config.socket, .name = "resume", .timeout_ms = 240000, .keep_connected = true};
    memset(me, 0, sizeof *me);
    ck_assert_msg(navd_connect_with(&o, &me->c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_on_tile(me->c, on_tile, me);
    navd_on_event(me->c, on_event, me);
}

static void subscribe(watcher *me)
{
    navd_world world;
    navd_subscription_options o = {.profile = "walker"};
    ck_assert_int_eq(navd_world_open(me->c, "w", false, NULL, NULL, 0, &world), NAVD_OK);
    ck_assert_int_eq(navd_subscribe(me->c, world.id, &o, &me->subscription), NAVD_OK);
    navd_world_free(&world);
}

static void wait_for(const watcher *me)
{
    struct pollfd p = {.fd = navd_fd(me->c), .events = (short)(POLLIN | (navd_want_write(me->c) ? POLLOUT : 0))};
    (void)poll(&p, 1, navd_wait_ms(me->c));
}

// Until it has everything of this revision.
static void follow(watcher *me, uint64_t revision)
{
    while (me->synced < revision && !me->ended) {
        ck_assert_int_eq(navd_process(me->c), NAVD_OK);
        if (me->synced < revision) wait_for(me);
    }
}

static uint64_t edit(const np_op *ops, uint32_t count)
{
    np_world_edit_response r;
    np_error err;
    nav_status s = client_edit(&editor, ops, count, &r, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    client_settle(&editor);
    return r.revision;
}

static unsigned differences(const watcher *a, const watcher *b)
{
    unsigned n = 0;
    for (int i = 0; i < SIDE * SIDE; i++) n += !nav_key_equal((&a->tiles[0][0])[i], (&b->tiles[0][0])[i]);
    return n;
}

// What one who comes now gets.
static void compare_with_newcomer(uint64_t revision)
{
    static watcher fresh;
    connect_to(&fresh);
    subscribe(&fresh);
    follow(&fresh, revision);
    ck_assert_uint_gt(fresh.came, 0);
    ck_assert_uint_eq(differences(&w, &fresh), 0);
    navd_close(fresh.c);
}

static void start(void)
{
    fixture_start(&daemon_, NULL);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&editor, &daemon_);
    client_open(&editor);
    connect_to(&w);
}

static void stop(void)
{
    navd_close(w.c);
    client_close(&editor);
    fixture_stop(&daemon_);
}

START_TEST(after_a_break_only_what_changed_comes_removals_too)
{
    nav_key floor = client_put_box(&editor, 1, 0.5f, 1), box = client_put_box(&editor, 0.3f, 1, 0.3f);
    np_op scene[] = {op_put(1, floor, 0, 0, 0), op_put(2, floor, 12, 0, 0), op_put(3, floor, 0, 0, 12),
                     op_put(4, box, 0, 1, 0)};
    uint64_t revision = edit(scene, 4);
    subscribe(&w);
    follow(&w, revision);
    unsigned all = w.came;
    ck_assert_uint_ge(all, 12); // three floors, four tiles each

    ck_assert_int_eq(shutdown(navd_fd(w.c), SHUT_RDWR), 0);
    np_op away = op_remove(2), move = op_move(4, 0.2f, 1, 0.2f);
    edit(&away, 1);
    revision = edit(&move, 1);
    follow(&w, revision);
    ck_assert_uint_eq(w.lost, 1);
    ck_assert_uint_eq(w.restored, 1);
    ck_assert_uint_eq(w.resets, 0);
    ck_assert_uint_gt(w.came, all);
    ck_assert_msg(3 * (w.came - all) <= 2 * all, "%u of %u tiles came, for two of three places", w.came - all, all);
    compare_with_newcomer(revision);
}
END_TEST

START_TEST(tiles_that_came_after_the_last_synced_count_as_well)
{
    nav_key floor = client_put_box(&editor, 1, 0.5f, 1);
    np_op first = op_put(1, floor, 0, 0, 0);
    uint64_t revision = edit(&first, 1);
    subscribe(&w);
    follow(&w, revision);
    for (int i = 0; i < 10; i++) { // breaks at any moment
        np_op next = op_put(2, floor, (float)(i % 5) * 2 - 4, 0, 8);
        np_world_edit_response r;
        ck_assert_int_eq(client_edit(&editor, &next, 1, &r, NULL), NAV_OK);
        revision = r.revision;
        for (int k = 0; k < i; k++) ck_assert_int_eq(navd_process(w.c), NAVD_OK);
        if (navd_is_connected(w.c)) ck_assert_int_eq(shutdown(navd_fd(w.c), SHUT_RDWR), 0);
        follow(&w, i % 2 ? revision : 0);
    }
    follow(&w, revision);
    compare_with_newcomer(revision);
}
END_TEST

START_TEST(blocking_calls_wait_for_the_connection)
{
    navd_counter *counters;
    size_t count;
    ck_assert_int_eq(shutdown(navd_fd(w.c), SHUT_RDWR), 0);
    ck_assert_int_eq(navd_process(w.c), NAVD_OK); // notices
    ck_assert(!navd_is_connected(w.c));
    ck_assert_int_eq(navd_fd(w.c), -1);
    ck_assert_int_ge(navd_wait_ms(w.c), 0);
    ck_assert_int_eq(navd_stats(w.c, &counters, &count), NAVD_OK);
    free(counters);
    ck_assert(navd_is_connected(w.c));
    ck_assert_uint_eq(w.restored, 1);
}
END_TEST

START_TEST(a_subscription_can_be_ended_and_aimed_under_its_first_id_after_a_break)
{
    subscribe(&w);
    ck_assert_int_eq(shutdown(navd_fd(w.c), SHUT_RDWR), 0);
    ck_assert_int_eq(navd_process(w.c), NAVD_OK);
    ck_assert_int_eq(navd_set_focus(w.c, w.subscription, (double[2]){3, 4}), NAVD_OK);
    ck_assert_int_eq(navd_unsubscribe(w.c, w.subscription), NAVD_OK);
    ck_assert_int_eq(navd_unsubscribe(w.c, w.subscription), NAVD_ERR_NOT_FOUND);
    ck_assert_uint_eq(client_stat(&editor, "sessions"), 2);
}
END_TEST

static void check_moved_to(const double metres[3], const float wanted_cm[3], uint64_t world)
{
    navd_objects all;
    const np_op move = op_move(1, (float)metres[0], (float)metres[1], (float)metres[2]);
    edit(&move, 1);
    ck_assert_msg(navd_world_objects(w.c, world, NULL, 0, &all) == NAVD_OK, "%s", navd_error_text(w.c));
    ck_assert_uint_eq(all.count, 1);
    for (int k = 0; k < 3; k++) ck_assert(all.objects[0].u.instance.transform[4 * k + 3] == wanted_cm[k]);
    navd_objects_free(&all);
}

START_TEST(axes_are_those_of_each_world_after_a_break)
{
    navd_world world, other, plain;
    const double place[3] = {1, 2, 3}, next[3] = {4, 5, 6};
    const float metres[3] = {1, 2, 3}, cm[3] = {100, -300, 200}, next_cm[3] = {400, -600, 500};
    const np_op put = op_put(1, client_put_box(&editor, 1, 1, 1), 0, 0, 0);
    edit(&put, 1);
    ck_assert_int_eq(navd_world_open(w.c, "w", false, NULL, NULL, 0, &plain), NAVD_OK);
    ck_assert(plain.to_metres[0] == 1 && plain.to_metres[5] == 1 && plain.to_metres[10] == 1);
    check_moved_to(place, metres, plain.id);
    navd_set_axes(w.c, &(navd_axes){NAVD_UP_Z, 0.01});
    ck_assert_int_eq(navd_world_open(w.c, "w", false, NULL, NULL, 0, &world), NAVD_OK);
    ck_assert(world.to_metres[0] == 0.01 && world.to_metres[6] == 0.01 && world.to_metres[9] == -0.01);
    check_moved_to(place, cm, world.id);
    // Of a world opened later, others: the first keeps its own.
    navd_set_axes(w.c, &(navd_axes){NAVD_UP_Y, 0});
    ck_assert_int_eq(navd_world_open(w.c, "other", true, NULL, NULL, 0, &other), NAVD_OK);

    subscribe(&w); // opens it in metres
    check_moved_to(place, metres, world.id);
    navd_set_axes(w.c, &(navd_axes){NAVD_UP_Z, 0.01});
    navd_world_free(&world);
    ck_assert_int_eq(navd_world_open(w.c, "w", false, NULL, NULL, 0, &world), NAVD_OK);
    navd_set_axes(w.c, &(navd_axes){NAVD_UP_Y, 1});
    for (int with_subscription = 1; with_subscription >= 0; with_subscription--) {
        ck_assert_int_eq(shutdown(navd_fd(w.c), SHUT_RDWR), 0);
        ck_assert_int_eq(navd_process(w.c), NAVD_OK); // notices
        ck_assert(!navd_is_connected(w.c));
        check_moved_to(with_subscription ? next : place, with_subscription ? next_cm : cm, world.id);
        if (with_subscription) ck_assert_int_eq(navd_unsubscribe(w.c, w.subscription), NAVD_OK);
    }
    navd_world unit;
    navd_set_axes(w.c, &(navd_axes){NAVD_UP_Y, -1});
    ck_assert_int_eq(navd_world_open(w.c, "w", false, NULL, NULL, 0, &unit), NAVD_ERR_ARGUMENT);
    ck_assert_msg(strstr(navd_error_text(w.c), "unit_m"), "%s", navd_error_text(w.c));
    navd_world_free(&world);
    navd_world_free(&other);
    navd_world_free(&plain);
}
END_TEST

START_TEST(a_daemon_that_is_gone_is_an_error_of_calls_in_time_and_no_end)
{
    navd_counter *counters;
    size_t count;
    client_close(&editor);
    fixture_stop(&daemon_);
    navd_set_timeout(w.c, 300);
    ck_assert_int_eq(navd_process(w.c), NAVD_OK);
    ck_assert_int_eq(navd_stats(w.c, &counters, &count), NAVD_ERR_CLOSED);
    ck_assert_ptr_nonnull(strstr(navd_error_text(w.c), daemon_.config.socket));
    ck_assert_uint_eq(w.lost, 1);
    fixture_start(&daemon_, NULL); // in another folder: the fixture's own
    client_connect(&editor, &daemon_);
    client_open(&editor);
}
END_TEST

// A daemon of the test's own, in the same thread: it answers nothing while the client does something.
static int listen_like_a_daemon(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, daemon_.config.socket);
    ck_assert_int_eq(mkdir(daemon_.folder, 0700), 0);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(listen(fd, 4), 0);
    return fd;
}

// Reads one request of this method and answers it.
static void answer_one(int fd, np_method method, const void *response)
{
    np_reader r;
    np_error err;
    np_message m = {0};
    const uint8_t *bytes;
    uint8_t chunk[4096];
    size_t count;
    nav_buffer out = {0};
    ck_assert_int_eq(np_reader_init(&r, NULL), NAV_OK);
    while (np_reader_next(&r, &bytes, &count) != NAV_OK) {
        ssize_t n = recv(fd, chunk, sizeof chunk, 0);
        ck_assert_int_gt(n, 0);
        ck_assert_int_eq(np_reader_feed(&r, chunk, (size_t)n), NAV_OK);
    }
    ck_assert_int_eq(np_message_read(bytes, count, &m, &err), NAV_OK);
    ck_assert_int_eq(np_method_of(&m), method);
    ck_assert_int_eq(np_response_encode(&out, method, m.id, response), NAV_OK);
    ck_assert_int_eq(send(fd, out.data, out.size, 0), (ssize_t)out.size);
    np_message_deinit(&m);
    nav_buffer_deinit(&out);
    np_reader_deinit(&r);
}

START_TEST(coming_back_never_waits_for_a_daemon_that_is_slow_to_answer)
{
    subscribe(&w);
    client_close(&editor);
    fixture_stop(&daemon_);
    int door = listen_like_a_daemon();
    while (!w.lost || navd_fd(w.c) < 0) { // one that waited would have given up by the time it returned
        wait_for(&w);
        ck_assert_int_eq(navd_process(w.c), NAVD_OK);
    }
    ck_assert(!navd_is_connected(w.c));
    int fd = accept(door, NULL, NULL);
    np_hello_response hello = {.server = np_str_of("navd"), .version = NP_PROTOCOL_VERSION};
    np_world_open_response world = {.world = editor.world};
    np_tiles_subscribe_response subscribed = {.subscription = 77, .revision = 5};
    answer_one(fd, NP_HELLO, &hello);
    ck_assert_int_eq(navd_process(w.c), NAVD_OK);
    answer_one(fd, NP_WORLD_OPEN, &world);
    ck_assert_int_eq(navd_process(w.c), NAVD_OK);
    ck_assert_uint_eq(w.restored, 0);
    navd_counter *counters;
    size_t count;
    navd_set_timeout(w.c, 1); // a call that may wait waits no longer than it may
    ck_assert_int_eq(navd_stats(w.c, &counters, &count), NAVD_ERR_CLOSED);
    answer_one(fd, NP_TILES_SUBSCRIBE, &subscribed);
    ck_assert_int_eq(navd_process(w.c), NAVD_OK);
    ck_assert_uint_eq(w.restored, 1);
    ck_assert(navd_is_connected(w.c));
    close(fd);
    close(door);
    unlink(daemon_.config.socket);
    ck_assert_int_eq(rmdir(daemon_.folder), 0);
    fixture_start(&daemon_, NULL);
    client_connect(&editor, &daemon_);
    client_open(&editor);
}
END_TEST

static void on_tcp(nd_config *c)
{
    strcpy(c->listen, "127.0.0.1:0");
}

START_TEST(a_name_is_looked_up_and_comes_back_the_same_way)
{
    char address[64], why[300];
    client_close(&editor);
    fixture_stop(&daemon_);
    fixture_start(&daemon_, on_tcp);
    client_connect(&editor, &daemon_);
    client_open(&editor);
    snprintf(address, sizeof address, "localhost:%d", nd_server_port(daemon_.server));
    navd_options o = {.address = address, .timeout_ms = 240000, .keep_connected = true};
    navd_close(w.c);
    memset(&w, 0, sizeof w);
    ck_assert_msg(navd_connect_with(&o, &w.c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_on_event(w.c, on_event, &w);
    ck_assert_int_eq(shutdown(navd_fd(w.c), SHUT_RDWR), 0);
    while (!w.restored) {
        ck_assert_int_eq(navd_process(w.c), NAVD_OK);
        if (!w.restored) wait_for(&w);
    }
    o.address = "a.name.invalid:1";
    o.timeout_ms = 500; // where nobody answers for names
    navd_client *none;
    ck_assert_int_ne(navd_connect_with(&o, &none, why, sizeof why), NAVD_OK);
    ck_assert_msg(!strncmp(why, "no navd at a.name.invalid:1: ", 29), "%s", why);
    ck_assert_ptr_null(none);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("resume");
    TCase *t = tcase_create("resume");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, after_a_break_only_what_changed_comes_removals_too);
    tcase_add_test(t, tiles_that_came_after_the_last_synced_count_as_well);
    tcase_add_test(t, blocking_calls_wait_for_the_connection);
    tcase_add_test(t, axes_are_those_of_each_world_after_a_break);
    tcase_add_test(t, a_subscription_can_be_ended_and_aimed_under_its_first_id_after_a_break);
    tcase_add_test(t, a_daemon_that_is_gone_is_an_error_of_calls_in_time_and_no_end);
    tcase_add_test(t, coming_back_never_waits_for_a_daemon_that_is_slow_to_answer);
    tcase_add_test(t, a_name_is_looked_up_and_comes_back_the_same_way);
    return run_suite(s);
}
