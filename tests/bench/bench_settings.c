// Settings that change while a client watches: the radius once, a slider that is dragged, and the value before. A
// daemon in a process of its own, the client library on a Unix socket. What it is compared with is the build of a
// profile that is added with such settings: the same tiles, made anew. The radius is also changed in a world of 16
// times as many tiles, of which only those around the focus are built, so that it takes seconds to get there.
#include "clients/navctl/output/progress.h"
#include "tests/bench/site.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 3, CHANGES_A_SECOND = 30, DRAG_S = 10 };
static const double PAUSE_S = 1.0 / CHANGES_A_SECOND;

typedef struct watcher {
    session s;
    double focus[2];      // in the middle
    double side_m;        // of a tile
    double first_s;       // when the first tile at the focus came; 0: it has not
    uint64_t tiles, made; // notes since they were reset, and those of a run
    bool waiting;
} watcher;

static void take(void *user, const navd_tile *t)
{
    watcher *w = user;
    double dx = (t->x + 0.5) * w->side_m - w->focus[0], dz = (t->z + 0.5) * w->side_m - w->focus[1];
    w->tiles++;
    w->made += t->made_us > 0;
    if (w->first_s == 0 && fmax(fabs(dx), fabs(dz)) < 1.5 * w->side_m) w->first_s = now_s();
}

static navd_settings settings_of(double radius_m)
{
    navd_settings s;
    navd_settings_default(&s);
    s.agent_radius_m = (float)radius_m;
    return s;
}

static void reset(watcher *w)
{
    w->first_s = 0;
    w->tiles = w->made = 0;
}

static void changed(void *user, navd_status s, const char *text, const navd_change_result *r)
{
    watcher *w = user;
    (void)r;
    if (s == NAVD_OK || s == NAVD_ERR_CANCELLED) return;
    fprintf(stderr, "bench: world.profile: %s\n", text);
    w->s.broken = true;
}

static void waited(void *user, navd_status s, const char *text, uint64_t now)
{
    watcher *w = user;
    (void)now;
    w->waiting = false;
    if (s == NAVD_OK) return;
    fprintf(stderr, "bench: wait: %s\n", text);
    w->s.broken = true;
}

// Until the time, or (below 0) until the wait is answered.
static void process_until(watcher *w, double until_s)
{
    while (!w->s.broken && (until_s < 0 ? w->waiting : now_s() < until_s)) {
        struct pollfd p = {.fd = navd_fd(w->s.client), .events = POLLIN};
        if (navd_want_write(w->s.client)) p.events |= POLLOUT;
        double left_s = until_s < 0 ? 1 : until_s - now_s();
        struct timespec t = {.tv_nsec = left_s <= 0 ? 0 : left_s < 0.9 ? (long)(left_s * 1e9) : 900000000};
        ppoll(&p, 1, &t, NULL);
        w->s.broken = !session_did(&w->s, navd_process(w->s.client), "change");
    }
}

static void send_change(watcher *w, const char *profile, double radius_m)
{
    const navd_settings s = settings_of(radius_m);
    if (!session_did(&w->s, navd_profile_set_start(w->s.client, w->s.world, profile, &s, changed, w), "change"))
        w->s.broken = true;
    (void)navd_process(w->s.client);
}

static void wait_for_all(watcher *w)
{
    w->waiting = true;
    if (!session_did(&w->s, navd_wait_start(w->s.client, w->s.world, NULL, waited, w), "wait")) w->s.broken = true;
    process_until(w, -1);
}

// Seconds from the change to the last tile.
static double timed_change(watcher *w, double radius_m)
{
    reset(w);
    double began_s = now_s();
    send_change(w, "agent", radius_m);
    wait_for_all(w);
    double all_s = now_s() - began_s;
    w->first_s -= began_s;
    return all_s;
}

// The same for a profile that is added, and removed again.
static double timed_build(watcher *w, double radius_m)
{
    const navd_settings s = settings_of(radius_m);
    const navd_subscription_options all = {.profile = "second", .has_focus = true, .focus = {w->focus[0], w->focus[1]}};
    uint64_t subscription;
    reset(w);
    double began_s = now_s();
    bool ok = session_did(&w->s, navd_profile_set(w->s.client, w->s.world, "second", &s, NULL), "add") &&
              session_did(&w->s, navd_subscribe(w->s.client, w->s.world, &all, &subscription), "subscribe");
    if (ok) wait_for_all(w);
    double all_s = now_s() - began_s;
    ok = ok && session_did(&w->s, navd_profile_remove(w->s.client, w->s.world, "second", NULL), "remove");
    w->s.broken |= !ok;
    return all_s;
}

typedef struct outcome {
    double build_s, change_s, first_ms, back_s, last_s;
    uint64_t tiles, back_tiles, changes, dragged, unseen;
} outcome;

// Seconds from the last value to its last tile.
static double timed_drag(watcher *w, outcome *out, int round, int seconds)
{
    double sent_s = 0;
    uint64_t built = session_counter(&w->s, "jobs_built");
    reset(w);
    double began_s = now_s();
    for (int i = 0; i < seconds * CHANGES_A_SECOND && !w->s.broken; i++) {
        process_until(w, began_s + i * PAUSE_S);
        sent_s = now_s();
        send_change(w, "agent", 0.61 + 0.0009 * i + 0.0003 * round);
        out->changes++;
    }
    wait_for_all(w);
    double last_s = now_s() - sent_s;
    out->dragged += w->tiles;
    out->unseen += session_counter(&w->s, "jobs_built") - built - w->made;
    return last_s;
}

static bool measure(watcher *w, outcome *out, int seconds)
{
    // All of these are three columns of 0.3 m: the same work each time, and new to the cache.
    for (int i = 0; i < ROUNDS && !w->s.broken; i++) {
        double build_s = timed_build(w, 0.880 + 0.001 * i), change_s = timed_change(w, 0.890 + 0.001 * i);
        out->tiles = w->tiles;
        if (!i || build_s < out->build_s) out->build_s = build_s;
        if (!i || change_s < out->change_s) out->change_s = change_s;
        if (!i || w->first_s * 1e3 < out->first_ms) out->first_ms = w->first_s * 1e3;
        double back_s = timed_change(w, 0.6);
        out->back_tiles = w->tiles;
        if (!i || back_s < out->back_s) out->back_s = back_s;
        double last_s = timed_drag(w, out, i, seconds);
        if (!i || last_s < out->last_s) out->last_s = last_s;
        (void)timed_change(w, 0.6);
    }
    return !w->s.broken;
}

static void add_rows(table *t, table *bars, const char *name, const outcome *o)
{
    table_add(t, "%s", name);
    table_add(t, "%llu", (unsigned long long)o->tiles);
    table_add(t, "%.3f", o->build_s);
    table_add(t, "%.3f", o->change_s);
    table_add(t, "%.2f", o->first_ms);
    table_add(t, "%.1f", o->back_s * 1e3);
    table_add(t, "%.0f", (double)o->back_tiles / o->back_s);
    table_add(t, "%llu", (unsigned long long)o->changes);
    table_add(t, "%llu", (unsigned long long)o->dragged);
    table_add(t, "%llu", (unsigned long long)o->unseen);
    table_add(t, "%.3f", o->last_s);
    table_add_bar(bars, "radius changed: first tile at the focus ms", name, o->first_ms, false, 5);
    table_add_bar(bars, "radius changed: all tiles / a full build", name, o->change_s / o->build_s, false, 1.1);
    table_add_bar(bars, "slider dragged: tiles built that nobody saw", name, (double)o->unseen, false, 0);
    table_add_bar(bars, "slider dragged: last value / a full build", name, o->last_s / o->build_s, false, 1.1);
    table_add_bar(bars, "back to the value before: tiles/s", name, (double)o->back_tiles / o->back_s, true, 50000);
}

// The radius changes in a large world.
static bool measure_large(const bench_options *o, table *t, table *bars)
{
    static const double side_m = 4000, around_m = 100;
    watcher w = {.focus = {side_m / 2, side_m / 2}, .side_m = 48 * (double)0.3f};
    service daemon = {0};
    scene from = {0};
    uint64_t subscription, tiles = 0;
    double first_ms = 0;
    const navd_subscription_options some = {.profile = "agent",
                                            .has_focus = true,
                                            .focus = {w.focus[0], w.focus[1]},
                                            .has_bounds = true,
                                            .min = {w.focus[0] - around_m, w.focus[1] - around_m},
                                            .max = {w.focus[0] + around_m, w.focus[1] + around_m},
                                            .build = NAVD_BUILD_WATCHED};
    bench_scene_city(&from, 320000, side_m);
    bool ok = service_start(&daemon, o->navd, false) && service_connect(&daemon, &w.s.client) &&
              session_open(&w.s, "city") &&
              session_did(&w.s, navd_subscribe(w.s.client, w.s.world, &some, &subscription), "subscribe") &&
              session_send(&w.s, &from);
    if (ok) navd_on_tile(w.s.client, take, &w);
    if (ok) wait_for_all(&w);
    for (int i = 0; ok && i < ROUNDS && !w.s.broken; i++) {
        (void)timed_change(&w, 0.890 + 0.001 * i);
        tiles = w.tiles;
        if (!i || w.first_s * 1e3 < first_ms) first_ms = w.first_s * 1e3;
        (void)timed_change(&w, 0.6); // one column less, so that the border is made again the next time
    }
    ok = ok && !w.s.broken;
    if (ok) {
        table_add(t, "city4km, watched in part");
        table_add(t, "%llu", (unsigned long long)tiles);
        for (int i = 0; i < 2; i++) table_add(t, "%s", "");
        table_add(t, "%.2f", first_ms);
        for (int i = 0; i < 6; i++) table_add(t, "%s", "");
        table_add_bar(bars, "radius changed: first tile at the focus ms", "city4km", first_ms, false, 5);
    }
    navd_close(w.s.client);
    service_stop(&daemon);
    service_remove(&daemon);
    scene_deinit(&from);
    return ok;
}

bool bench_settings(const bench_options *o, table *bars)
{
    const char *name = o->quick ? "city300m" : "city1km";
    const double middle = o->quick ? 150 : 500;
    watcher w = {.focus = {middle, middle}, .side_m = 48 * (double)0.3f};
    outcome out = {0};
    service daemon = {0};
    scene from = {0};
    table t;
    uint64_t subscription;
    const navd_subscription_options all = {.profile = "agent", .has_focus = true, .focus = {middle, middle}};
    table_init(&t, "settings", "Settings that change while a client watches",
               "scene,tiles,build_s,change_s,first_ms,back_ms,back_tiles_per_s,changes,tiles_shown,unseen,last_s");
    bool ok = bench_scene_named(name, &from) && service_start(&daemon, o->navd, false) &&
              service_connect(&daemon, &w.s.client) && session_open(&w.s, "city") && session_send(&w.s, &from);
    if (ok) navd_on_tile(w.s.client, take, &w);
    ok = ok && session_did(&w.s, navd_subscribe(w.s.client, w.s.world, &all, &subscription), "subscribe") &&
         session_did(&w.s, navd_wait(w.s.client, w.s.world, NULL, NULL), "wait") &&
         measure(&w, &out, o->quick ? 2 : DRAG_S);
    if (ok) add_rows(&t, bars, name, &out);
    navd_close(w.s.client);
    service_stop(&daemon);
    service_remove(&daemon);
    scene_deinit(&from);
    ok = ok && (o->quick || measure_large(o, &t, bars));
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    return ok;
}
