// How truly does the mesh's edge follow what ends the floor? Both meshes are read as the Detour tiles that they end as.
// Along every edge with nothing behind it, each tenth of a metre, the nearest wall and the nearest drop are looked for
// among the scene's own triangles. The nearer one is what the edge is about, and should be the agent's radius away.
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
// A floor often ends at its wall or a little before; then it is the wall that counts.
static const double SAME_M = 0.05;

enum { BINS = 1000 };

// Lengths are weights: a sample stands for its part of the edge.
typedef struct distances {
    double length_m, error_sum, error_max, bias_sum; // the bias counts too near as negative
    double nearest_m;
    double bin_m[BINS]; // lengths by error, millimetre by millimetre
} distances;

typedef struct wall_report {
    double edges_m; // of all edges with nothing behind
    distances walls, drops;
    double surface_m2, baseless_m2; // of the detail triangles, seen from above; of those without a floor within climb
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

static void add_distance(distances *d, double distance, double radius, double weight)
{
    double error = fabs(distance - radius);
    d->nearest_m = d->length_m > 0 ? fmin(d->nearest_m, distance) : distance;
    d->length_m += weight;
    d->error_sum += weight * error;
    d->bias_sum += weight * (distance - radius);
    d->error_max = fmax(d->error_max, error);
    d->bin_m[(int)fmin(BINS - 1, error * 1000)] += weight;
}

static void sample(walker *w, double x, double y, double z, double weight)
{
    const nav_settings *s = w->settings;
    const double level = (double)s->cell_height_m, radius = (double)s->agent_radius_m, reach = radius + REACH_M;
    const double climb = (double)s->agent_climb_m;
    w->out->edges_m += weight;
    // Heights of a mesh are whole voxels, rounded up; the floor itself tells where the agent's feet are.
    if (!tri_grid_height(&w->ground.floors, x, z, y - 3 * level, y + level, &y)) y -= level;
    double wall = tri_grid_distance(&w->ground.blocks, x, z, y + climb, y + (double)s->agent_height_m, reach);
    double drop = tri_grid_distance(&w->ground.drops, x, z, y - climb, y + climb, reach);
    if (wall <= reach && wall <= drop + SAME_M)
        add_distance(&w->out->walls, wall, radius, weight);
    else if (drop <= reach)
        add_distance(&w->out->drops, drop, radius, weight);
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

static void walk_surface(walker *w, const nav_detour_view *v, const nav_detour_poly *poly)
{
    const double climb = (double)w->settings->agent_climb_m;
    for (uint32_t t = 0; t < poly->detail_tri_count; t++) {
        float p[3][3];
        uint8_t flags;
        double c[3], found;
        nav_detour_get_triangle(v, poly, t, p, &flags);
        for (int k = 0; k < 3; k++) c[k] = ((double)p[0][k] + (double)p[1][k] + (double)p[2][k]) / 3;
        double area =
            fabs((double)((p[1][0] - p[0][0]) * (p[2][2] - p[0][2]) - (p[2][0] - p[0][0]) * (p[1][2] - p[0][2]))) / 2;
        w->out->surface_m2 += area;
        if (!tri_grid_height(&w->ground.floors, c[0], c[2], c[1] - climb, c[1] + climb, &found))
            w->out->baseless_m2 += area;
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
        walk_surface(w, &v, &poly);
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

static double mean_error(const distances *d)
{
    return d->length_m > 0 ? d->error_sum / d->length_m : 0;
}

// The error that this share of the length stays under.
static double quantile(const distances *d, double share)
{
    double sum = 0;
    for (int i = 0; i < BINS; i++) {
        sum += d->bin_m[i];
        if (sum >= share * d->length_m) return fmin(d->error_max, (i + 1) / 1000.0);
    }
    return d->error_max;
}

typedef struct run {
    const bench_options *options;
    table walls, *bars;
    mean ratios; // of the files
} run;

static void add_distances(table *t, const distances *d, double edges_m)
{
    table_add(t, "%.3f", edges_m > 0 ? d->length_m / edges_m : 0);
    table_add(t, "%.4f", mean_error(d));
    table_add(t, "%.4f", d->length_m > 0 ? d->bias_sum / d->length_m : 0);
    table_add(t, "%.3f", quantile(d, 0.99));
    table_add(t, "%.3f", d->error_max);
    table_add(t, "%.3f", d->nearest_m);
}

static void report(run *r, const subject *s, const wall_report *navd, const wall_report *recast)
{
    for (int by = 0; by < (recast ? 2 : 1); by++) {
        const wall_report *w = by ? recast : navd;
        table_add(&r->walls, "%s", s->name);
        table_add(&r->walls, "%s", by ? "recast" : nav_partition_name(s->settings.partition));
        table_add(&r->walls, "%.1f", w->edges_m);
        add_distances(&r->walls, &w->walls, w->edges_m);
        add_distances(&r->walls, &w->drops, w->edges_m);
        double both_m = w->walls.length_m + w->drops.length_m;
        table_add(&r->walls, "%.4f", both_m > 0 ? (w->walls.error_sum + w->drops.error_sum) / both_m : 0);
        table_add(&r->walls, "%.1f", w->surface_m2);
        table_add(&r->walls, "%.2f", w->baseless_m2);
    }
    if (recast)
        table_add_bar(r->bars, "surface without a floor (m2)", s->name, navd->baseless_m2, false, recast->baseless_m2);
    if (!recast || mean_error(&recast->walls) <= 0) return;
    double ratio = mean_error(&navd->walls) / mean_error(&recast->walls);
    table_add_bar(r->bars, "wall distance, mean / Recast's", s->name, ratio, false, 0.8);
    if (s->stored) mean_add(&r->ratios, ratio);
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
               "Walls: distance from the mesh's edge to the scene's walls and drops, less the radius, metres",
               "scene,by,edges_m,walls,mean_m,bias_m,p99_m,max_m,nearest_m,drops,drop_mean_m,drop_bias_m,drop_p99_m,"
               "drop_max_m,drop_nearest_m,"
               "both_mean_m,surface_m2,baseless_m2");
    bool ok = subject_each(o, measure, &r);
    table_print(&r.walls);
    ok = table_write(&r.walls, o->out) && ok;
    table_add_mean_bar(bars, "wall distance, mean / Recast's", &r.ratios, 0.8);
    table_deinit(&r.walls);
    return ok;
}
