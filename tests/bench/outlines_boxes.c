// Boxes that stand alone, turned at random: how many corners has the outline around one? Each stands in the middle of
// a tile of its own, so that no border cuts its outline.
#include "tests/bench/flat_mesh.h"
#include "tests/bench/outlines.h"
#include "tests/bench/scenes.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROW = 32, QUICK_ROW = 8, SEED = 151 };
static const double FLOOR_M = 0.3, LEVEL_M = 1.2, SHIFT_M = 1, BAR = 0.98, PI = 3.14159265358979;

typedef struct box_counts {
    uint32_t boxes, four, corners;
    uint32_t broken; // whose outline is not one closed loop
} box_counts;

typedef struct run {
    uint32_t row;
    int size; // of cells, being measured
    box_counts counts[OUTLINE_MAKERS][OUTLINE_SIZES];
} run;

// The same boxes in tiles of any size, which is at least 9.6 m. The outermost tiles are empty.
static void make_boxes(uint32_t row, double tile_m, bench_box *out)
{
    bench_random r = {SEED};
    double half = (row + 2) * tile_m / 2;
    out[0] = (bench_box){half, half, half, half, -FLOOR_M, 0, 0};
    for (uint32_t i = 0; i < row * row; i++) {
        bench_box *b = &out[1 + i];
        b->x = (i % row + 1.5) * tile_m + bench_random_in(&r, -SHIFT_M, SHIFT_M);
        b->z = (i / row + 1.5) * tile_m + bench_random_in(&r, -SHIFT_M, SHIFT_M);
        b->half_x = bench_random_in(&r, 0.3, 1.5);
        b->half_z = bench_random_in(&r, 0.3, 1.5);
        b->low = 0;
        b->high = bench_random_in(&r, 1.8, 1.95);
        b->angle = bench_random_in(&r, 0, PI);
    }
}

static bool look(const subject *s, int maker, const peer_tile *tiles, void *user)
{
    run *r = user;
    box_counts *c = &r->counts[maker][r->size];
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->row * r->row; i++) {
        const peer_tile *tile = &tiles[(i / r->row + 1) * (uint32_t)s->count[0] + i % r->row + 1];
        flat_mesh m = {0};
        ok = !tile->bytes || flat_mesh_add_tile(&m, tile, LEVEL_M);
        flat_loops loops = flat_mesh_loops(&m);
        bool whole = loops.loops == 1 && loops.open_ends == 0;
        c->boxes++;
        c->four += whole && loops.corners == 4;
        c->corners += loops.corners;
        c->broken += !whole;
        flat_mesh_deinit(&m);
    }
    return ok;
}

static bool report(const bench_options *o, const run *r, table *bars)
{
    table t;
    table_init(&t, "outline_boxes", "Boxes that stand alone, turned at random: corners of the outline around one",
               "by,cell_m,boxes,four,corners_mean,broken");
    for (int by = 0; by < OUTLINE_MAKERS; by++) {
        for (int k = 0; k < OUTLINE_SIZES; k++) {
            const box_counts *c = &r->counts[by][k];
            char cells[32];
            if (!c->boxes) continue;
            double four = (double)c->four / c->boxes;
            table_add(&t, "%s", OUTLINE_MAKER_NAMES[by]);
            table_add(&t, "%.1f", OUTLINE_CELLS_M[k]);
            table_add(&t, "%u", c->boxes);
            table_add(&t, "%.4f", four);
            table_add(&t, "%.3f", (double)c->corners / c->boxes);
            table_add(&t, "%u", c->broken);
            snprintf(cells, sizeof cells, "cells of %.1f m", OUTLINE_CELLS_M[k]);
            if (!by) table_add_bar(bars, "boxes with four corners", cells, four, true, BAR);
        }
    }
    table_print(&t);
    bool ok = table_write(&t, o->out);
    table_deinit(&t);
    return ok;
}

bool outlines_boxes(const bench_options *o, table *bars)
{
    run r = {.row = o->quick ? QUICK_ROW : ROW};
    bench_box *boxes = calloc((size_t)r.row * r.row + 1, sizeof *boxes);
    bool ok = true;
    if (!boxes) abort();
    fprintf(stderr, "bench: boxes\n");
    for (r.size = 0; ok && r.size < OUTLINE_SIZES; r.size++) {
        subject s = {.name = "boxes"};
        nav_settings defaults;
        nav_settings_default(&defaults);
        make_boxes(r.row, OUTLINE_CELLS_M[r.size] * defaults.tile_cells, boxes);
        bench_scene_boxes(&s.scene, boxes, r.row * r.row + 1);
        ok = subject_open(&s, o) && subject_set_cell(&s, OUTLINE_CELLS_M[r.size]) && outlines_look(&s, look, &r);
        subject_close(&s);
    }
    ok = ok && report(o, &r, bars);
    free(boxes);
    return ok;
}
