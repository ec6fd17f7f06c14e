// Places at random, uniform by area: of the triangles into which cells fall, one by its area, and a point of it.
//
// Numbers come from SplitMix64 (Steele, Lea and Flood, 2014), begun at the seed. A place takes four of them: which
// triangle, which piece of it, and two for the point. Within a circle triangles are cut by a polygon around it, and
// what falls between both is drawn again.
#include "core/path/places_work.h"

#include "core/base/random.h"
#include "core/base/sort.h"

#include <stdlib.h>

enum {
    SIDES = 32,           // of the polygon around a circle
    PIECE = 3 + SIDES,    // corners of a triangle that is cut by it
    MOST_DRAWS = 1 << 12, // for a place
};

typedef struct draw {
    path_scratch *p;
    const nav_path_set *set;
    const nav_path_random_query *q;
    path_place start;
    double x, z, radius;      // of the circle: parts of the grid; radius 0: none
    uint32_t label;           // what is reachable has it
    const path_search *flood; // where ground is excluded: what is reachable; else NULL
    uint64_t state;
    double area;
} draw;

static double twice_area(path_point a, path_point b, path_point c)
{
    return fabs((b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x));
}

static double piece_area(const path_point *s, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 1; i + 1 < n; i++) sum += twice_area(s[0], s[i], s[i + 1]);
    return sum;
}

// What of a piece is within a distance in the direction nx, nz from the circle's centre. Returns the corners left.
static uint32_t cut(const draw *d, const path_point *in, uint32_t n, double nx, double nz, path_point *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        path_point a = in[i], b = in[i + 1 < n ? i + 1 : 0];
        double u = (a.x - d->x) * nx + (a.z - d->z) * nz - d->radius;
        double v = (b.x - d->x) * nx + (b.z - d->z) * nz - d->radius;
        if (u <= 0) out[kept++] = a;
        if ((u < 0 && v > 0) || (u > 0 && v < 0)) {
            double t = u / (u - v);
            out[kept++] = (path_point){a.x + t * (b.x - a.x), a.z + t * (b.z - a.z)};
        }
    }
    return kept;
}

// Triangle k of a cell, cut where there is a circle.
static uint32_t piece_of(const draw *d, const path_tile *t, uint32_t cell, uint32_t k, path_point out[PIECE + 1])
{
    static const double cosines[] = {1,
                                     0.98078528040323043,
                                     0.92387953251128674,
                                     0.83146961230254524,
                                     0.70710678118654757,
                                     0.55557023301960218,
                                     0.38268343236508978,
                                     0.19509032201612825,
                                     0}; // of eighths of a quarter turn
    uint32_t corner = t->first[cell], n = 3;
    path_spot s[3] = {path_corner(t, corner), path_corner(t, corner + k), path_corner(t, corner + k + 1)};
    for (int i = 0; i < 3; i++) out[i] = (path_point){s[i].x, s[i].z};
    for (int i = 0; d->radius > 0 && i < SIDES && n; i++) {
        path_point before[PIECE + 1];
        for (uint32_t m = 0; m < n; m++) before[m] = out[m];
        double c = cosines[i % 8], sn = cosines[8 - i % 8];
        double nx = i < 8 ? c : i < 16 ? -sn : i < 24 ? -c : sn, nz = i < 8 ? sn : i < 16 ? c : i < 24 ? -sn : -c;
        n = cut(d, before, n, nx, nz, out);
    }
    return n;
}

static bool is_reachable(const draw *d, uint32_t tile, uint32_t cell)
{
    return d->flood ? nav_path_is_flooded(d->flood, tile, cell) : path_label(d->set, tile, cell) == d->label;
}

static bool add_cell(draw *d, uint32_t tile, uint32_t cell)
{
    const path_tile *t = d->set->tiles[tile];
    path_scratch *p = d->p;
    if (d->q->areas && (t->area[cell] > 63 || !(d->q->areas >> t->area[cell] & 1))) return true;
    if (d->q->excluded >> t->area[cell] & 1) return true;
    if (d->q->reachable && !is_reachable(d, tile, cell)) return true;
    for (uint32_t k = 1; t->first[cell] + k + 1 < t->first[cell + 1]; k++) {
        path_point piece[PIECE + 1];
        double area = piece_area(piece, piece_of(d, t, cell, k, piece));
        if (!(area > 0)) continue;
        if (!PATH_GROW(p->shares, p->share_room, p->share_count)) return false;
        d->area += area;
        p->shares[p->share_count++] = (path_share){d->area, tile, cell, k};
    }
    return true;
}

// Of all layers of a place, from the lowest tile on.
static bool add_tiles(draw *d, uint32_t lowest)
{
    for (uint32_t tile = lowest; tile != PATH_NONE; tile = d->set->tiles[tile]->above)
        for (uint32_t c = 0; c < d->set->tiles[tile]->cell_count; c++)
            if (!add_cell(d, tile, c)) return false;
    return true;
}

// Where a tile is, as a number that goes by z and then x.
static uint64_t key_of(int32_t x, int32_t z)
{
    return (uint64_t)((uint32_t)z ^ 0x80000000u) << 32 | ((uint32_t)x ^ 0x80000000u);
}

// The lowest tile there.
static uint32_t tile_of(const nav_path_set *set, uint64_t key)
{
    return nav_path_set_find(set, (int32_t)((uint32_t)key ^ 0x80000000u),
                             (int32_t)((uint32_t)(key >> 32) ^ 0x80000000u));
}

// Where there are tiles that the circle meets, or all, by z and x, so that the order in which they came does not show.
static bool list_places(draw *d)
{
    const nav_path_set *set = d->set;
    double side = (double)set->grid.tile_cells * NAV_PATH_FINE;
    d->p->order_count = 0;
    for (uint32_t i = 0; i < set->tile_count; i++) {
        const path_tile *t = set->tiles[i];
        if (!t || nav_path_set_find(set, t->x, t->z) != i) continue;
        double low_x = (double)((int64_t)t->x - set->base_x) * side, r = d->radius;
        double low_z = (double)((int64_t)t->z - set->base_z) * side;
        if (r > 0 && (d->x + r < low_x || d->x - r > low_x + side || d->z + r < low_z || d->z - r > low_z + side))
            continue;
        if (!PATH_GROW(d->p->order, d->p->order_room, d->p->order_count)) return false;
        d->p->order[d->p->order_count++] = key_of(t->x, t->z);
    }
    nav_sort_u64(d->p->order, (int32_t)d->p->order_count);
    return true;
}

static path_point point_of(draw *d, const path_point *piece, uint32_t n)
{
    double left = nav_random_next(&d->state) * piece_area(piece, n), u = nav_random_next(&d->state),
           v = nav_random_next(&d->state);
    uint32_t i = 1;
    for (; i + 2 < n; i++) {
        double area = twice_area(piece[0], piece[i], piece[i + 1]);
        if (left < area) break;
        left -= area;
    }
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    path_point a = piece[0], b = piece[i], c = piece[i + 1];
    return (path_point){a.x + u * (b.x - a.x) + v * (c.x - a.x), a.z + u * (b.z - a.z) + v * (c.z - a.z)};
}

// False: there is next to nothing of the ground in the circle.
static bool draw_place(draw *d, path_place *out)
{
    const path_scratch *p = d->p;
    for (int turn = 0; turn < MOST_DRAWS; turn++) {
        double at = nav_random_next(&d->state) * d->area;
        uint32_t low = 0, high = p->share_count - 1;
        while (low < high) { // the first that ends behind it
            uint32_t middle = low + (high - low) / 2;
            if (p->shares[middle].end > at)
                high = middle;
            else
                low = middle + 1;
        }
        const path_share *s = &p->shares[low];
        const path_tile *t = d->set->tiles[s->tile];
        path_point piece[PIECE + 1];
        uint32_t n = piece_of(d, t, s->cell, s->triangle, piece);
        path_point here = point_of(d, piece, n);
        path_spot at_grid = nav_path_grid_point(t, s->cell, here.x, here.z);
        double dx = at_grid.x - d->x, dz = at_grid.z - d->z;
        if (d->radius > 0 && dx * dx + dz * dz > d->radius * d->radius) continue;
        *out = (path_place){.tile = s->tile, .cell = s->cell, .at = at_grid};
        return true;
    }
    return false;
}

static bool is_query(const nav_path_random_query *q)
{
    return path_is_place(q->at, q->near_m) && isfinite(q->radius_m) && q->radius_m >= 0;
}

nav_status nav_path_random(nav_path_finder *f, const nav_path_set *set, const nav_path_random_query *q,
                           nav_path_randoms *out)
{
    path_scratch *p = nav_path_scratch_begin(f);
    draw d = {.p = p, .set = set, .q = q, .state = q->seed};
    path_fence fence;
    path_search flood;
    *out = (nav_path_randoms){.status = NAV_PLACE_NONE};
    if (!is_query(q)) return NAV_ERR_ARGUMENT;
    if (!p) return NAV_ERR_MEMORY;
    if (!set->count) return NAV_OK;
    if (q->reachable && !nav_path_locate_open(set, q->at, q->near_m, q->excluded, &d.start)) {
        out->status = NAV_PLACE_NO_START;
        return NAV_OK;
    }
    nav_status s = nav_path_fence_make(set, q->excluded, q->stop, q->user, &fence);
    if (s == NAV_OK && q->reachable && fence.rules.closes) {
        s = nav_path_flood_fence(&fence, f, set, &d.start, &flood);
        d.flood = &flood;
    }
    if (s == NAV_ERR_LIMIT) out->status = NAV_PLACE_LIMIT;
    if (s != NAV_OK) return s == NAV_ERR_LIMIT ? NAV_OK : s;
    if (q->reachable) d.label = path_label(set, d.start.tile, d.start.cell);
    d.radius = q->radius_m / ((double)set->grid.cell_size_m / NAV_PATH_FINE);
    double y;
    if (q->radius_m > 0 && !nav_path_from_metres(set, q->at, &d.x, &d.z, &y)) return NAV_OK;
    if (!list_places(&d)) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < p->order_count; i++) {
        if (i % 64 == 63 && q->stop && q->stop(q->user)) {
            out->status = NAV_PLACE_LIMIT;
            return NAV_OK;
        }
        if (!add_tiles(&d, tile_of(set, p->order[i]))) return NAV_ERR_MEMORY;
    }
    if (!p->share_count) return NAV_OK;
    while (p->point_room < q->count)
        if (!PATH_GROW(p->points, p->point_room, p->point_room)) return NAV_ERR_MEMORY;
    out->points = p->points;
    out->status = NAV_PLACE_FOUND;
    path_place place;
    for (; out->count < q->count && draw_place(&d, &place); out->count++)
        nav_path_tell_place(set, place.tile, place.cell, place.at.x, place.at.z, &p->points[out->count]);
    if (q->count && !out->count) out->status = NAV_PLACE_NONE;
    return NAV_OK;
}
