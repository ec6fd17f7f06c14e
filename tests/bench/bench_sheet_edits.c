// Latency of edits where agents stand on walls and ceilings: the same room with crates in two daemons, in one for
// floors alone, in the other for all six sheets, and the same moves in both by turns.
#include "tests/bench/sheet_scenes.h"
#include "tests/bench/site.h"

#include <stdio.h>
#include <stdlib.h>

static const double EDIT_BAR = 6; // times the world of floors

static navd_settings settings_of(uint32_t sheets)
{
    navd_settings s;
    navd_settings_default(&s);
    s.generator = NAVD_GENERATOR_SURFACE;
    s.sheets = sheets;
    return s;
}

// A closed room of side_m along its shorter side, with the city's boxes in it.
static void furnish(site *at, const city *c)
{
    at->city = c;
    at->random.state = 17;
    sheet_scene_room(&at->scene, c->side_m / 0.7);
    at->corner[0] = at->scene.min[0];
    at->corner[1] = at->scene.min[2];
    bench_scene_add_boxes(&at->scene, c->boxes, c->side_m);
}

static bool measure(site sites[2], const city *c, const bench_options *o, table *edits, table *fill, table *bars)
{
    const navd_settings settings[2] = {settings_of(NAVD_SHEETS_UP), settings_of(NAVD_SHEETS_ALL)};
    static const char *const what[2] = {"floors", "six sheets"};
    bool ok = true;
    for (int k = 0; k < 2; k++) {
        furnish(&sites[k], c);
        sites[k].session.settings = &settings[k];
        ok = ok && site_open(&sites[k], o, fill);
    }
    for (int i = 0; ok && i < MOVES; i++)
        for (int k = 0; k < 2; k++) ok = ok && site_move_and_undo(&sites[k]);
    for (int k = 0; k < 2 && ok; k++) {
        char move[32], undo[32];
        snprintf(move, sizeof move, "move, %s", what[k]);
        snprintf(undo, sizeof undo, "undo, %s", what[k]);
        series_report(edits, c, move, &sites[k].moves);
        series_report(edits, c, undo, &sites[k].undos);
    }
    if (!ok) return false;
    table_add_bar(bars, "six sheets: move p50 / floors'", c->name,
                  series_percentile(&sites[1].moves, 50) / series_percentile(&sites[0].moves, 50), false, EDIT_BAR);
    table_add_bar(bars, "six sheets: undo p50 / floors'", c->name,
                  series_percentile(&sites[1].undos, 50) / series_percentile(&sites[0].undos, 50), false, EDIT_BAR);
    return true;
}

bool bench_sheet_edits(const bench_options *o, table *bars)
{
    const city rooms[2] = {{"room", 16, 40, false}, {"hall", o->quick ? 250u : 2000u, o->quick ? 80 : 280, false}};
    table edits, fill;
    bool ok = true;
    bench_options own = *o;
    own.outlines = NULL; // of voxels
    table_init(&edits, "sheet_edits", "Edits with sheets: sent to last touched tile decoded, milliseconds",
               EDIT_COLUMNS);
    table_init(&fill, "sheet_worlds", "Worlds with sheets: filled over the socket, then streamed to a subscriber",
               FILL_COLUMNS);
    for (int i = 0; i < 2 && ok; i++) {
        site *sites = calloc(2, sizeof *sites);
        ok = sites && measure(sites, &rooms[i], &own, &edits, &fill, bars);
        for (int k = 0; sites && k < 2; k++) site_close(&sites[k]);
        free(sites);
    }
    table_print(&fill);
    table_print(&edits);
    ok = table_write(&fill, o->out) && table_write(&edits, o->out) && ok;
    table_deinit(&fill);
    table_deinit(&edits);
    return ok;
}
