// Ten thousand obstacles that overlap, on a floor of a square kilometre: the time of all tiles, and of one that moves
// in a daemon, from the moment before the edit is sent to the moment its last tile has been unpacked here.
#include "clients/navctl/generate/generate.h"
#include "clients/navctl/scene/plan_scene.h"
#include "tests/bench/plans_parts.h"
#include "tests/bench/site.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBSTACLES = 10000, QUICK_OBSTACLES = 400, ROUNDS = 5, TILE_CELLS = 64, KINDS = 3 };
static const double SIDE_M = 1000, QUICK_SIDE_M = 200, STEP_M = 3, TILES_BAR_S = 0.5, MOVE_BAR_MS = 2;
static const double TURN = 6.283185307179586;

// As random_plan.c makes them, one to 6 m across on 100 m2 each.
static char *many_wkt(uint32_t obstacles, double side)
{
    char *text = NULL;
    size_t size = 0;
    bench_random r = {11};
    FILE *f = open_memstream(&text, &size);
    if (!f) abort();
    fprintf(f, "floor POLYGON ((0 0, %g 0, %g %g, 0 %g))\n", side, side, side, side);
    for (uint32_t i = 0; i < obstacles; i++) {
        int corners = 3 + (int)bench_random_in(&r, 0, 7.99);
        double x = bench_random_in(&r, 0, side), y = bench_random_in(&r, 0, side), most = bench_random_in(&r, 1, 6);
        double turn = bench_random_in(&r, 0, TURN);
        fprintf(f, "obstacle to_height=2.5 POLYGON (");
        for (int k = 0; k < corners; k++) {
            double angle = turn + TURN * (k + bench_random_in(&r, -0.3, 0.3)) / corners;
            double away = bench_random_in(&r, most / 2, most);
            fprintf(f, "%s%.4f %.4f", k ? ", " : "(", x + away * cos(angle), y + away * sin(angle));
        }
        fprintf(f, "))\n");
    }
    if (fclose(f) || !text) abort();
    return text;
}

static bool time_tiles(const scene *s, const char *name, nav_corners corners, int rounds, table *t, table *bars)
{
    generate_options options = {.encoding = GENERATE_DETOUR};
    double best_s[2] = {0};
    generated g = {0};
    bool ok = true;
    nav_settings_default(&options.settings);
    options.settings.generator = NAV_GENERATOR_SURFACE;
    options.settings.corners = corners;
    options.settings.edge_max_error_cells = 0;
    options.settings.tile_cells = TILE_CELLS;
    for (int threads = 1; threads <= 2 && ok; threads++) {
        generator *maker = generator_create(threads);
        if (!maker) return false;
        for (int r = 0; r < rounds && ok; r++) {
            generated_deinit(&g);
            ok = generator_run(maker, s, &options, &g) && g.failed == 0;
            if (r == 0 || g.generate_s < best_s[threads - 1]) best_s[threads - 1] = g.generate_s;
        }
        generator_destroy(maker);
    }
    table_add(t, "%s", name);
    table_add(t, "%s", nav_corners_name(corners));
    for (int k = 0; k < 2; k++) table_add(t, "%.3f", best_s[k]);
    table_add(t, "%llu", (unsigned long long)g.filled);
    table_add(t, "%llu", (unsigned long long)g.cells);
    for (int k = NAV_STAGE_GATHER; k < NAV_STAGE_COUNT; k++)
        if (k == NAV_STAGE_GATHER || k == NAV_STAGE_SURFACE || k == NAV_STAGE_POLYGONS || k == NAV_STAGE_DETAIL)
            table_add(t, "%.3f", g.stage_s[k]);
    char scene_name[80];
    snprintf(scene_name, sizeof scene_name, "%s, %s", name, nav_corners_name(corners));
    table_add_bar(bars, "plans: all tiles on 2 threads s", scene_name, best_s[1], false, TILES_BAR_S);
    generated_deinit(&g);
    return ok;
}

static bool move_by(site *at, series *into, uint32_t id, double dx, double dz)
{
    navd_operation op = {.kind = NAVD_MOVE_INSTANCE, .id = id};
    memcpy(op.u.instance.transform, at->scene.instances[id].transform, sizeof op.u.instance.transform);
    op.u.instance.transform[3] += (float)dx;
    op.u.instance.transform[11] += (float)dz;
    return site_edit(at, into, &op);
}

static bool time_moves(site *at, const bench_options *o, const char *name, table *fill, table *edits, table *bars)
{
    const city plan = {name, at->scene.instance_count - 1, o->quick ? QUICK_SIDE_M : SIDE_M, false};
    navd_settings settings;
    navd_settings_default(&settings);
    settings.generator = NAVD_GENERATOR_SURFACE;
    settings.corners = NAVD_CORNERS_MITRE;
    settings.edge_max_error_cells = 0;
    at->session.settings = &settings;
    at->city = &plan;
    at->random.state = 17;
    bool ok = site_open(at, o, fill);
    for (int i = 0; i < MOVES && ok; i++) {
        const uint32_t id = 1 + (uint32_t)bench_random_in(&at->random, 0, at->scene.instance_count - 1);
        const double dx = bench_random_in(&at->random, -STEP_M, STEP_M),
                     dz = bench_random_in(&at->random, -STEP_M, STEP_M);
        ok = move_by(at, &at->moves, id, dx, dz) && move_by(at, &at->undos, id, 0, 0);
    }
    if (!ok) return false;
    series_report(edits, &plan, "move by up to 3 m", &at->moves);
    series_report(edits, &plan, "undo", &at->undos);
    table_add_bar(bars, "plans: an obstacle moves, to the last tile, p50 ms", name, series_percentile(&at->moves, 50),
                  false, MOVE_BAR_MS);
    return true;
}

bool bench_plans_many(const bench_options *o, table *bars)
{
    char name[48], why[256];
    table tiles, fill, edits;
    site at = {0};
    const uint32_t obstacles = o->quick ? QUICK_OBSTACLES : OBSTACLES;
    snprintf(name, sizeof name, "%u obstacles", obstacles);
    table_init(&tiles, "plans_many", "A floor plan of many obstacles: seconds from triangles to Detour's tiles",
               "plan,corners,s_1_thread,s_2_threads,tiles,cells,gather_s,surface_s,polygons_s,detail_s");
    table_init(&fill, "plans_fill", "The same in a daemon", FILL_COLUMNS);
    table_init(&edits, "plans_edits", "One obstacle moves", EDIT_COLUMNS);
    char *wkt = many_wkt(obstacles, o->quick ? QUICK_SIDE_M : SIDE_M);
    const scene_file file = {.path = "a plan", .bytes = (const uint8_t *)wkt, .count = strlen(wkt)};
    bool ok = plan_scene_read(PLAN_WKT, &file, 1, &at.scene, why, sizeof why);
    if (!ok) fprintf(stderr, "bench: a plan: %s\n", why);
    free(wkt);
    if (ok) scene_measure(&at.scene);
    for (int k = 0; k < KINDS && ok; k++)
        ok = time_tiles(&at.scene, name, (nav_corners)k, o->quick ? 1 : ROUNDS, &tiles, bars);
    ok = ok && time_moves(&at, o, name, &fill, &edits, bars);
    site_close(&at);
    table *const all[] = {&tiles, &fill, &edits};
    for (int i = 0; i < 3; i++) {
        table_print(all[i]);
        ok = table_write(all[i], o->out) && ok;
        table_deinit(all[i]);
    }
    return ok;
}
