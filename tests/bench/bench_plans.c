// Floor plans: random ones beside what GEOS says their free floor is, for each kind of corner; and many obstacles on a
// square kilometre, as a file's tiles and in a daemon where one of them moves.
//
// A place of the mesh is on a grid, so each edge is off by up to half a square of it, this way or that. What the free
// floor is off by goes down with the grid: that is measured with grids of three sizes.
#include "clients/navctl/scene/plan_scene.h"
#include "tests/bench/border_check.h"
#include "tests/bench/exact_area.h"
#include "tests/bench/exact_offset.h"
#include "tests/bench/pairs_audit.h"
#include "tests/bench/plans_parts.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 1000, QUICK_PLANS = 100, KINDS = 3, BORDERS_EACH = 4, PAIRS = 200 };
static const double AREA_BAR = 1e-6, RADIUS_M = 0.4;

typedef struct grid_size {
    float cell_m;
    int32_t tile_cells;
} grid_size;

// 293, 73 and 24 micrometres.
static const grid_size grids[] = {{0.3f, 48}, {0.075f, 63}, {0.025f, 63}};
enum { GRIDS = sizeof grids / sizeof *grids };

typedef struct figures {
    double sum_off, most_off, bias, most_twice, arcs; // parts of the area
    uint64_t points, different, open, bent;
} figures;

static nav_settings settings_for(nav_corners corners, const grid_size *g)
{
    nav_settings s;
    nav_settings_default(&s);
    s.generator = NAV_GENERATOR_SURFACE;
    s.corners = corners;
    s.edge_max_error_cells = 0;
    s.agent_radius_m = (float)RADIUS_M;
    s.cell_size_m = g->cell_m;
    s.tile_cells = g->tile_cells;
    return s;
}

static bool read_plan(const char *wkt, scene *out)
{
    char why[256];
    const scene_file file = {.path = "a plan", .bytes = (const uint8_t *)wkt, .count = strlen(wkt)};
    *out = (scene){0};
    if (plan_scene_read(PLAN_WKT, &file, 1, out, why, sizeof why)) {
        scene_measure(out);
        return true;
    }
    fprintf(stderr, "bench: a plan: %s\n", why);
    scene_deinit(out);
    return false;
}

static bool compare(const scene *s, const nav_settings *settings, const offset_floor *floor, bool audits, figures *f)
{
    generate_options options = {.settings = *settings, .threads = 1, .encoding = GENERATE_DETOUR};
    generated g = {0};
    flat_mesh m = {0};
    offset_mesh a;
    border_report b = {0};
    uint32_t open = 0, bent = 0;
    bool ok = generate(s, &options, &g);
    for (uint64_t i = 0; ok && i < g.grids.total; i++) {
        peer_tile tile = {g.tiles[i].bytes, g.tiles[i].size};
        ok = !tile.bytes || flat_mesh_add_tile(&m, &tile, 1);
    }
    ok = ok && exact_offset_mesh(&m, &a);
    if (ok && audits) ok = border_check(s, settings, &b);
    if (ok && audits) {
        generated own = {0};
        options.encoding = GENERATE_NAVD;
        ok = generate(s, &options, &own) && pairs_audit(&own, PAIRS, &open, &bent);
        generated_deinit(&own);
    }
    if (ok && floor->exact_m2 > 0) {
        const double off = fabs(a.mesh_m2 - floor->exact_m2) / floor->exact_m2;
        f->sum_off += off;
        f->most_off = fmax(f->most_off, off);
        f->bias += (a.mesh_m2 - floor->exact_m2) / floor->exact_m2;
        f->most_twice = fmax(f->most_twice, fabs(a.sum_m2 - a.mesh_m2) / floor->exact_m2);
        f->arcs += (floor->true_m2 - floor->exact_m2) / floor->exact_m2;
    }
    f->points += b.points;
    f->different += b.different + b.failed_tiles;
    f->open += open;
    f->bent += bent;
    flat_mesh_deinit(&m);
    generated_deinit(&g);
    return ok;
}

static void report(table *t, table *bars, nav_corners corners, const grid_size *g, int plans, const figures *f)
{
    const nav_settings s = settings_for(corners, g);
    nav_config c;
    nav_config_init(&c, &s, 0, 0);
    table_add(t, "%s", nav_corners_name(corners));
    table_add(t, "%g", (double)g->cell_m);
    table_add(t, "%.0f", c.unit_size_m * 1e6);
    table_add(t, "%d", plans);
    table_add(t, "%.2e", f->sum_off / plans);
    table_add(t, "%.2e", f->most_off);
    table_add(t, "%.1e", f->bias / plans);
    table_add(t, "%.2e", f->most_twice);
    table_add(t, "%.2e", corners == NAV_CORNERS_ROUND ? f->arcs / plans : 0);
    table_add(t, "%llu", (unsigned long long)f->points);
    table_add(t, "%llu", (unsigned long long)f->different);
    table_add(t, "%llu", (unsigned long long)f->open);
    table_add(t, "%llu", (unsigned long long)f->bent);
    char name[80];
    snprintf(name, sizeof name, "%d random plans, %s, %.0f um", plans, nav_corners_name(corners), c.unit_size_m * 1e6);
    table_add_bar(bars, "plans: area off GEOS', mean, parts of it", name, f->sum_off / plans, false, AREA_BAR);
    table_add_bar(bars, "plans: area off GEOS', most, parts of it", name, f->most_off, false, AREA_BAR);
    table_add_bar(bars, "plans: area covered twice, most, parts of it", name, f->most_twice, false, AREA_BAR);
    table_add_bar(bars, "plans: border points that differ", name, (double)f->different, false, 0);
    table_add_bar(bars, "plans: open pairs that bend", name, (double)f->bent, false, 0);
}

static bool measure_areas(const bench_options *o, table *t, table *bars)
{
    const int plans = o->quick ? QUICK_PLANS : PLANS;
    static figures all[KINDS][GRIDS];
    bench_random r = {5};
    bool ok = true;
    memset(all, 0, sizeof all);
    if (!exact_area_present()) {
        printf("\nThe area of floor plans is not measured: libgeos-dev is missing.\n");
        return true;
    }
    fprintf(stderr, "bench: random floor plans\n");
    for (int i = 0; i < plans && ok; i++) {
        random_plan p;
        scene s;
        random_plan_make(&r, &p);
        char *wkt = random_plan_wkt(&p);
        ok = read_plan(wkt, &s);
        free(wkt);
        for (int k = 0; ok && k < KINDS; k++) {
            const nav_settings first = settings_for((nav_corners)k, &grids[0]);
            offset_floor floor;
            nav_config c;
            nav_config_init(&c, &first, 0, 0);
            ok = exact_offset_floor(&p, (double)first.agent_radius_m, first.corners, first.mitre_limit, c.arc_step_cos,
                                    &floor);
            for (int g = 0; ok && g < GRIDS; g++) {
                const nav_settings settings = settings_for((nav_corners)k, &grids[g]);
                ok = compare(&s, &settings, &floor, g == 0, &all[k][g]);
            }
        }
        if (ok) scene_deinit(&s);
    }
    for (int k = 0; ok && k < KINDS; k++)
        for (int g = 0; g < GRIDS; g++) report(t, bars, (nav_corners)k, &grids[g], plans, &all[k][g]);
    return ok;
}

bool bench_plans(const bench_options *o, table *bars)
{
    table areas;
    table_init(&areas, "plan_areas", "Random floor plans beside their exact free floor by GEOS; parts of its area",
               "corners,cell_m,unit_um,plans,off_mean,off_most,bias,covered_twice,lost_to_arcs,border_points,"
               "border_points_differ,open_pairs,bent");
    bool ok = !o->own || (bench_plans_many(o, bars) && measure_areas(o, &areas, bars));
    table_print(&areas);
    ok = table_write(&areas, o->out) && ok;
    table_deinit(&areas);
    return ok;
}
