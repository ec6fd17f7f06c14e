#include "tests/bench/wall_distance.h"
#include "core/tile/detour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double STEP_M = 0.1, REACH_M = 1, ON_EDGE_M = 0.01;
// A floor often ends at its wall or a little before; then it is the wall that counts.
static const double SAME_M = 0.05, TOO_NEAR_M = 0.005;

typedef struct walker {
    ground *ground;
    const nav_settings *settings;
    wall_report *out;
} walker;

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
    d->bin_m[(int)fmin(DISTANCE_BINS - 1, error * 1000)] += weight;
}

// The distance to what surely ends the floor, where the agent stands at (x, y, z).
static double sure_distance(const walker *w, double x, double y, double z)
{
    static const double around[8][2] = {{1, 0},  {0.7, 0.7},   {0, 1},  {-0.7, 0.7},
                                        {-1, 0}, {-0.7, -0.7}, {0, -1}, {0.7, -0.7}};
    const nav_settings *s = w->settings;
    const double level = (double)s->cell_height_m, radius = (double)s->agent_radius_m, climb = (double)s->agent_climb_m;
    double low = y, high = y, found;
    for (int i = 0; i < 16; i++) {
        double r = i < 8 ? radius : radius / 2, px = x + r * around[i % 8][0], pz = z + r * around[i % 8][1];
        if (!tri_grid_height(&w->ground->floors, px, pz, y - climb - level, y + climb + level, &found)) continue;
        low = fmin(low, found);
        high = fmax(high, found);
    }
    double wall = tri_grid_distance(&w->ground->blocks, x, z, high + climb + level,
                                    low + (double)s->agent_height_m - level, radius);
    double drop = tri_grid_distance(&w->ground->sure_drops, x, z, y - level, y + level, radius);
    return fmin(wall, drop);
}

static void add_least(const walker *w, double x, double y, double z, double distance, double weight)
{
    least_distance *l = &w->out->least;
    const double radius = (double)w->settings->agent_radius_m;
    if (distance < radius - TOO_NEAR_M) distance = sure_distance(w, x, y, z);
    if (distance < radius - TOO_NEAR_M) l->too_near_m += weight;
    if (distance > radius + REACH_M || (l->known && distance >= l->m)) return;
    *l = (least_distance){true, distance, {x, y, z}, l->too_near_m};
}

static void sample(const walker *w, double x, double y, double z, double weight)
{
    const nav_settings *s = w->settings;
    const double level = (double)s->cell_height_m, radius = (double)s->agent_radius_m, reach = radius + REACH_M;
    const double climb = (double)s->agent_climb_m;
    w->out->edges_m += weight;
    // Heights of a mesh are whole voxels, rounded up; the floor itself tells where the agent's feet are.
    bool founded = tri_grid_height(&w->ground->floors, x, z, y - 3 * level, y + level, &y);
    if (!founded) y -= level;
    double wall = tri_grid_distance(&w->ground->blocks, x, z, y + climb, y + (double)s->agent_height_m, reach);
    double drop = tri_grid_distance(&w->ground->drops, x, z, y - climb, y + climb, reach);
    if (founded) add_least(w, x, y, z, fmin(wall, drop), weight);
    if (wall <= reach && wall <= drop + SAME_M)
        add_distance(&w->out->walls, wall, radius, weight);
    else if (drop <= reach)
        add_distance(&w->out->drops, drop, radius, weight);
}

void wall_distance_add_edge(ground *g, const nav_settings *settings, const float a[3], const float b[3],
                            const edge_point *heights, int points, wall_report *out)
{
    const walker w = {g, settings, out};
    double dx = (double)(b[0] - a[0]), dz = (double)(b[2] - a[2]), length = hypot(dx, dz);
    if (length <= 0) return;
    int count = (int)fmax(1, round(length / STEP_M));
    for (int i = 0; i < count; i++) {
        double along = (i + 0.5) / count;
        sample(&w, (double)a[0] + along * dx, profile_height(heights, points, along), (double)a[2] + along * dz,
               length / count);
    }
}

static void walk_surface(const walker *w, const nav_detour_view *v, const nav_detour_poly *poly)
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
        if (!tri_grid_height(&w->ground->floors, c[0], c[2], c[1] - climb, c[1] + climb, &found))
            w->out->baseless_m2 += area;
    }
}

static void walk_wall(const walker *w, const nav_detour_view *v, const nav_detour_poly *poly, int k)
{
    edge_point profile[3 * 256 + 2];
    float a[3], b[3];
    nav_detour_get_vert(v, poly->vert[k], a);
    nav_detour_get_vert(v, poly->vert[(k + 1) % poly->vert_count], b);
    if (a[0] == b[0] && a[2] == b[2]) return;
    int points = edge_profile(v, poly, a, b, profile);
    wall_distance_add_edge(w->ground, w->settings, a, b, profile, points, w->out);
}

static bool walk_tile(const walker *w, const peer_tile *tile)
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
            if (!poly.neighbour[k]) walk_wall(w, &v, &poly, k);
        }
    }
    return true;
}

bool wall_distance_add_tiles(ground *g, const nav_settings *settings, const peer_tile *tiles, uint32_t count,
                             wall_report *out)
{
    const walker w = {g, settings, out};
    bool ok = true;
    for (uint32_t i = 0; i < count; i++) ok = (!tiles[i].bytes || walk_tile(&w, &tiles[i])) && ok;
    return ok;
}

double distances_mean(const distances *d)
{
    return d->length_m > 0 ? d->error_sum / d->length_m : 0;
}

double distances_quantile(const distances *d, double share)
{
    double sum = 0;
    for (int i = 0; i < DISTANCE_BINS; i++) {
        sum += d->bin_m[i];
        if (sum >= share * d->length_m) return fmin(d->error_max, (i + 1) / 1000.0);
    }
    return d->error_max;
}

void distances_add(distances *d, const distances *more)
{
    if (more->length_m <= 0) return;
    d->nearest_m = d->length_m > 0 ? fmin(d->nearest_m, more->nearest_m) : more->nearest_m;
    d->length_m += more->length_m;
    d->error_sum += more->error_sum;
    d->bias_sum += more->bias_sum;
    d->error_max = fmax(d->error_max, more->error_max);
    for (int i = 0; i < DISTANCE_BINS; i++) d->bin_m[i] += more->bin_m[i];
}
