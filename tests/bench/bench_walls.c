// How well do the outlines follow the walls? Both meshes are read as the Detour tiles that they end as. Along every
// edge with a wall behind it, each tenth of a metre, the nearest wall is looked for among the scene's own triangles;
// it should be the agent's radius away.
//
//      ////// wall, [floor + climb, floor + height] //////
//            |  d: at its best the radius
//      --x---x---x---x--  edge of the mesh, samples
#include "core/tile/detour.h"
#include "tests/bench/ground.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STEP_M = 0.1, REACH_M = 1, ON_EDGE_M = 0.01;

enum { BINS = 1000 };

// Lengths are weights: a sample stands for its part of the edge.
typedef struct wall_report {
    double edges_m, walls_m;               // of all edges with a wall behind, and of their samples with a wall in reach
    double error_sum, error_max, bias_sum; // the bias counts too near as negative
    double bin_m[BINS];                    // of errors, millimetre by millimetre
} wall_report;

typedef struct walker {
    ground ground;
    const nav_settings *settings;
    wall_report *out;
} walker;

// A place on an edge: how far along (0 to 1), and its height.
typedef struct edge_point {
    double along, y;
} edge_point;

static int by_place(const void *a, const void *b)
{
    const edge_point *p = a, *q = b;
    if (p->along != q->along) return p->along < q->along ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

// The points of the detail triangles along the edge from a to b.
static int edge_profile(const nav_detour_view *v, const nav_detour_poly *poly, const float a[3], const float b[3],
                        edge_point *out)
{
    double dx = (double)(b[0] - a[0]), dz = (double)(b[2] - a[2]), length2 = dx * dx + dz * dz;
    int n = 0;
    out[n++] = (edge_point){0, (double)a[1]};
    for (uint32_t t = 0; t < poly->detail_tri_count; t++) {
        float p[3][3];
        uint8_t flags;
        nav_detour_get_triangle(v, poly, t, p, &flags);
        for (int c = 0; c < 3; c++) {
            double px = (double)(p[c][0] - a[0]), pz = (double)(p[c][2] - a[2]);
            double along = (px * dx + pz * dz) / length2;
            if (fabs(px * dz - pz * dx) > ON_EDGE_M * sqrt(length2) || along <= 1e-6 || along >= 1 - 1e-6) continue;
            out[n++] = (edge_point){along, (double)p[c][1]};
        }
    }
    out[n++] = (edge_point){1, (double)b[1]};
    qsort(out, (size_t)n, sizeof *out, by_place);
    return n;
}

static double profile_height(const edge_point *p, int n, double along)
{
    int i = 1;
    while (i + 1 < n && p[i].along < along) i++;
    double span = p[i].along - p[i - 1].along;
    double s = span > 0 ? (along - p[i - 1].along) / span : 0;
    return p[i - 1].y + s * (p[i].y - p[i - 1].y);
}

static void sample(walker *w, double x, double y, double z, double weight)
{
    const nav_settings *s = w->settings;
    const double level = (double)s->cell_height_m, radius = (double)s->agent_radius_m;
    wall_report *r = w->out;
    r->edges_m += weight;
    // Heights of a mesh are whole voxels, rounded up; the floor itself tells where the agent's feet are.
    if (!ground_height(&w->ground, x, z, y - 3 * level, y + level, &y)) y -= level;
    double d = ground_wall_distance(&w->ground, x, z, y + (double)s->agent_climb_m, y + (double)s->agent_height_m,
                                    radius + REACH_M);
    if (d > radius + REACH_M) return;
    double error = fabs(d - radius);
    r->walls_m += weight;
    r->error_sum += weight * error;
    r->bias_sum += weight * (d - radius);
    r->error_max = fmax(r->error_max, error);
    r->bin_m[(int)fmin(BINS - 1, error * 1000)] += weight;
}

static void walk_edge(walker *w, const nav_detour_view *v, const nav_detour_poly *poly, const float a[3],
                      const float b[3])
{
    edge_point profile[3 * 256 + 2];
    double dx = (double)(b[0] - a[0]), dz = (double)(b[2] - a[2]), length = hypot(dx, dz);
    if (length <= 0) return;
    int points = edge_profile(v, poly, a, b, profile), count = (int)fmax(1, round(length / STEP_M));
    for (int i = 0; i < count; i++) {
        double along = (i + 0.5) / count;
        sample(w, (double)a[0] + along * dx, profile_height(profile, points, along), (double)a[2] + along * dz,
               length / count);
    }
}

static bool walk_tile(walker *w, const peer_tile *tile)
{
    nav_detour_view v;
    char why[256];
    if (nav_detour_open(tile->bytes, tile->size, &v, why, sizeof why) != NAV_OK) {
        fprintf(stderr, "bench: walls: a tile cannot be read: %s\n", why);
        return false;
    }
    for (int32_t i = 0; i < v.header.poly_count; i++) {
        nav_detour_poly poly;
        nav_detour_get_poly(&v, (uint32_t)i, &poly);
        if (poly.type != NAV_DETOUR_GROUND) continue;
        for (int k = 0; k < poly.vert_count; k++) {
            float a[3], b[3];
            if (poly.neighbour[k]) continue;
            nav_detour_get_vert(&v, poly.vert[k], a);
            nav_detour_get_vert(&v, poly.vert[(k + 1) % poly.vert_count], b);
            walk_edge(w, &v, &poly, a, b);
        }
    }
    return true;
}

static bool walk_mesh(walker *w, const peer_tile *tiles, uint32_t count, wall_report *out)
{
    bool ok = true;
    *out = (wall_report){0};
    w->out = out;
    for (uint32_t i = 0; i < count; i++) ok = (!tiles[i].bytes || walk_tile(w, &tiles[i])) && ok;
    return ok;
}

static double mean(const wall_report *r)
{
    return r->walls_m > 0 ? r->error_sum / r->walls_m : 0;
}

// The error that this share of the walls' length stays under.
static double quantile(const wall_report *r, double share)
{
    double sum = 0;
    for (int i = 0; i < BINS; i++) {
        sum += r->bin_m[i];
        if (sum >= share * r->walls_m) return fmin(r->error_max, (i + 1) / 1000.0);
    }
    return r->error_max;
}

typedef struct run {
    const bench_options *options;
    table walls, *bars;
    double log_sum; // of the ratios of the stored scenes
    int ratios;
} run;

static void report(run *r, const subject *s, const wall_report *navd, const wall_report *recast)
{
    for (int by = 0; by < (recast ? 2 : 1); by++) {
        const wall_report *w = by ? recast : navd;
        table_add(&r->walls, "%s", s->name);
        table_add(&r->walls, "%s", by ? "recast" : nav_partition_name(s->settings.partition));
        table_add(&r->walls, "%.1f", w->edges_m);
        table_add(&r->walls, "%.3f", w->edges_m > 0 ? w->walls_m / w->edges_m : 0);
        table_add(&r->walls, "%.4f", mean(w));
        table_add(&r->walls, "%.4f", w->walls_m > 0 ? w->bias_sum / w->walls_m : 0);
        table_add(&r->walls, "%.3f", quantile(w, 0.5));
        table_add(&r->walls, "%.3f", quantile(w, 0.99));
        table_add(&r->walls, "%.3f", w->error_max);
    }
    if (!recast || mean(recast) <= 0) return;
    double ratio = mean(navd) / mean(recast);
    table_add_bar(r->bars, "wall distance, mean / Recast's", s->name, ratio, false, 0.8);
    r->log_sum += log(ratio);
    r->ratios++;
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    walker w = {.settings = &s->settings};
    wall_report *reports = calloc(2, sizeof *reports);
    const generate_options options = {.settings = s->settings, .threads = 2, .encoding = GENERATE_DETOUR};
    generated g = {0};
    peer_result p = {0};
    peer_tile *tiles = NULL;
    bool ok = reports && generate(&s->scene, &options, &g) && (tiles = subject_borrow_tiles(s, &g));
    if (!ok) goto done;
    if (s->peer) peer_generate(s->peer, 2, &p);
    ground_init(&w.ground, s->verts, s->tris, s->tri_count, &s->settings);
    ok = walk_mesh(&w, tiles, subject_tiles(s), &reports[0]);
    if (s->peer) ok = walk_mesh(&w, p.tiles, subject_tiles(s), &reports[1]) && ok;
    report(r, s, &reports[0], s->peer ? &reports[1] : NULL);
done:
    ground_deinit(&w.ground);
    peer_result_free(&p, subject_tiles(s));
    generated_deinit(&g);
    free(tiles);
    free(reports);
    return ok;
}

bool bench_walls(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    table_init(&r.walls, "walls",
               "Walls: distance between the mesh's edge and the scene's walls, less the radius, metres",
               "scene,by,edges_m,with_wall,mean_m,bias_m,median_m,p99_m,max_m");
    bool ok = subject_each(o, measure, &r);
    table_print(&r.walls);
    ok = table_write(&r.walls, o->out) && ok;
    if (r.ratios)
        table_add_bar(bars, "wall distance, mean / Recast's", "(mean)", exp(r.log_sum / r.ratios), false, 0.8);
    table_deinit(&r.walls);
    return ok;
}
