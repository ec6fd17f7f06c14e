// What watched paths cost an edit, and how soon those that it changes come: two daemons with the same city, one of
// which watches a thousand paths for the client. The same boxes move in both, in turn.
#include "clients/navctl/output/progress.h"
#include "tests/bench/site.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 1000, LONGEST_M = 100, EDITS = 2 * MOVES };

typedef struct watched {
    site site;
    uint64_t watch, synced;
    uint64_t notes, paths; // since they were reset
    double first_s, last_s;
    double first_ms[EDITS], last_ms[EDITS]; // behind the last tile; of edits that changed a path
    uint32_t changed;                       // of these
    uint64_t all_paths;
    bool broken;
} watched;

static void take_paths(void *user, const navd_paths_news *news)
{
    watched *w = user;
    if (news->synced) w->synced = news->revision;
    if (news->ended) fprintf(stderr, "bench: the watch has ended: %s\n", news->ended);
    w->broken |= news->ended != NULL;
    if (!news->count) return;
    if (!w->notes++) w->first_s = now_s();
    w->last_s = now_s();
    w->paths += news->count;
}

// Until all paths are true up to another revision than this one.
static bool await_synced(watched *w, uint64_t before)
{
    navd_client *c = w->site.session.client;
    while (w->synced == before && !w->broken) {
        w->broken = !session_did(&w->site.session, navd_process(c), "paths");
        struct pollfd p = {.fd = navd_fd(c), .events = (short)(POLLIN | (navd_want_write(c) ? POLLOUT : 0))};
        if (w->synced == before && !w->broken) poll(&p, 1, -1);
    }
    return !w->broken;
}

static bool watch(watched *w, double *ms)
{
    session *s = &w->site.session;
    double side = w->site.city->side_m;
    bench_random random = {.state = 5};
    navd_path_query *q = calloc(PROBES, sizeof *q);
    if (!q) return false;
    for (uint32_t i = 0; i < PROBES; i++)
        for (int a = 0; a < 3; a += 2) {
            q[i].from[a] = bench_random_in(&random, 0, side);
            double to = q[i].from[a] + bench_random_in(&random, -LONGEST_M, LONGEST_M);
            q[i].to[a] = fmin(fmax(to, 0), side);
        }
    double began_s = now_s();
    navd_on_paths(s->client, take_paths, w);
    bool ok =
        session_did(s, navd_watch_paths(s->client, s->world, "agent", NAVD_PATH_NEAR_M, q, PROBES, &w->watch), "watch");
    ok = ok && await_synced(w, 0);
    *ms = (now_s() - began_s) * 1e3;
    free(q);
    return ok;
}

static bool edit(watched *w, series *into, const navd_operation *op)
{
    uint64_t before = w->synced;
    w->notes = w->paths = 0;
    if (!site_edit(&w->site, into, op)) return false;
    if (!w->watch) return true;
    if (!await_synced(w, before)) return false;
    w->all_paths += w->paths;
    if (!w->notes || w->site.session.last_tile_s <= 0) return true;
    w->first_ms[w->changed] = (w->first_s - w->site.session.last_tile_s) * 1e3;
    w->last_ms[w->changed++] = (w->last_s - w->site.session.last_tile_s) * 1e3;
    return true;
}

// The same box to the same place.
static bool move_and_undo(watched *plain, watched *probes)
{
    navd_operation op = {.kind = NAVD_MOVE_INSTANCE};
    op.id = site_next_move(&plain->site, op.u.instance.transform);
    op.id = site_next_move(&probes->site, op.u.instance.transform);
    if (!edit(plain, &plain->site.moves, &op) || !edit(probes, &probes->site.moves, &op)) return false;
    memcpy(op.u.instance.transform, plain->site.scene.instances[op.id].transform, sizeof op.u.instance.transform);
    return edit(plain, &plain->site.undos, &op) && edit(probes, &probes->site.undos, &op);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(double *ms, uint32_t count, uint32_t percent)
{
    qsort(ms, count, sizeof *ms, compare);
    return count ? ms[(count * percent + 99) / 100 - 1] : 0;
}

static void report(watched *w, double watched_ms, table *t)
{
    table_add(t, "%u", w->site.city->boxes);
    table_add(t, "%d", PROBES);
    table_add(t, "%.0f", watched_ms);
    table_add(t, "%u", w->changed);
    table_add(t, "%llu", (unsigned long long)w->all_paths);
    table_add(t, "%.3f", percentile(w->first_ms, w->changed, 50));
    table_add(t, "%.3f", percentile(w->last_ms, w->changed, 50));
    table_add(t, "%.3f", percentile(w->last_ms, w->changed, 99));
    table_add(t, "%.3f", percentile(w->last_ms, w->changed, 100));
}

bool bench_probes(const bench_options *o, table *bars)
{
    const city c = o->quick ? (city){"city", 1250, 250, false} : (city){"city", 20000, 1000, false};
    watched *plain = calloc(2, sizeof *plain), *probes = plain + 1;
    table edits, fill, notes;
    double watched_ms = 0;
    if (!plain) return false;
    table_init(&fill, "probes_worlds", "Worlds with and without watched paths", FILL_COLUMNS);
    table_init(&edits, "probes_edits", "Edits without and with watched paths, in turn, milliseconds", EDIT_COLUMNS);
    table_init(&notes, "probes", "Watched paths that an edit changes: milliseconds behind its last tile",
               "boxes,watched,first_answers_ms,edits_that_changed_some,paths_told,first_p50_ms,p50_ms,p99_ms,max_ms");
    site_init(&plain->site, &c);
    site_init(&probes->site, &c);
    bool ok = site_open(&plain->site, o, &fill) && site_open(&probes->site, o, &fill) && watch(probes, &watched_ms);
    for (int i = 0; ok && i < MOVES; i++) ok = move_and_undo(plain, probes);
    if (ok) {
        series_report(&edits, &c, "move", &plain->site.moves);
        series_report(&edits, &c, "move, watched", &probes->site.moves);
        series_report(&edits, &c, "undo", &plain->site.undos);
        series_report(&edits, &c, "undo, watched", &probes->site.undos);
        report(probes, watched_ms, &notes);
        table_add_bar(bars, "edit p50, 1,000 paths watched / none", "city",
                      series_percentile(&probes->site.moves, 50) / series_percentile(&plain->site.moves, 50), false,
                      1.2);
        table_add_bar(bars, "changed paths behind their tiles p50 ms", "city",
                      percentile(probes->last_ms, probes->changed, 50), false, 5);
    }
    site_close(&plain->site);
    site_close(&probes->site);
    table_print(&edits);
    table_print(&notes);
    ok = table_write(&fill, o->out) && table_write(&edits, o->out) && table_write(&notes, o->out) && ok;
    table_deinit(&fill);
    table_deinit(&edits);
    table_deinit(&notes);
    free(plain);
    return ok;
}
