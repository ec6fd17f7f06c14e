#include "tests/bench/plans.h"
#include "tests/bench/pairs.h"

#include <math.h>
#include <stdlib.h>

// Sums of one region's floor plans.
typedef struct region_sums {
    int64_t most, cells;
    int32_t loops_first, loops_end; // its loops stand together
} region_sums;

static int64_t notches_of(const nav_contours *o, int32_t loop)
{
    int32_t first = o->loop_first[loop], count = o->loop_first[loop + 1] - first;
    int64_t notches = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t p = first + (k + count - 1) % count, v = first + k, n = first + (k + 1) % count;
        // Regions lie to the right of their edges: a notch is a turn to the left.
        int64_t in_x = o->x[v] - o->x[p], in_z = o->z[v] - o->z[p], out_x = o->x[n] - o->x[v],
                out_z = o->z[n] - o->z[v];
        notches += in_x * out_z - in_z * out_x > 0;
    }
    return notches;
}

static void add_plan(plan_counts *c, region_sums *region, int64_t notches, int64_t holes, int64_t pairs)
{
    int64_t least = (notches + 1) / 2 + 1 - holes, paired = notches + 1 - holes - pairs;
    c->plans++;
    c->notches += (uint64_t)notches;
    c->holes += (uint64_t)holes;
    c->least += (uint64_t)(least > 1 ? least : 1);
    c->paired += (uint64_t)(paired > 1 ? paired : 1);
    region->most += notches + 1 - holes > 1 ? notches + 1 - holes : 1;
}

static bool count_plans(plan_counts *c, const nav_contours *o, region_sums *regions)
{
    for (int32_t l = 0; l < o->loop_count;) {
        region_sums *region = &regions[o->loop_region[l]];
        int32_t first = l;
        int64_t notches = notches_of(o, l), holes = 0;
        if (region->loops_end == 0) region->loops_first = l;
        for (l++; l < o->loop_count && o->loop_hole[l]; l++, holes++) notches += notches_of(o, l);
        region->loops_end = l;
        int32_t pairs = plan_pairs(o, first, l);
        if (pairs < 0) return false;
        add_plan(c, region, notches, holes, pairs);
    }
    return true;
}

static double segment_distance(double ax, double az, double bx, double bz, double x, double z)
{
    double dx = bx - ax, dz = bz - az, length2 = dx * dx + dz * dz;
    double s = length2 > 0 ? ((x - ax) * dx + (z - az) * dz) / length2 : 0;
    s = fmin(1, fmax(0, s));
    return hypot(ax + s * dx - x, az + s * dz - z);
}

static double contour_distance(const nav_contours *o, const region_sums *region, double x, double z)
{
    double nearest = INFINITY;
    for (int32_t l = region->loops_first; l < region->loops_end; l++) {
        int32_t first = o->loop_first[l], end = o->loop_first[l + 1];
        for (int32_t v = first; v < end; v++) {
            int32_t n = v + 1 < end ? v + 1 : first;
            nearest = fmin(nearest, segment_distance(o->x[v], o->z[v], o->x[n], o->z[n], x, z));
        }
    }
    return nearest;
}

// Both ends of every side of a cell that its region ends at.
static void deviate(plan_counts *c, const nav_tile *t, const region_sums *regions)
{
    static const int8_t from_x[4] = {0, 0, 1, 1}, from_z[4] = {0, 1, 1, 0}; // side d begins here, and ends at d + 1
    const nav_compact_heightfield *f = &t->field;
    for (int32_t s = 0; s < f->span_count; s++) {
        int32_t x = f->column[s] % f->width - f->border, z = f->column[s] / f->width - f->border, id = t->regions.id[s];
        int32_t side = f->width - 2 * f->border;
        if (id <= 0 || x < 0 || z < 0 || x >= side || z >= side) continue;
        for (int d = 0; d < 4; d++) {
            int32_t n = f->connection[d][s];
            if (n != NAV_NOT_CONNECTED && t->regions.id[n] == id) continue;
            bool wall = n == NAV_NOT_CONNECTED || t->regions.id[n] == NAV_REGION_NONE;
            double unit = t->config.unit, px = (x + from_x[d]) * unit, pz = (z + from_z[d]) * unit;
            double away = contour_distance(&t->contours, &regions[id], px, pz) / unit;
            if (away == INFINITY)
                c->lost++;
            else if (wall)
                c->wall_deviation = fmax(c->wall_deviation, away);
            else
                c->seam_deviation = fmax(c->seam_deviation, away);
        }
    }
}

bool plan_counts_add(plan_counts *c, const nav_tile *t)
{
    const nav_polygons *p = &t->polygons;
    if (t->contours.loop_count == 0) return true;
    region_sums *regions = calloc((size_t)t->regions.count + 1, sizeof *regions);
    if (!regions) return false;
    bool ok = count_plans(c, &t->contours, regions);
    for (int32_t i = 0; i < p->cell_count; i++) regions[p->region[p->cell_poly[i]]].cells++;
    for (int32_t i = 1; i <= t->regions.count; i++) {
        c->regions += regions[i].loops_end > 0;
        c->above += regions[i].cells > regions[i].most;
    }
    if (t->config.outlines == NAV_OUTLINES_VOXEL) deviate(c, t, regions);
    free(regions);
    return ok;
}
