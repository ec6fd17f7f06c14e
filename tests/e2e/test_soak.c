// A long day in short: random edits, saves, clients that come and go, worlds that are made and thrown away. In the end
// the daemon is as large as it was once it was warm, and has no more descriptors open. NAVD_SOAK_S says how long.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"
#include "tests/e2e/edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 10, CLIENTS = 24, ACTIONS_A_SECOND = 400, SAVE_EVERY = 4000, REST_BYTES = 512 << 10, MOST_LATE_MS = 100 };

typedef struct soak {
    daemon_process navd;
    city city;
    objects objects;
    peer editor, clients[CLIENTS];
    peer *all[CLIENTS + 1];
    uint64_t chance, edits, visits, saves, builds;
    uint64_t most_rss; // seen under way
} soak;

static soak s;

static void on_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    (void)p;
    (void)m;
    ck_assert_msg(!error, "%s was refused: %s", np_method_name(r->method), error ? error->message : "");
}

static void run_until(double until_ms)
{
    peers_run(s.all, CLIENTS + 1, 0); // also where it is late
    for (double now; (now = clock_ms()) < until_ms;) peers_run(s.all, CLIENTS + 1, (int)(until_ms - now) + 1);
}

static void visit(peer *p)
{
    if (p->fd < 0) {
        ck_assert(peer_connect(p, s.navd.socket));
        s.visits++;
    } else {
        peer_close(p);                                       // in the middle of whatever it was being told
        if (random_below(&s.chance, 4) == 0) peer_forget(p); // and comes back with nothing
    }
}

static void ask_for_tiles(peer *p)
{
    np_tile_xz tiles[16];
    for (int i = 0; i < 16; i++)
        tiles[i] =
            (np_tile_xz){(int32_t)random_below(&s.chance, SIDE), (int32_t)random_below(&s.chance, SIDE), NAV_SHEET_UP};
    if (p->state != PEER_LIVE) return;
    peer_ask(
        p, NP_TILES_GET,
        &(np_tiles_get_request){.world = p->world, .profile = np_str_of("walker"), .tile_count = 16, .tiles = tiles},
        0);
}

// A scene of somebody who keeps it to himself.
static void build_tiles(peer *p)
{
    float size = 10 + (float)random_below(&s.chance, 100) * 0.1f;
    const float verts[12] = {0, 0, 0, size, 0, 0, size, 0, size, 0, 0, size};
    const uint32_t tris[6] = {0, 3, 2, 0, 2, 1};
    np_tiles_build_request build = {.last = {1, 1},
                                    .area = NAV_AREA_DEFAULT,
                                    .vertices = {(const uint8_t *)verts, sizeof verts},
                                    .indices = {(const uint8_t *)tris, sizeof tris}};
    nav_settings_default(&build.settings);
    if (p->state != PEER_LIVE) return;
    peer_ask(p, NP_TILES_BUILD, &build, 0);
    s.builds++;
}

static void save(void)
{
    outcome r = run_navctl("watch", "-w", "soak", "-c", s.navd.socket, "--once", "-o", temp_path("saved.navd"), NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    s.saves++;
    uint64_t rss = daemon_rss(&s.navd);
    if (rss > s.most_rss) s.most_rss = rss;
}

static void act(void)
{
    uint32_t what = random_below(&s.chance, 100);
    peer *p = &s.clients[random_below(&s.chance, CLIENTS)];
    if (what < 80 && s.editor.open_count < 32) {
        edit e = edit_draw(&s.city, &s.objects, &s.chance);
        edit_send(&s.editor, &e);
        s.edits++;
    } else if (what < 92) {
        visit(p);
    } else if (what < 98) {
        ask_for_tiles(p);
    } else {
        build_tiles(p);
    }
}

// Until the daemon has as many sessions; asked over one of them.
static void await_sessions(uint64_t count)
{
    double until = clock_ms() + PATIENCE_MS;
    uint64_t now = 0;
    while (now != count) {
        ck_assert_msg(clock_ms() < until, "%llu sessions", (unsigned long long)now);
        now = peer_stat(&s.editor, "sessions");
    }
}

// Pages of the databases that were read count as memory until the daemon gives them back: it does once it has nothing
// to read or write. But for a few that it needs all the time.
static void await_rest(void)
{
    double until = clock_ms() + PATIENCE_MS;
    uint64_t mapped;
    while ((mapped = daemon_mapped_databases(&s.navd)) > REST_BYTES) {
        ck_assert_msg(clock_ms() < until, "%llu bytes of the databases are still mapped", (unsigned long long)mapped);
        peers_run(s.all, CLIENTS + 1, 10);
    }
}

typedef struct cost {
    uint64_t rss, own; // own: no file is behind it
    int descriptors;
} cost;

// Everybody is there and has all: what the daemon is then.
static cost at_rest(void)
{
    for (int i = 0; i < CLIENTS; i++) {
        if (s.clients[i].fd < 0) ck_assert(peer_connect(&s.clients[i], s.navd.socket));
        peer_settle(&s.clients[i]);
    }
    peer_settle(&s.editor);
    for (int i = 0; i < CLIENTS; i++) {
        peer_settle(&s.clients[i]);
        ck_assert_uint_eq(peer_differences(&s.clients[i], &s.editor), 0);
    }
    await_sessions(CLIENTS + 1); // those of navctl have gone
    await_rest();
    return (cost){daemon_rss(&s.navd), daemon_own_memory(&s.navd), daemon_descriptors(&s.navd)};
}

// What takes a moment to go, as heap that is given back now and then, is no leak.
static cost at_rest_and_no_larger(uint64_t most_rss, int most_descriptors)
{
    cost c = at_rest();
    double until = clock_ms() + PATIENCE_MS / 4;
    while ((c.rss > most_rss || c.descriptors > most_descriptors) && clock_ms() < until) {
        peers_run(s.all, CLIENTS + 1, 100);
        c = at_rest();
    }
    return c;
}

START_TEST(after_an_hour_the_daemon_is_as_large_as_after_five_minutes)
{
    uint64_t seconds = wanted_count("NAVD_SOAK_S", FULL_OR_SANITIZED(180, 20));
    uint64_t warm = seconds >= 900 ? 300 : seconds / 2;
    // Caches that are full before it is warm: what grows after that is a leak.
    const char *const arguments[] = {
        "--cache-bytes", "4M", "--mesh-store-bytes", "2M", "--cache-disk-bytes", "4M", NULL};
    s.chance = wanted_count("NAVD_SEED", 11);
    daemon_launch(&s.navd, &(daemon_options){.arguments = arguments, .no_tcp = true, .state = temp_path("state")});
    city_build(&s.city, "soak", SIDE, s.navd.socket);
    objects_of_city(&s.objects, &s.city);
    peer_init(&s.editor, "soak", SIDE);
    s.editor.on_answer = on_answer;
    ck_assert(peer_connect(&s.editor, s.navd.socket));
    peer_settle(&s.editor);
    s.all[0] = &s.editor;
    for (int i = 0; i < CLIENTS; i++) {
        peer_init(&s.clients[i], "soak", SIDE);
        s.clients[i].on_answer = on_answer;
        s.all[i + 1] = &s.clients[i];
    }
    double due = clock_ms();
    cost first = {0};
    for (uint64_t n = 1; n <= seconds * ACTIONS_A_SECOND; n++) {
        act();
        if (n % SAVE_EVERY == 0) save();
        if (n == warm * ACTIONS_A_SECOND) first = at_rest();
        due += 1000.0 / ACTIONS_A_SECOND;
        if (clock_ms() > due + MOST_LATE_MS) due = clock_ms(); // what came due meanwhile is not made up for at once
        run_until(due);
    }
    // In minutes the heap has not come to rest: what grows with every edit or visit is seen all the same.
    double allowed = IS_SANITIZED ? 1e12 : (double)first.rss * (seconds >= 900 ? 1.05 : 1.1);
    cost last = at_rest_and_no_larger((uint64_t)allowed, first.descriptors);
    printf("soak: %llu s, %llu edits, %llu visits, %llu saves, %llu builds; memory %.1f MiB after %llu s, %.1f MiB at "
           "the end (%+.1f %%), of them its own %.1f and %.1f MiB; at most %.1f MiB under way; descriptors %d, %d\n",
           (unsigned long long)seconds, (unsigned long long)s.edits, (unsigned long long)s.visits,
           (unsigned long long)s.saves, (unsigned long long)s.builds, (double)first.rss / 1048576,
           (unsigned long long)warm, (double)last.rss / 1048576, 100.0 * ((double)last.rss / (double)first.rss - 1),
           (double)first.own / 1048576, (double)last.own / 1048576, (double)s.most_rss / 1048576, first.descriptors,
           last.descriptors);
    ck_assert_int_le(last.descriptors, first.descriptors);
    ck_assert_double_le((double)last.rss, allowed);
    for (int i = 0; i < CLIENTS; i++) peer_deinit(&s.clients[i]);
    peer_deinit(&s.editor);
    ck_assert_int_eq(daemon_stop(&s.navd), 0);
    // check has an int for the microseconds of a test: one of more than 35 minutes would be an error to it.
    if (seconds > 2000) exit(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("soak");
    TCase *t = tcase_create("soak");
    tcase_set_timeout(t, 0);
    suite_add_tcase(suite, t);
    tcase_add_test(t, after_an_hour_the_daemon_is_as_large_as_after_five_minutes);
    return run_suite_in_folder(suite);
}
