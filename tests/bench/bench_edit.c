// Latency of edits, as an editor meets it: a daemon in a process of its own, the client library on a Unix socket, a
// city of boxes.
#include "tests/bench/site.h"
#include "tests/bench/subject.h"

#include <stdio.h>
#include <stdlib.h>

static void add_bars(table *bars, const site *small, const site *large, double hits, bool is_true)
{
    char where[2][32];
    snprintf(where[0], sizeof *where, "%u boxes", small->city->boxes);
    snprintf(where[1], sizeof *where, "%u boxes", large->city->boxes);
    double p50 = series_percentile(&small->moves, 50);
    table_add_bar(bars, "move p50 ms", where[0], p50, false, is_true ? 1.3 : 2);
    table_add_bar(bars, "move p99 ms", where[0], series_percentile(&small->moves, 99), false, 8);
    table_add_bar(bars, "move p50 / the smaller world's", where[1], series_percentile(&large->moves, 50) / p50, false,
                  1.3);
    table_add_bar(bars, "undo p50 ms", where[0], series_percentile(&small->undos, 50), false, 1);
    table_add_bar(bars, "undone tiles from the cache", where[0],
                  small->undos.tiles ? (double)small->undos.cached / (double)small->undos.tiles : 0, true, 1);
    table_add_bar(bars, "cache hits / undone tiles", where[0],
                  small->undos.tiles ? hits / (double)small->undos.tiles : 0, true, 1);
}

bool bench_edit(const bench_options *o, table *bars)
{
    const city small = o->quick ? (city){"city", 1250, 250, false} : (city){"city", 20000, 1000, false};
    const city large = o->quick ? (city){"city", 5000, 500, false} : (city){"city", 320000, 4000, false};
    const city seeded = {"city", small.boxes, small.side_m, true};
    site *a = calloc(3, sizeof *a), *b = a + 1, *c = a + 2;
    table edits, fill;
    if (!a) return false;
    table_init(&edits, "edits", "Edits over the socket: sent to last touched tile decoded, milliseconds", EDIT_COLUMNS);
    table_init(&fill, "worlds", "Worlds: filled over the socket, then streamed to a subscriber", FILL_COLUMNS);
    site_init(a, &small);
    site_init(b, &large);
    site_init(c, &seeded);
    bool ok = site_open(a, o, &fill) && site_open(c, o, &fill) && site_open(b, o, &fill);
    // The worlds in turn, so that all meet the same noise.
    uint64_t hits = ok ? session_counter(&a->session, "cache_hits") : 0;
    for (int i = 0; ok && i < MOVES; i++) ok = site_move_and_undo(a) && site_move_and_undo(c) && site_move_and_undo(b);
    if (ok) {
        hits = session_counter(&a->session, "cache_hits") - hits;
        for (site *at = a; at <= c; at++) {
            series_report(&edits, at->city, at->city->seeds ? "move, seeds" : "move", &at->moves);
            series_report(&edits, at->city, at->city->seeds ? "undo, seeds" : "undo", &at->undos);
        }
        add_bars(bars, a, b, (double)hits, subject_outlines_are_true(o));
    }
    for (site *at = a; at <= c; at++) site_close(at);
    table_print(&fill);
    table_print(&edits);
    ok = table_write(&fill, o->out) && table_write(&edits, o->out) && ok;
    table_deinit(&fill);
    table_deinit(&edits);
    free(a);
    return ok;
}
