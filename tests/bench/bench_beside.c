// Edits beside the full rebuild of the same scene in another world of the daemon: what an editor notices of it.
#include "clients/navctl/output/progress.h"
#include "tests/bench/site.h"

#include <stdio.h>
#include <stdlib.h>

// Boxes stand about in a scene file, and move. A smaller scene is rebuilt before an edit could meet it.
enum { BOXES = 1000, MIN_SIDE_M = 500 };

static void rebuilt(void *user, navd_status status, const char *text, uint64_t now)
{
    session *s = user;
    (void)now;
    s->answered = true;
    if (status == NAVD_OK || status == NAVD_ERR_CANCELLED) return; // the latter at the end
    fprintf(stderr, "bench: rebuild: %s\n", text);
    s->broken = true;
}

// All tiles of the world again, whatever the cache has.
static bool rebuild(session *s, const scene *all)
{
    navd_operation op = {.kind = NAVD_MARK_DIRTY};
    for (int k = 0; k < 2; k++) {
        op.u.dirty.min[k] = (double)all->min[2 * k];
        op.u.dirty.max[k] = (double)all->max[2 * k];
    }
    navd_edit_result r;
    s->answered = false;
    return session_did(s, navd_edit(s->client, s->world, NULL, &op, 1, &r), "rebuild") &&
           session_did(s, navd_wait_start(s->client, s->world, NULL, rebuilt, s), "wait");
}

// A second client has the same city in a world of its own rebuilt, again and again. Its tiles go to nobody.
static bool open_rebuilder(session *s, site *at, uint64_t *first)
{
    if (!service_connect(&at->daemon, &s->client) || !session_open(s, "another city") || !session_send(s, &at->scene) ||
        !session_did(s, navd_wait(s->client, s->world, NULL, NULL), "wait"))
        return false;
    *first = session_counter(s, "jobs_built");
    return rebuild(s, &at->scene);
}

static bool bench_pair(site *at, session *other, series *alone, series *beside, table *bars, table *t)
{
    uint64_t first = 0;
    for (int i = 0; i < MOVES; i++)
        if (!site_move_and_undo(at)) return false;
    *alone = at->moves;
    at->moves = at->undos = (series){.count = 0};
    if (!open_rebuilder(other, at, &first)) return false;
    double began_s = now_s();
    for (int i = 0; i < MOVES; i++) {
        if (!site_move_and_undo(at)) return false;
        if (!session_did(other, navd_process(other->client), "rebuild") || other->broken) return false;
        if (other->answered && !rebuild(other, &at->scene)) return false;
    }
    double rebuilt_per_s = (double)(session_counter(other, "jobs_built") - first) / (now_s() - began_s);
    *beside = at->moves;
    series_report(t, at->city, "move, alone", alone);
    series_report(t, at->city, "move, beside a rebuild", beside);
    table_add_bar(bars, "move p99 beside a rebuild / alone", at->city->name,
                  series_percentile(beside, 99) / series_percentile(alone, 99), false, 3);
    fprintf(stderr, "bench: beside the editor %.0f tiles a second were made\n", rebuilt_per_s);
    return true;
}

static bool bench_at(site *at, const bench_options *o, table *bars, table *t)
{
    series *both = calloc(2, sizeof *both);
    session other = {.client = NULL};
    table fill;
    table_init(&fill, "beside_worlds", "Worlds: filled over the socket, then streamed to a subscriber", FILL_COLUMNS);
    bool ok = both && site_open(at, o, &fill) && bench_pair(at, &other, &both[0], &both[1], bars, t);
    ok = ok && session_did(&other, navd_cancel(other.client, other.world, NULL), "cancel");
    if (other.client) navd_close(other.client);
    site_close(at);
    table_deinit(&fill);
    free(both);
    return ok;
}

bool bench_beside(const bench_options *o, table *bars)
{
    const city own = o->quick ? (city){"city", 1250, 250, false} : (city){"city", 20000, 1000, false};
    site *at = calloc(1, sizeof *at);
    table edits;
    bool ok = at;
    table_init(&edits, "beside",
               "Edits while another world is rebuilt: sent to last touched tile decoded, milliseconds", EDIT_COLUMNS);
    if (ok && o->own) {
        site_init(at, &own);
        ok = bench_at(at, o, bars, &edits);
    }
    for (int i = 0; at && i < o->scene_count; i++) {
        city c;
        *at = (site){.city = NULL};
        if (!site_init_from(at, &c, o->scenes[i], BOXES))
            ok = false;
        else if (c.side_m >= MIN_SIDE_M)
            ok = bench_at(at, o, bars, &edits) && ok;
        else
            scene_deinit(&at->scene);
    }
    table_print(&edits);
    ok = table_write(&edits, o->out) && ok;
    table_deinit(&edits);
    free(at);
    return ok;
}
