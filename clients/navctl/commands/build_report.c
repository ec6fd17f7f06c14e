// What navctl build says of what it made.
#include "clients/navctl/commands/build.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/text.h"

#include <stdio.h>
#include <string.h>

static void sheets_json(const generated *g, json_writer *w)
{
    json_open(w, "sheets", '{');
    for (uint32_t i = 0; i < g->grids.count; i++) {
        const sheet_grid *grid = &g->grids.grids[i];
        const generated_sheet *s = &g->sheets[grid->sheet];
        json_open(w, nav_sheet_name(grid->sheet), '{');
        json_int(w, "tiles", (int64_t)s->filled);
        json_int(w, "grid_tiles", (int64_t)grid->count[0] * grid->count[1]);
        json_int(w, "cells", (int64_t)s->cells);
        json_int(w, "polys", (int64_t)s->polys);
        json_number(w, "area_m2", s->area_m2);
        json_close(w, '}');
    }
    json_close(w, '}');
}

static void sheets_words(const generated *g)
{
    for (uint32_t i = 0; i < g->grids.count; i++) {
        const sheet_grid *grid = &g->grids.grids[i];
        const generated_sheet *s = &g->sheets[grid->sheet];
        const unsigned long long tiles = (unsigned long long)grid->count[0] * (unsigned long long)grid->count[1];
        printf("  %-4s %llu of %llu tile%s, %llu cell%s (%llu polygon%s), %.1f m2\n", nav_sheet_name(grid->sheet),
               (unsigned long long)s->filled, tiles, text_s(tiles), (unsigned long long)s->cells, text_s(s->cells),
               (unsigned long long)s->polys, text_s(s->polys), s->area_m2);
    }
}

// --- what both ways to build have ---

static void scene_json(const scene *s, const build_args *a, const generated *g, const build_report *r, json_writer *w)
{
    json_text(w, "scene", a->scene);
    json_int(w, "triangles", (int64_t)s->tri_count);
    json_int(w, "instances", s->instance_count);
    if (r->is_scene) {
        json_open(w, "bounds", '{');
        scene_look_report(s, &r->doubts, w);
        json_close(w, '}');
    }
    json_int(w, "tiles", (int64_t)g->filled);
    json_int(w, "grid_tiles", (int64_t)g->grids.total);
    json_int(w, "failed_tiles", (int64_t)g->failed);
}

static void scene_words(const scene *s, const build_args *a, const build_report *r)
{
    printf("%s: %llu triangle%s in %u object%s, read in %.2f s\n", a->scene, (unsigned long long)s->tri_count,
           text_s(s->tri_count), s->instance_count, text_s(s->instance_count), r->read_s);
    if (r->is_scene) scene_look_report(s, &r->doubts, NULL);
}

static void files_words(const build_args *a, const build_report *r)
{
    if (r->seams)
        printf("wrote a file for each sheet beside %s, and %u seams, in %.2f s\n", a->out, r->seams, r->write_s);
    else if (a->out)
        printf("wrote %s in %.2f s\n", a->out, r->write_s);
    if (a->picture) printf("drew %s in %.2f s\n", a->picture, r->draw_s);
}

// --- in this process ---

void build_report_json(const scene *s, const build_args *a, const generated *g, const build_report *r)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    scene_json(s, a, g, r, &w);
    json_int(&w, "cells", (int64_t)g->counts.cells);
    json_int(&w, "polys", (int64_t)g->counts.polygons);
    json_int(&w, "bytes", (int64_t)g->bytes);
    json_number(&w, "area_m2", g->area_m2);
    if (a->grid.settings.sheets != NAV_SHEETS_UP) sheets_json(g, &w);
    if (r->seams) json_int(&w, "seams", r->seams);
    json_number(&w, "read_s", r->read_s);
    json_number(&w, "generate_s", g->generate_s);
    json_number(&w, "index_s", g->index_s);
    json_number(&w, "write_s", r->write_s);
    json_number(&w, "draw_s", r->draw_s);
    json_int(&w, "threads", a->threads);
    json_open(&w, "stage_s", '{');
    for (int i = 0; i < NAV_STAGE_COUNT; i++) json_number(&w, nav_stage_name((nav_stage)i), g->stage_s[i]);
    json_close(&w, '}');
    if (a->reach.given) {
        json_open(&w, "reach", '{');
        json_text(&w, "unreachable", nav_unreachable_name(a->reach.mode));
        json_int(&w, "parts", g->reach.parts);
        json_int(&w, "unreachable_parts", g->reach.parts_off);
        json_number(&w, "unreachable_m2", g->unreachable_m2);
        json_int(&w, "seeds", a->reach.goal.seed_count);
        json_int(&w, "seeds_without_ground", g->reach.seeds_lost);
        json_close(&w, '}');
    }
    json_open(&w, "counts", '{');
#define PRINT_COUNT(name) json_int(&w, #name, (int64_t)g->counts.name);
    NAV_COUNT_LIST(PRINT_COUNT)
#undef PRINT_COUNT
    json_number(&w, "contour_deviation", g->counts.contour_deviation);
    json_close(&w, '}');
    json_int(&w, "skipped_triangles", (int64_t)g->triangles_skipped);
    json_int(&w, "peak_rss", (int64_t)r->peak_rss);
    json_close(&w, '}');
    json_end_line(&w);
}

// A line for each stage of each tile that has something in it; what a tile did not come to has no line.
void build_report_hashes(const generated *g)
{
    for (uint64_t i = 0; i < g->grids.total; i++) {
        int32_t x, z;
        const sheet_grid *grid = sheet_grids_at(&g->grids, i, &x, &z);
        const char *sheet = grid->sheet == NAV_SHEET_UP ? "" : nav_sheet_name(grid->sheet);
        for (int h = 0; h < NAV_HASH_COUNT; h++) {
            char text[NAV_KEY_TEXT_BYTES];
            if (nav_key_is_zero(g->hashes[i].of[h])) continue;
            nav_key_text(g->hashes[i].of[h], text);
            printf("%s%s%d,%d %-11s %s\n", sheet, *sheet ? " " : "", x, z, nav_hash_name((nav_hash)h), text);
        }
    }
}

static void print_stages(const generated *g)
{
    double total = 0;
    for (int i = 0; i < NAV_STAGE_COUNT; i++) total += g->stage_s[i];
    for (int i = 0; i < NAV_STAGE_COUNT; i++) {
        double part = total > 0 ? g->stage_s[i] / total : 0;
        char bar[31] = "";
        memset(bar, '#', (size_t)(part * 30 + 0.5));
        printf("  %-11s %9.1f ms %5.1f %%  %s\n", nav_stage_name((nav_stage)i), g->stage_s[i] * 1e3, part * 100, bar);
    }
}

void build_report_words(const scene *s, const build_args *a, const generated *g, const build_report *r)
{
    unsigned long long grid = (unsigned long long)g->grids.total;
    scene_words(s, a, r);
    printf("%llu of %llu tile%s have ground: %llu cell%s (%llu polygon%s), %.1f m2, %.1f KiB\n",
           (unsigned long long)g->filled, grid, text_s(grid), (unsigned long long)g->cells, text_s(g->cells),
           (unsigned long long)g->polys, text_s(g->polys), g->area_m2, (double)g->bytes / 1024);
    if (a->grid.settings.sheets != NAV_SHEETS_UP) sheets_words(g);
    if (g->reach.parts && !g->reach.parts_off)
        printf("all ground is reachable\n");
    else if (g->reach.parts)
        printf("unreachable: %.1f m2 of ground in %u part%s of tiles (of %u), %s\n", g->unreachable_m2,
               g->reach.parts_off, text_s(g->reach.parts_off), g->reach.parts,
               a->reach.mode == NAV_UNREACHABLE_DROP ? "dropped" : "flagged");
    if (g->triangles_skipped)
        printf("skipped %llu triangle%s without area, not finite or out of range (counted in each tile)\n",
               (unsigned long long)g->triangles_skipped, text_s(g->triangles_skipped));
    if (a->grid.settings.outlines == NAV_OUTLINES_TRUE && a->grid.settings.generator == NAV_GENERATOR_VOXEL)
        printf("true outlines: %llu corner%s around %llu shape%s, %llu region%s too crowded for them\n",
               (unsigned long long)g->counts.outline_corners, text_s(g->counts.outline_corners),
               (unsigned long long)g->counts.outline_shapes, text_s(g->counts.outline_shapes),
               (unsigned long long)g->counts.coarse_outlines, text_s(g->counts.coarse_outlines));
    printf("generated in %.3f s (of that indexing %.3f s) on %d thread%s, peak memory %.0f MiB\n", g->generate_s,
           g->index_s, a->threads, text_s((uint64_t)a->threads), (double)r->peak_rss / (1 << 20));
    if (a->stages) print_stages(g);
    files_words(a, r);
}

// --- with a farm ---

static void farm_words(const scene *s, const build_args *a, const generated *g, const build_report *r,
                       const farm_work *work)
{
    const unsigned long long grid = (unsigned long long)g->grids.total;
    scene_words(s, a, r);
    printf("%llu of %llu tile%s have ground: %.1f KiB, %.3f s after the scene was read\n",
           (unsigned long long)g->filled, grid, text_s(grid), (double)g->bytes / 1024, g->generate_s);
    printf("counting those around them, %llu were in the farm's cache, its workers built %llu, this machine %llu\n",
           (unsigned long long)work->found, (unsigned long long)work->made, (unsigned long long)work->built);
    files_words(a, r);
}

void build_report_farm(const scene *s, const build_args *a, const generated *g, const build_report *r,
                       const farm_work *work)
{
    if (!a->json) {
        farm_words(s, a, g, r, work);
        return;
    }
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    scene_json(s, a, g, r, &w);
    json_int(&w, "bytes", (int64_t)g->bytes);
    farm_work_json(work, &w);
    if (r->seams) json_int(&w, "seams", r->seams);
    json_number(&w, "read_s", r->read_s);
    json_number(&w, "generate_s", g->generate_s);
    json_number(&w, "write_s", r->write_s);
    json_number(&w, "draw_s", r->draw_s);
    json_close(&w, '}');
    json_end_line(&w);
}
