// Off-mesh links as an editor draws them, each from the ground to the roof of a box: all are added, one at a time, then
// moved, then removed. In a city, and in the same city with seeds, where roofs are ground once a link leads to them.
#include "tests/bench/site.h"

#include <stdio.h>
#include <stdlib.h>

enum { ADDED, MOVED, REMOVED, KINDS };
static const char *const names[KINDS] = {"link added", "link moved", "link removed"};

typedef struct linked {
    site site;
    uint32_t boxes[MOVES]; // that the links lead to
    series kinds[KINDS];
    uint64_t runs; // of the generator, in all edits
} linked;

// Also those that ended after their first stage.
static uint64_t runs(const session *s)
{
    return session_counter(s, "jobs_built") + session_counter(s, "jobs_same_content") +
           session_counter(s, "jobs_failed");
}

static bool edit_link(linked *l, int kind, uint32_t i)
{
    float unused[12];
    if (kind == ADDED) l->boxes[i] = site_next_move(&l->site, unused);
    const float *box = l->site.scene.instances[l->boxes[i]].transform;
    navd_operation op = {.kind = kind == REMOVED ? NAVD_REMOVE_LINK : NAVD_PUT_LINK, .id = i};
    if (kind != REMOVED) {
        op.u.link.start[0] = box[3] + (float)bench_random_in(&l->site.random, -9, 9);
        op.u.link.start[2] = box[11] + (float)bench_random_in(&l->site.random, -9, 9);
        op.u.link.end[0] = box[3];
        op.u.link.end[1] = box[5]; // its height
        op.u.link.end[2] = box[11];
        op.u.link.radius_m = 1;
        op.u.link.area = 1;
        op.u.link.flags = 1;
        op.u.link.both_ways = true;
    }
    return site_edit(&l->site, &l->kinds[kind], &op);
}

static void report(linked *l, table *t, table *bars)
{
    const city *c = l->site.city;
    char name[96], where[32];
    snprintf(where, sizeof where, "%u boxes%s", c->boxes, c->seeds ? " with seeds" : "");
    for (int k = 0; k < KINDS; k++) {
        snprintf(name, sizeof name, "%s%s", names[k], c->seeds ? " (seeds)" : "");
        series_report(t, c, name, &l->kinds[k]);
    }
    table_add_bar(bars, "link added p50 ms", where, series_percentile(&l->kinds[ADDED], 50), false, 0.5);
    table_add_bar(bars, "links: runs of the generator", where, (double)l->runs, false, 0);
}

bool bench_link(const bench_options *o, table *bars)
{
    const city plain = o->quick ? (city){"city", 1250, 250, false} : (city){"city", 20000, 1000, false};
    const city seeded = {"city", plain.boxes, plain.side_m, true};
    linked *both = calloc(2, sizeof *both);
    table edits, fill;
    if (!both) return false;
    table_init(&edits, "links", "Links over the socket: sent to last touched tile decoded, milliseconds", EDIT_COLUMNS);
    table_init(&fill, "link_worlds", "Worlds of the links", FILL_COLUMNS);
    site_init(&both[0].site, &plain);
    site_init(&both[1].site, &seeded);
    bool ok = site_open(&both[0].site, o, &fill) && site_open(&both[1].site, o, &fill);
    for (int i = 0; i < 2 && ok; i++) both[i].runs = runs(&both[i].site.session);
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 0; i < MOVES && ok; i++) ok = edit_link(&both[0], kind, i) && edit_link(&both[1], kind, i);
    for (int i = 0; i < 2 && ok; i++) {
        both[i].runs = runs(&both[i].site.session) - both[i].runs;
        report(&both[i], &edits, bars);
    }
    for (int i = 0; i < 2; i++) site_close(&both[i].site);
    table_print(&edits);
    ok = table_write(&edits, o->out) && ok;
    table_deinit(&fill);
    table_deinit(&edits);
    free(both);
    return ok;
}
