// What is blocked along a side is worked out along that side alone, from where the edges of shapes pass it: both tiles
// of the border have the same shapes there, whatever else they see, and so the same stretches.
//
//      ----####----.----###|    #: blocked stretches; those with next to nothing between are one
//                               .: something touches the side, in one place
#include "core/surface/sides.h"

#include "core/base/sort.h"

#include <math.h>

enum {
    NEAR = 2,     // units: how far rounding may move a corner along a side
    OPENING = 16, // units: what is blocked along a side with no more between is one
};

// Does an edge of a shape lie on the line of its blocker, to a rounding?
static bool is_on_line(const nav_point line[2], nav_point a, nav_point b)
{
    if (nav_point_same(line[0], line[1])) return false;
    double dx = (double)line[1].x - line[0].x, dz = (double)line[1].z - line[0].z,
           most = NEAR * sqrt(dx * dx + dz * dz);
    double p = dx * ((double)a.z - line[0].z) - dz * ((double)a.x - line[0].x);
    double q = dx * ((double)b.z - line[0].z) - dz * ((double)b.x - line[0].x);
    return fabs(p) <= most && fabs(q) <= most;
}

static nav_status block_side(surface_sides *w, int side, const surface_side_shapes *of, int32_t shape)
{
    static const nav_point none[2] = {{0, 0}, {0, 0}};
    const nav_point *line = of->blocker[shape] >= 0 ? of->blockers->of[of->blocker[shape]].line : none;
    const nav_shapes *s = of->shapes;
    bool by_x = side < 2;
    int32_t at = side & 1 ? w->tile_units : 0;
    surface_stretch found = {INT32_MAX, INT32_MIN};
    for (int32_t k = s->first[shape]; k < s->first[shape + 1]; k++) {
        nav_point a = s->at[k], b = s->at[k + 1 < s->first[shape + 1] ? k + 1 : s->first[shape]];
        int32_t pa = by_x ? a.x : a.z, pb = by_x ? b.x : b.z;
        if ((pa < at && pb < at) || (pa > at && pb > at)) continue;
        bool pure = (by_x ? line[0].x != line[1].x : line[0].z != line[1].z) && pa != pb && is_on_line(line, a, b);
        int32_t z = pure       ? nav_edge_passes(line[0], line[1], !by_x, at)
                    : pa == at ? (by_x ? a.z : a.x)
                    : pb == at ? (by_x ? b.z : b.x)
                               : nav_edge_passes(a, b, !by_x, at);
        found.low = z < found.low ? z : found.low;
        found.high = z > found.high ? z : found.high;
    }
    if (found.low > found.high) return NAV_OK;
    nav_status status = nav_grow(w->arena, (void **)&w->at[side], &w->capacity[side], (int64_t)w->count[side] + 1,
                                 sizeof(surface_stretch));
    if (status != NAV_OK) return status;
    w->at[side][w->count[side]++] = found;
    return NAV_OK;
}

// Where strips only end where something touches the side, those count that lie along it.
static bool counts(const surface_sides *w, int side, const surface_side_shapes *of, int32_t shape)
{
    const nav_shapes *s = of->shapes;
    const int32_t at = side & 1 ? w->tile_units : 0;
    int32_t on = 0;
    if (of->strips || of->blocker[shape] >= 0) return true;
    for (int32_t k = s->first[shape]; k < s->first[shape + 1]; k++) on += (side < 2 ? s->at[k].x : s->at[k].z) == at;
    return on >= 2;
}

static bool is_before(const void *none, const surface_stretch *a, const surface_stretch *b)
{
    (void)none;
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

NAV_DEFINE_SORT(sort_stretches, surface_stretch, const void *, is_before)

nav_status nav_surface_sides_find(surface_sides *w, const surface_side_shapes *of)
{
    nav_status s = NAV_OK;
    w->strips = of->strips;
    for (int side = 0; side < SURFACE_SIDES; side++) {
        w->count[side] = 0;
        for (int32_t k = 0; k < of->shapes->count && s == NAV_OK; k++)
            if (k < of->first_side || (k >= of->first_side + SURFACE_SIDES && counts(w, side, of, k)))
                s = block_side(w, side, of, k);
        sort_stretches(w->at[side], w->count[side], NULL);
        int32_t kept = 0;
        for (int32_t i = 0; i < w->count[side]; i++) {
            surface_stretch *all = w->at[side], here = all[i];
            if (kept > 0 && here.low <= all[kept - 1].high + OPENING)
                all[kept - 1].high = here.high > all[kept - 1].high ? here.high : all[kept - 1].high;
            else
                all[kept++] = here;
        }
        for (int32_t i = 0; i < kept; i++) // what only touches the side does so in one place
            if (w->at[side][i].high <= w->at[side][i].low + NEAR) w->at[side][i].high = w->at[side][i].low;
        w->count[side] = kept;
    }
    return s;
}

nav_status nav_surface_sides_add_touch(surface_sides *w, nav_point p)
{
    const int32_t t = w->tile_units;
    for (int side = 0; side < SURFACE_SIDES; side++) {
        const int32_t along = side < 2 ? p.z : p.x;
        bool there = (side < 2 ? p.x : p.z) != (side & 1 ? t : 0) || along <= 0 || along >= t;
        for (int32_t i = 0; i < w->count[side] && !there; i++)
            there = along >= w->at[side][i].low && along <= w->at[side][i].high;
        if (there) continue;
        nav_status s = nav_grow(w->arena, (void **)&w->at[side], &w->capacity[side], (int64_t)w->count[side] + 1,
                                sizeof(surface_stretch));
        if (s != NAV_OK) return s;
        w->at[side][w->count[side]++] = (surface_stretch){along, along};
    }
    return NAV_OK;
}

nav_point nav_surface_sides_settle(const surface_sides *w, nav_point p)
{
    const int32_t t = w->tile_units;
    int side = p.x == 0 ? 0 : p.x == t ? 1 : p.z == 0 ? 2 : p.z == t ? 3 : -1;
    if (side < 0 || ((p.x == 0 || p.x == t) && (p.z == 0 || p.z == t))) return p;
    int32_t along = side < 2 ? p.z : p.x, best = along, least = (w->strips ? 0 : SURFACE_STRIP) + NEAR + 1;
    for (int32_t i = 0; i < w->count[side]; i++) {
        const int32_t ends[2] = {w->at[side][i].low, w->at[side][i].high};
        for (int k = 0; k < 2; k++) {
            int32_t apart = ends[k] > along ? ends[k] - along : along - ends[k];
            if (apart > NEAR && w->at[side][i].low < w->at[side][i].high) continue;
            if (apart >= least || ends[k] < 0 || ends[k] > t) continue;
            least = apart;
            best = ends[k];
        }
    }
    return side < 2 ? (nav_point){p.x, best} : (nav_point){best, p.z};
}

static int side_of(const surface_sides *w, nav_point a, nav_point b)
{
    const int32_t t = w->tile_units;
    return a.x == 0 && b.x == 0 ? 0 : a.x == t && b.x == t ? 1 : a.z == 0 && b.z == 0 ? 2 : 3;
}

bool nav_surface_sides_block(const surface_sides *w, nav_point a, nav_point b)
{
    const int side = side_of(w, a, b);
    int32_t p = side < 2 ? a.z : a.x, q = side < 2 ? b.z : b.x;
    for (int32_t i = 0; i < w->count[side]; i++) {
        surface_stretch s = w->at[side][i];
        if ((p < q ? p : q) >= s.low && (p < q ? q : p) <= s.high) return true;
    }
    return false;
}

bool nav_surface_sides_next_touch(const surface_sides *w, nav_point a, nav_point b, nav_point *out)
{
    const int side = side_of(w, a, b);
    const int32_t from = side < 2 ? a.z : a.x, to = side < 2 ? b.z : b.x;
    int32_t best = to;
    for (int32_t i = 0; i < w->count[side]; i++) {
        const surface_stretch s = w->at[side][i];
        const bool ahead = from < to ? s.low > from && s.low < best : s.low < from && s.low > best;
        if (s.low == s.high && ahead) best = s.low;
    }
    *out = side < 2 ? (nav_point){a.x, best} : (nav_point){best, a.z};
    return best != to;
}

bool nav_surface_sides_touch(const surface_sides *w, nav_point p)
{
    const int32_t t = w->tile_units;
    for (int side = 0; side < SURFACE_SIDES; side++) {
        if ((side < 2 ? p.x : p.z) != (side & 1 ? t : 0)) continue;
        for (int32_t i = 0; i < w->count[side]; i++) {
            const surface_stretch s = w->at[side][i];
            if (s.low == s.high && s.low == (side < 2 ? p.z : p.x)) return true;
        }
    }
    return false;
}
