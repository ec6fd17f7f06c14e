// Worlds on several daemons: how far a replica is behind an edit, and how soon a standby answers where the leader has
// died.
#include "tests/bench/farm_rig.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum { EDITS = 1000, EDITS_QUICK = 200, TAKEOVERS = 5, TAKEOVERS_QUICK = 2, PATIENCE_S = 60 };
static const double LAG_BAR_MS = 20, TAKEOVER_BAR_MS = 3000;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// state: a folder of its own in the rig's; NULL: none.
static bool start(farm_member *m, const farm_rig *r, const char *mode, char *state, size_t bytes, const char *name)
{
    farm_member_say(m, "--farm-worlds");
    farm_member_say(m, mode);
    if (state) {
        snprintf(state, bytes, "%s/%s", r->folder, name);
        farm_member_say(m, "--state");
        farm_member_say(m, state);
    }
    return farm_member_start(m, r, false, RIG_ANYWHERE);
}

// Until a counter has this value at least.
static bool await(farm_member *m, const char *counter, uint64_t least)
{
    const double until = now_ms() + PATIENCE_S * 1e3;
    while (session_counter(&m->session, counter) < least)
        if (now_ms() > until) return false;
    return true;
}

static bool open_world(farm_member *m)
{
    navd_world world = {0};
    navd_set_timeout(m->session.client, -1);
    bool ok =
        session_did(&m->session, navd_world_open(m->session.client, "bench", true, NULL, NULL, 0, &world), "world");
    if (ok) m->session.world = world.id;
    if (ok) navd_world_free(&world);
    return ok;
}

// A volume, anew at each turn.
static navd_status edit(farm_member *m, uint64_t turn)
{
    const float side = 1 + (float)(turn % 7);
    const navd_operation op = {
        .kind = NAVD_PUT_VOLUME,
        .id = 1 + turn % 50,
        .u.volume = {
            .points = {0, 0, side, 0, side, side, 0, side}, .point_count = 4, .min_y = 0, .max_y = 2, .area = 1}};
    navd_edit_result out;
    return navd_edit(m->session.client, m->session.world, NULL, &op, 1, &out);
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool measure_lag(const bench_options *o, const farm_rig *r, table *bars)
{
    farm_member leader = {0}, replica = {0};
    char state[96];
    const uint64_t edits = o->quick ? EDITS_QUICK : EDITS;
    bool ok = start(&leader, r, "publish", state, sizeof state, "leader") && await(&leader, "replica_leads", 1) &&
              start(&replica, r, "follow", NULL, 0, NULL) && open_world(&leader);
    ok = ok && await(&replica, "replica_live", 1) && await(&replica, "worlds", 1);
    double *lags_ms = calloc(edits, sizeof *lags_ms);
    ok = ok && lags_ms;
    for (uint64_t i = 0; i < edits && ok; i++) {
        const uint64_t before = session_counter(&replica.session, "replica_entries_in");
        ok = session_did(&leader.session, edit(&leader, i), "edit");
        const double answered_ms = now_ms();
        ok = ok && await(&replica, "replica_entries_in", before + 1);
        if (ok) lags_ms[i] = now_ms() - answered_ms;
    }
    if (ok) {
        qsort(lags_ms, edits, sizeof *lags_ms, compare_doubles);
        table_add_bar(bars, "from the leader's answer to the edit on a replica, median, ms", "one world",
                      lags_ms[edits / 2], false, LAG_BAR_MS);
        table_add_bar(bars, "from the leader's answer to the edit on a replica, p99, ms", "one world",
                      lags_ms[edits * 99 / 100], false, LAG_BAR_MS);
    }
    free(lags_ms);
    farm_member_stop(&replica);
    farm_member_stop(&leader);
    return ok;
}

// The leader is killed behind an answered edit, and the standby is asked until it answers one.
static bool take_over(const farm_rig *r, int round, double *took_ms)
{
    farm_member leader = {0}, standby = {0};
    char states[2][96], names[2][16];
    for (int i = 0; i < 2; i++) snprintf(names[i], sizeof names[i], "%s%d", i ? "standby" : "first", round);
    bool ok = start(&leader, r, "standby", states[0], sizeof states[0], names[0]) &&
              await(&leader, "replica_leads", 1) &&
              start(&standby, r, "standby", states[1], sizeof states[1], names[1]) &&
              await(&standby, "replica_live", 1) && open_world(&leader);
    for (uint64_t i = 0; i < 20 && ok; i++) ok = session_did(&leader.session, edit(&leader, i), "edit");
    const double last_ms = now_ms();
    if (ok) kill(leader.process.pid, SIGKILL);
    navd_status s = NAVD_ERR_STATE;
    standby.session.world = leader.session.world;
    while (ok && s != NAVD_OK) {
        s = edit(&standby, 30);
        ok = (s == NAVD_OK || s == NAVD_ERR_STATE) && now_ms() - last_ms < PATIENCE_S * 1e3;
    }
    *took_ms = now_ms() - last_ms;
    farm_member_stop(&standby);
    farm_member_stop(&leader);
    return ok;
}

bool bench_replicas(const bench_options *o, table *bars)
{
    farm_rig rig = {0};
    double slowest_ms = 0, took_ms = 0;
    if (!farm_rig_is_there("replicas")) return true;
    bool ok = farm_rig_start(&rig, o) && measure_lag(o, &rig, bars);
    farm_rig_stop(&rig);
    for (int i = 0; i < (o->quick ? TAKEOVERS_QUICK : TAKEOVERS) && ok; i++) {
        ok = farm_rig_start(&rig, o) && take_over(&rig, i, &took_ms);
        farm_rig_stop(&rig);
        if (took_ms > slowest_ms) slowest_ms = took_ms;
    }
    if (ok)
        table_add_bar(bars, "kill -9 of the leader: ms until the standby answers an edit, at most", "one world",
                      slowest_ms, false, TAKEOVER_BAR_MS);
    return ok;
}
