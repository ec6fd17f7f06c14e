// Doors: in navd's tiles as it stores them, and in Recast's.
#include "tests/bench/doors.h"
#include "tests/bench/outlines.h"
#include "tests/bench/scenes.h"

#include <stdio.h>
#include <stdlib.h>

enum { DOORS = 1600, QUICK_DOORS = 100, SEED = 15 };

typedef struct door_run {
    uint32_t count;
    bench_door *doors;
    door_counts counts[OUTLINE_MAKERS][OUTLINE_SIZES];
} door_run;

static bool put_navd(const subject *s, nav_path_set *set, char *why, size_t why_bytes)
{
    const generate_options options = {.settings = s->settings, .threads = 2, .encoding = GENERATE_NAVD};
    generated g = {0};
    bool ok = generate(&s->scene, &options, &g);
    for (uint32_t i = 0; ok && i < subject_tiles(s); i++) {
        const generated_tile *t = &g.tiles[i];
        ok = !t->bytes || nav_path_set_put(set, t->bytes, t->size, why, why_bytes) == NAV_OK;
    }
    generated_deinit(&g);
    return ok;
}

static bool put_recast(const subject *s, nav_path_set *set, char *why, size_t why_bytes)
{
    nav_detour_params params;
    peer_result p = {0};
    peer_generate(s->peer, 2, &p);
    bool ok = nav_detour_params_init(&params, &s->settings, subject_tiles(s), 0, why, why_bytes) == NAV_OK;
    for (uint32_t i = 0; ok && i < subject_tiles(s); i++) {
        const peer_tile *t = &p.tiles[i];
        ok = !t->bytes || nav_path_set_put_detour(set, &params, t->bytes, t->size, why, why_bytes) == NAV_OK;
    }
    peer_result_free(&p, subject_tiles(s));
    return ok;
}

nav_path_set *outlines_ways(const subject *s, int maker)
{
    char why[200] = "memory is short";
    nav_path_set *set = NULL;
    bool ok = nav_path_set_create(&set) == NAV_OK;
    ok = ok && (maker ? put_recast : put_navd)(s, set, why, sizeof why) && nav_path_set_join(set) == NAV_OK;
    if (ok) return set;
    fprintf(stderr, "bench: %s: %s\n", s->name, why);
    nav_path_set_destroy(set);
    return NULL;
}

static bool open_doors(const subject *s, int maker, const door_run *r, door_counts *out)
{
    nav_path_set *set = outlines_ways(s, maker);
    bool ok = set && doors_judge(set, r->doors, r->count, (double)s->settings.agent_radius_m, out);
    nav_path_set_destroy(set);
    return ok;
}

static bool report_doors(const bench_options *o, const door_run *r, bool beside, table *bars)
{
    table wrong, widths;
    table_init(&wrong, "outline_doors", "Doors: what an agent 1.2 m wide gets through",
               "by,cell_m,doors,open,shut_wrongly,open_wrongly");
    table_init(&widths, "outline_widths", "The same doors by width: how many are open",
               "by,cell_m,1.0,1.1,1.2,1.3,1.4,1.5,1.6,1.7,1.8,1.9");
    table_add(&widths, "all");
    table_add(&widths, "-");
    for (int i = 0; i < DOOR_CLASSES; i++) table_add(&widths, "%u", r->counts[0][0].class_doors[i]);
    for (int by = 0; by < 1 + beside; by++) {
        for (int k = 0; k < OUTLINE_SIZES; k++) {
            const door_counts *c = &r->counts[by][k];
            char cells[32];
            table_add(&wrong, "%s", OUTLINE_MAKER_NAMES[by]);
            table_add(&wrong, "%.1f", OUTLINE_CELLS_M[k]);
            table_add(&wrong, "%u", c->doors);
            table_add(&wrong, "%u", c->open);
            table_add(&wrong, "%u", c->shut_wrongly);
            table_add(&wrong, "%u", c->open_wrongly);
            table_add(&widths, "%s", OUTLINE_MAKER_NAMES[by]);
            table_add(&widths, "%.1f", OUTLINE_CELLS_M[k]);
            for (int i = 0; i < DOOR_CLASSES; i++) table_add(&widths, "%u", c->class_open[i]);
            snprintf(cells, sizeof cells, "cells of %.1f m", OUTLINE_CELLS_M[k]);
            if (!by)
                table_add_bar(bars, "doors open or shut wrongly", cells, c->shut_wrongly + c->open_wrongly, false, 0);
        }
    }
    table_print(&wrong);
    table_print(&widths);
    bool ok = table_write(&wrong, o->out);
    ok = table_write(&widths, o->out) && ok;
    table_deinit(&wrong);
    table_deinit(&widths);
    return ok;
}

bool outlines_doors(const bench_options *o, table *bars)
{
    door_run r = {.count = o->quick ? QUICK_DOORS : DOORS};
    subject s = {.name = "doors"};
    bench_box *boxes = calloc((size_t)r.count * DOOR_BOXES, sizeof *boxes);
    r.doors = calloc(r.count, sizeof *r.doors);
    if (!boxes || !r.doors) abort();
    fprintf(stderr, "bench: doors\n");
    doors_make(SEED, r.count, boxes, r.doors);
    bench_scene_boxes(&s.scene, boxes, r.count * DOOR_BOXES);
    bool ok = subject_open(&s, o);
    for (int k = 0; ok && k < OUTLINE_SIZES; k++) {
        ok = subject_set_cell(&s, OUTLINE_CELLS_M[k]) && open_doors(&s, 0, &r, &r.counts[0][k]);
        if (s.peer) ok = ok && open_doors(&s, 1, &r, &r.counts[1][k]);
    }
    ok = ok && report_doors(o, &r, s.peer != NULL, bars);
    subject_close(&s);
    free(boxes);
    free(r.doors);
    return ok;
}
