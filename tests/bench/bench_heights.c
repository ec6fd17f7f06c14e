// Terrain as a height grid: 2 km by 2 km with a sample each half metre goes to a daemon, and is sculpted there with a
// brush of 64 by 64 samples. Times as an editor meets them: over the client library, to the last tile decoded.
#include "clients/navctl/output/progress.h"
#include "tests/bench/site.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRUSH = 64, FIRST_ID = 1000 };

typedef struct land {
    navd_heights heights;
    uint16_t *samples;
    uint64_t sent_bytes;
} land;

static bool land_init(land *l, uint32_t side)
{
    l->samples = malloc((size_t)side * side * sizeof *l->samples);
    double *wave = malloc(side * sizeof *wave);
    for (uint32_t c = 0; wave && c < side; c++) wave[c] = sin(c * 0.5 / 37);
    for (uint32_t r = 0; wave && l->samples && r < side; r++) {
        const double across = 10 * cos(r * 0.5 / 29);
        for (uint32_t c = 0; c < side; c++)
            l->samples[(size_t)r * side + c] =
                (uint16_t)(100 * (50 + wave[c] * across + 1.5 * sin((c + 0.7 * r) * 0.1)));
    }
    l->heights = (navd_heights){
        .columns = side, .rows = side, .spacing_m = 0.5, .scale_m = 0.01, .bits = 16, .samples = l->samples};
    free(wave);
    return l->samples && wave;
}

static void count_sent(void *user, size_t block, uint64_t bytes)
{
    (void)block;
    ((land *)user)->sent_bytes += bytes;
}

// Seconds to the last tile; below 0: something broke.
static double push(site *at, land *l, double *sent_s)
{
    static const float nowhere[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    session *s = &at->session;
    navd_edit_result r;
    double began_s = now_s();
    if (!session_did(s,
                     navd_terrain_put(s->client, s->world, FIRST_ID, &l->heights, nowhere, NAVD_AREA_DEFAULT, "land",
                                      count_sent, l, &r),
                     "terrain"))
        return -1;
    *sent_s = now_s() - began_s;
    if (!session_did(s, navd_wait(s->client, s->world, NULL, NULL), "wait")) return -1;
    return now_s() - began_s;
}

// A hill or a pit where the brush is.
static void sculpt(land *l, uint32_t column, uint32_t row, int strength, uint16_t out[BRUSH * BRUSH])
{
    for (uint32_t r = 0; r < BRUSH; r++)
        for (uint32_t c = 0; c < BRUSH; c++) {
            const int dx = 2 * (int)c - BRUSH, dz = 2 * (int)r - BRUSH;
            uint16_t *sample = &l->samples[(size_t)(row + r) * l->heights.columns + column + c];
            const int left = BRUSH * BRUSH - dx * dx - dz * dz;
            if (left > 0) *sample = (uint16_t)(*sample + strength * left / (BRUSH * BRUSH) + strength / abs(strength));
            out[r * BRUSH + c] = *sample;
        }
}

static bool stroke(site *at, land *l, uint64_t *bytes)
{
    uint16_t rect[BRUSH * BRUSH];
    navd_operation *ops;
    const double most = (double)(l->heights.columns - BRUSH);
    const uint32_t column = (uint32_t)bench_random_in(&at->random, 0, most),
                   row = (uint32_t)bench_random_in(&at->random, 0, most);
    sculpt(l, column, row, bench_random_in(&at->random, 0, 2) < 1 ? 40 : -40, rect);
    size_t count = navd_terrain_stroke(&l->heights, FIRST_ID, column, row, BRUSH, BRUSH, rect, NULL, &ops);
    if (!ops) return false;
    for (size_t i = 0; i < count; i++) *bytes += 2 * (uint64_t)ops[i].u.patch.columns * ops[i].u.patch.rows;
    bool ok = site_edit_all(at, &at->moves, ops, count);
    free(ops);
    return ok;
}

static bool measure(site *at, land *l, table *t, table *bars)
{
    char where[48];
    double sent_s = 0, all_s = push(at, l, &sent_s);
    const double peak_mib = service_memory(&at->daemon, "VmHWM:");
    const uint64_t tiles = session_counter(&at->session, "tiles");
    uint64_t stroke_bytes = 0;
    bool ok = all_s >= 0;
    if (ok) {
        const navd_subscription_options all = {.profile = "agent"};
        ok = session_did(&at->session, navd_subscribe(at->session.client, at->session.world, &all, NULL), "tiles") &&
             session_did(&at->session, navd_wait(at->session.client, at->session.world, NULL, NULL), "wait");
    }
    const uint64_t before = session_counter(&at->session, "bytes_in");
    for (int i = 0; ok && i < MOVES; i++) ok = stroke(at, l, &stroke_bytes);
    const double wire_kib = (double)(session_counter(&at->session, "bytes_in") - before) / 1024 / MOVES;
    if (!ok) return false;
    snprintf(where, sizeof where, "%u^2 at 0.5 m", l->heights.columns);
    series_sort(&at->moves);
    table_add(t, "%s", where);
    table_add(t, "%llu", (unsigned long long)tiles);
    table_add(t, "%.1f", (double)l->sent_bytes / (1 << 20));
    table_add(t, "%.3f", sent_s);
    table_add(t, "%.3f", all_s);
    table_add(t, "%.1f", peak_mib);
    table_add(t, "%.1f", wire_kib);
    table_add(t, "%.2f", (double)at->moves.tiles / MOVES);
    table_add(t, "%.3f", series_percentile(&at->moves, 50));
    table_add(t, "%.3f", series_percentile(&at->moves, 99));
    table_add(t, "%.3f", at->moves.tiles ? (double)at->moves.made_us / 1e3 / (double)at->moves.tiles : 0);
    table_add_bar(bars, "terrain pushed to all tiles s", where, all_s, false, 1.0);
    table_add_bar(bars, "daemon's peak memory MiB", where, peak_mib, false, 300);
    table_add_bar(bars, "brush stroke p50 ms", where, series_percentile(&at->moves, 50), false, 5);
    table_add_bar(bars, "brush stroke p99 ms", where, series_percentile(&at->moves, 99), false, 15);
    table_add_bar(bars, "brush stroke sent KiB", where, wire_kib, false, 40);
    return true;
}

bool bench_heights(const bench_options *o, table *bars)
{
    static const char *const arguments[] = {"--threads", "2", NULL};
    const city none = {"terrain", 0, 0, false};
    site *at = calloc(1, sizeof *at);
    land l = {.sent_bytes = 0};
    table t;
    table_init(&t, "heights", "Height grids: a terrain pushed, then sculpted with a brush of 64 by 64 samples",
               "terrain,tiles,sent_mib,sent_s,built_s,peak_rss_mib,stroke_kib,stroke_tiles,stroke_p50_ms,stroke_p99_ms,"
               "tile_ms");
    bool ok = at && land_init(&l, o->quick ? 513 : 4097);
    if (ok) {
        site_init(at, &none);
        at->daemon.arguments = arguments;
        ok = service_start(&at->daemon, o->navd, false) && service_connect(&at->daemon, &at->session.client) &&
             session_open(&at->session, "land");
        if (ok) session_take_tiles(&at->session);
        ok = ok && measure(at, &l, &t, bars);
        navd_close(at->session.client);
        service_stop(&at->daemon);
        service_remove(&at->daemon);
    }
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    free(l.samples);
    free(at);
    return ok;
}
