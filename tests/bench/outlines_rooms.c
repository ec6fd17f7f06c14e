// Rooms of every kind, for agents of three widths, in cells of five sizes: which doors are open, and what else of the
// world stays true where cells are coarse.
#include "tests/bench/outlines.h"
#include "tests/bench/rooms.h"
#include "tests/bench/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OF_EACH = 120, OF_EACH_OTHER = 40, QUICK_OF_EACH = 8, SIZES = 5, AGENTS = 3, SEED = 1515 };
// As the columns below say.
static const double CELLS_M[SIZES] = {0.2, 0.3, 0.4, 0.5, 0.6}, RADII_M[AGENTS] = {0.6, 0.35, 0.95};

typedef struct run {
    const bench_options *options;
    table rooms, wrong, *bars;
    uint32_t of_each;
    bench_room *all;
    bench_door *doors;
    int size; // of cells, being measured
    door_counts counts[OUTLINE_MAKERS][ROOM_KINDS][SIZES];
} run;

static bool has_bar(double cell_m)
{
    for (int i = 0; i < OUTLINE_SIZES; i++) {
        if (OUTLINE_CELLS_M[i] == cell_m) return true;
    }
    return false;
}

static void add_wrong(run *r, const subject *s, room_kind kind, const door_counts *c)
{
    const double side = (double)s->settings.tile_cells * (double)s->settings.cell_size_m;
    for (uint32_t i = 0; i < c->shut_wrongly + c->open_wrongly && i < DOOR_WRONG_KEPT; i++) {
        const bench_room *room = &r->all[(uint32_t)kind * r->of_each + c->wrong[i]];
        const double x = (room->door.from[0] + room->door.to[0]) / 2, z = (room->door.from[2] + room->door.to[2]) / 2;
        table *t = &r->wrong;
        table_add(t, "%s", ROOM_KIND_NAMES[kind]);
        table_add(t, "%g", (double)s->settings.agent_radius_m);
        table_add(t, "%.1f", (double)s->settings.cell_size_m);
        table_add(t, "%s", room->door.width_m < 2 * (double)s->settings.agent_radius_m ? "open" : "shut");
        table_add(t, "%.3f", room->door.width_m);
        table_add(t, "%.2f", x);
        table_add(t, "%.2f", z);
        table_add(t, "%d %d", (int)floor(x / side), (int)floor(z / side));
    }
}

// All kinds in the subject's cells, by one maker.
static bool judge(run *r, const subject *s, int maker)
{
    const double radius = (double)s->settings.agent_radius_m, cell = (double)s->settings.cell_size_m;
    nav_path_set *set = outlines_ways(s, maker);
    uint32_t all_wrong = 0;
    bool ok = set;
    for (int kind = 0; ok && kind < ROOM_KINDS; kind++) {
        door_counts c;
        ok = doors_judge(set, r->doors + (uint32_t)kind * r->of_each, r->of_each, radius, &c);
        r->counts[maker][kind][r->size] = c;
        if (maker == 0) add_wrong(r, s, (room_kind)kind, &c);
        if (kind != ROOM_STEEP) all_wrong += c.shut_wrongly + c.open_wrongly; // there it is voxels that shut doors
    }
    if (ok && maker == 0 && has_bar(round(cell * 10) / 10)) {
        char words[64];
        snprintf(words, sizeof words, "cells of %.1f m; radius %g", cell, radius);
        table_add_bar(r->bars, "doors of other rooms, wrong", words, all_wrong, false, 0);
    }
    nav_path_set_destroy(set);
    return ok;
}

static bool measure(run *r, double cell_m, double radius_m)
{
    subject s = {.name = "rooms"};
    tri_list tris = {0};
    nav_settings defaults;
    nav_settings_default(&defaults);
    rooms_make(SEED, r->of_each, radius_m, cell_m * defaults.tile_cells, &tris, r->all);
    for (uint32_t i = 0; i < r->of_each * ROOM_KINDS; i++) r->doors[i] = r->all[i].door;
    bench_scene_triangles(&s.scene, &tris);
    tri_list_deinit(&tris);
    bool ok = subject_open(&s, r->options);
    s.settings.agent_radius_m = (float)radius_m;
    // Doors that are to be on borders are there, and floors in the middle of a voxel, as those of doors.h.
    s.settings.origin_m[0] = s.settings.origin_m[2] = 0;
    s.settings.origin_m[1] = -60.5 * (double)defaults.cell_height_m;
    ok = ok && subject_set_cell(&s, cell_m) && judge(r, &s, 0);
    if (s.peer && radius_m == RADII_M[0]) ok = ok && judge(r, &s, 1);
    subject_close(&s);
    return ok;
}

static void report(run *r, double radius_m, int makers)
{
    table *t = &r->rooms;
    for (int row = 0; row < makers * ROOM_KINDS; row++) {
        const door_counts *c = r->counts[row / ROOM_KINDS][row % ROOM_KINDS];
        table_add(t, "%s", OUTLINE_MAKER_NAMES[row / ROOM_KINDS]);
        table_add(t, "%g", radius_m);
        table_add(t, "%s", ROOM_KIND_NAMES[row % ROOM_KINDS]);
        table_add(t, "%u", c[0].doors);
        for (int k = 0; k < SIZES; k++) table_add(t, "%u", c[k].shut_wrongly);
        for (int k = 0; k < SIZES; k++) table_add(t, "%u", c[k].open_wrongly);
    }
}

bool outlines_rooms(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    bool ok = true;
    table_init(&r.rooms, "outline_rooms",
               "Rooms of every kind: doors that are shut or open wrongly, by cells in metres",
               "by,radius_m,kind,doors,shut_0.2,shut_0.3,shut_0.4,shut_0.5,shut_0.6,open_0.2,open_0.3,open_0.4,"
               "open_0.5,open_0.6");
    table_init(&r.wrong, "outline_rooms_wrong", "The first of navd's that are wrong",
               "kind,radius_m,cell_m,is,width_m,x,z,tile");
    fprintf(stderr, "bench: rooms\n");
    r.all = calloc((size_t)OF_EACH * ROOM_KINDS, sizeof *r.all);
    r.doors = calloc((size_t)OF_EACH * ROOM_KINDS, sizeof *r.doors);
    if (!r.all || !r.doors) abort();
    for (int a = 0; ok && a < AGENTS; a++) {
        r.of_each = o->quick ? QUICK_OF_EACH : a ? OF_EACH_OTHER : OF_EACH;
        for (r.size = 0; ok && r.size < SIZES; r.size++) ok = measure(&r, CELLS_M[r.size], RADII_M[a]);
        if (ok) report(&r, RADII_M[a], a == 0 && peer_present() ? 2 : 1);
    }
    table_print(&r.rooms);
    if (r.wrong.cell_count > (size_t)r.wrong.columns) table_print(&r.wrong);
    ok = table_write(&r.rooms, o->out) && table_write(&r.wrong, o->out) && ok;
    table_deinit(&r.rooms);
    table_deinit(&r.wrong);
    free(r.all);
    free(r.doors);
    return ok;
}
