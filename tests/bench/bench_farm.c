// A farm: what it costs the daemon that gives work away and the server between, and what a worker makes of its time.
// Two scenes of the bench's own, each in four ways: in this process on one core; by one worker that has a core to
// itself; from the shared cache alone; and by twenty workers that are timers. Costs are processor time, since a machine
// may have fewer cores than a farm.
#include "clients/navctl/generate/generate.h"
#include "tests/bench/farm_workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CORES = 20,
    PROFILES = 4,
    HERE = 0,
    THERE = 1
}; // HERE: the daemon's processor and the server's; THERE: the worker's
static const double TILE_COST_BAR_US = 5, WORKER_BAR = 0.9, BYTES_BAR = 400, CACHED_BAR = 30000, BUSY_BAR = 0.9;

typedef struct subject_scene {
    const char *name;
    scene scene;
    nav_settings settings;      // in process
    navd_settings for_profiles; // the same for a profile
    double us_a_tile;           // in process, on one core
    uint64_t tiles;
    double home_us; // of a daemon without a farm, beside its helpers: what a tile that it makes costs it
} subject_scene;

// With the settings of all profiles, as some radii cost more than others.
static bool in_process(subject_scene *s, int profiles)
{
    double seconds = 0;
    bool ok = true;
    s->tiles = 0;
    farm_pin_self(THERE);
    for (int i = 0; i < profiles && ok; i++) {
        generated g = {0};
        generate_options o = {.settings = s->settings, .threads = 1, .encoding = GENERATE_NAVD};
        o.settings.agent_radius_m += FARM_RADIUS_STEP_M * i;
        ok = generate(&s->scene, &o, &g);
        seconds += g.generate_s;
        s->tiles += g.filled;
        generated_deinit(&g);
    }
    farm_pin_self(RIG_ANYWHERE);
    if (ok) s->us_a_tile = seconds * 1e6 / (double)s->tiles;
    return ok;
}

typedef struct filled {
    uint64_t tiles, built;                // built: by the daemon itself
    double seconds, daemon_us, server_us; // processor time a tile
    double bytes;                         // a tile, to and from the server
} filled;

// A new daemon fills a world of the scene. r NULL: without a farm.
static bool fill(const farm_rig *r, const bench_options *o, subject_scene *s, const char *how, uint64_t workers,
                 int profiles, table *costs, filled *f)
{
    farm_member daemon = {0};
    const farm_rig nowhere = {.options = o};
    farm_member_say(&daemon, "--threads");
    farm_member_say(&daemon, "1");
    farm_member_say(&daemon, "--farm-tiles");
    farm_member_say(&daemon, "1");
    bool ok = farm_member_start(&daemon, r ? r : &nowhere, false, r ? HERE : THERE);
    ok = ok && (!r || farm_member_await(&daemon, workers)) && farm_upload(&daemon, &s->scene);
    const double server_ms = r ? farm_server_cpu_ms(r) : 0, own_ms = ok ? farm_member_own_cpu_ms(&daemon) : 0;
    const uint64_t bytes = ok ? session_counter(&daemon.session, "farm_bytes_in") : 0,
                   out = ok ? session_counter(&daemon.session, "farm_bytes_out") : 0;
    ok = ok && farm_build(&daemon, &s->for_profiles, profiles, &f->seconds, &f->tiles);
    if (ok) {
        const double n = (double)f->tiles;
        f->daemon_us = (farm_member_own_cpu_ms(&daemon) - own_ms) * 1e3 / n;
        f->server_us = r ? (farm_server_cpu_ms(r) - server_ms) * 1e3 / n : 0;
        f->bytes = (double)(session_counter(&daemon.session, "farm_bytes_in") - bytes +
                            session_counter(&daemon.session, "farm_bytes_out") - out) /
                   n;
        f->built = session_counter(&daemon.session, "jobs_built");
        table_add(costs, "%s", how);
        table_add(costs, "%s", s->name);
        table_add(costs, "%llu", (unsigned long long)f->tiles);
        table_add(costs, "%.3f", f->seconds);
        table_add(costs, "%.0f", n / f->seconds);
        table_add(costs, "%.2f", f->daemon_us);
        table_add(costs, "%.2f", f->server_us);
        table_add(costs, "%.0f", f->bytes);
        table_add(costs, "%llu", (unsigned long long)f->built);
    }
    ok = ok && (!r || farm_await_shared(&daemon));
    farm_member_stop(&daemon);
    return ok;
}

// One worker with a processor to itself, beside a daemon without a farm on the same one.
static bool measure_worker(const farm_rig *r, subject_scene *s, int profiles, table *costs, table *bars)
{
    farm_member worker = {0};
    filled home, farm;
    bool ok = in_process(s, profiles) && fill(NULL, r->options, s, "no farm", 0, profiles, costs, &home);
    if (ok) s->home_us = home.daemon_us;
    farm_member_say(&worker, "--threads");
    farm_member_say(&worker, "1");
    ok = ok && farm_member_start(&worker, r, true, THERE);
    const double worker_ms = ok ? farm_member_cpu_ms(&worker) : 0;
    ok = ok && fill(r, r->options, s, "one worker", 1, profiles, costs, &farm);
    if (ok) {
        const double given = (double)(farm.tiles - farm.built), home_rate = (double)home.tiles / home.seconds;
        table_add_bar(bars, "one worker: tiles a second / a daemon without a farm", s->name,
                      given / farm.seconds / home_rate, true, WORKER_BAR);
        table_add_bar(bars, "one worker: processor time a tile / in this process", s->name,
                      (farm_member_cpu_ms(&worker) - worker_ms) * 1e3 / given / s->us_a_tile, false, 1 / WORKER_BAR);
    }
    farm_member_stop(&worker);
    return ok;
}

static bool measure_cache(const farm_rig *r, subject_scene *s, int profiles, table *costs, table *bars)
{
    filled f;
    if (!fill(r, r->options, s, "shared cache", 0, profiles, costs, &f)) return false;
    table_add_bar(bars, "second daemon: tiles a second from the shared cache", s->name, (double)f.tiles / f.seconds,
                  true, CACHED_BAR);
    table_add_bar(bars, "second daemon: tiles built", s->name, (double)f.built, false, 0);
    return true;
}

static bool measure_timers(const farm_rig *r, subject_scene *s, int profiles, table *costs, table *bars)
{
    filled f = {0};
    farm_packs *packs = farm_packs_take(r);
    farm_timers *timers = packs ? farm_timers_start(r, packs, CORES, s->us_a_tile) : NULL;
    bool ok = timers && fill(r, r->options, s, "twenty timers", 1, profiles, costs, &f);
    const farm_timer_counts counts = farm_timers_stop(timers);
    farm_packs_destroy(packs);
    if (!ok) return false;
    const double made_there = (double)(f.tiles - f.built);
    table_add_bar(bars, "the daemon's processor time a tile that others made, us", s->name,
                  (f.daemon_us * (double)f.tiles - s->home_us * (double)f.built) / made_there, false, TILE_COST_BAR_US);
    table_add_bar(bars, "the server's processor time a tile, us", s->name, f.server_us, false, TILE_COST_BAR_US);
    table_add_bar(bars, "bytes of jobs and packs a tile, navd's", s->name,
                  (double)(counts.job_bytes + counts.pack_bytes) / (double)counts.tiles, false, BYTES_BAR);
    table_add_bar(bars, "twenty timers: share of their time that they were busy", s->name, counts.busy_share, true,
                  BUSY_BAR);
    return true;
}

// What goes over the wire where a subscriber wants Detour's tiles: the world is filled, and then made anew with other
// settings, by one worker.
static bool measure_bytes(const farm_rig *r, subject_scene *s, table *bars)
{
    farm_member worker = {0}, daemon = {0};
    navd_settings other = s->for_profiles;
    const navd_subscription_options all = {.profile = "agent0", .encoding = NAVD_ENCODING_DETOUR};
    double seconds;
    uint64_t tiles = 0, now, bytes = 0;
    other.agent_radius_m += 0.1;
    farm_member_say(&daemon, "--farm-tiles");
    farm_member_say(&daemon, "1");
    bool ok = farm_member_start(&worker, r, true, THERE) && farm_member_start(&daemon, r, false, HERE) &&
              farm_member_await(&daemon, 1) && farm_upload(&daemon, &s->scene) &&
              farm_build(&daemon, &s->for_profiles, 1, &seconds, &tiles);
    session *own = &daemon.session;
    ok = ok && session_did(own, navd_subscribe(own->client, own->world, &all, NULL), "subscribe") &&
         session_did(own, navd_wait(own->client, own->world, NULL, &now), "wait") && farm_await_shared(&daemon);
    if (ok) bytes = session_counter(own, "farm_bytes_in") + session_counter(own, "farm_bytes_out");
    ok = ok && session_did(own, navd_profile_set(own->client, own->world, "agent0", &other, NULL), "profile") &&
         session_did(own, navd_wait(own->client, own->world, NULL, &now), "wait") && farm_await_shared(&daemon);
    if (ok) {
        bytes = session_counter(own, "farm_bytes_in") + session_counter(own, "farm_bytes_out") - bytes;
        table_add_bar(bars, "bytes to and from the server a tile, Detour's", s->name, (double)bytes / (double)tiles,
                      false, BYTES_BAR);
    }
    farm_member_stop(&daemon);
    farm_member_stop(&worker);
    return ok;
}

static bool measure(const bench_options *o, subject_scene *s, table *costs, table *bars)
{
    farm_rig rig = {0};
    const int profiles = o->quick ? 1 : PROFILES;
    bool ok = farm_rig_start(&rig, o);
    ok = ok && measure_worker(&rig, s, profiles, costs, bars) && measure_cache(&rig, s, profiles, costs, bars) &&
         measure_timers(&rig, s, profiles, costs, bars) && measure_bytes(&rig, s, bars);
    farm_rig_stop(&rig);
    return ok;
}

bool bench_farm(const bench_options *o, table *bars)
{
    static const char *const full[] = {"city1km", "terrain2km"}, *const quick[] = {"city300m", "terrain500m"};
    table costs;
    bool ok = true;
    if (!farm_rig_is_there("the farm")) return true;
    table_init(&costs, "farm", "A farm: what a tile costs the daemon and the server between it and its workers",
               "how,scene,tiles,seconds,tiles_per_s,daemon_us_a_tile,server_us_a_tile,bytes_a_tile,built_at_home");
    for (int i = 0; i < 2 && ok; i++) {
        subject_scene s = {.name = (o->quick ? quick : full)[i]};
        nav_settings_default(&s.settings);
        navd_settings_default(&s.for_profiles);
        ok = bench_scene_named(s.name, &s.scene);
        for (int k = 0; k < 3; k++) s.settings.origin_m[k] = 0;
        ok = ok && measure(o, &s, &costs, bars);
        scene_deinit(&s.scene);
    }
    table_print(&costs);
    ok = table_write(&costs, o->out) && ok;
    table_deinit(&costs);
    return ok;
}
