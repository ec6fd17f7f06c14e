// Drops: where the walkable surface ends.
//
//      +------+------+       An edge that two triangles share, in opposite directions, is inside of the surface
//      |    / |    / |       (surface.c). Of any other the parts are taken off beyond which another triangle goes on
//      |  /   |  /   |       within the climb, seen a unit outside of the edge, so that corners need not meet (|), and
//      +------+---|--+       up to a column outside: a narrower crack is none to the voxels.
//          ###|   |
//             +---+          What is left is a drop where the voxels have a hole beyond it.
//
// Along an edge the voxels are asked once a column. A drop goes on over what they cannot tell, and over a column or two
// where they tell otherwise, as happens in the corners of the floor.
//
// Where an edge runs, which columns are asked along it and what goes on beyond it is the same for all sets, and kept.
#include "core/base/grow.h"
#include "core/outline/sources_work.h"

#include <math.h>
#include <string.h>

static const double SHORTEST = 2;   // units: what is left of an edge that is no drop
static const double INSIDE = 0.125; // columns: an edge on a line of columns belongs to the inner one
enum {
    BRIDGE = 2,      // columns
    CRACK_STEPS = 4, // a column is crossed in
    FARS = 3,        // half columns outside of an edge that are asked: up to BEYOND
    PASSES = 2,
    MOST_KEPT = 1 << 14,       // edges, from one set to the next
    MOST_KEPT_SLABS = 1 << 17, // of these
};

typedef struct edge {
    place from, to;
    double length, out_x, out_z; // units, and the unit normal away from the triangle
    double low, high;            // heights
    const float *at;             // from, metres
    bool clockwise;              // the edge goes to (-out_z, out_x)
} edge;

// What is asked in the middle of a slab: the column inside of the edge, and those beyond it. What is outside of the
// grid is just outside.
typedef struct edge_slab {
    int16_t x, z, far_x[FARS], far_z[FARS];
    int32_t level; // voxels: of a level floor as high as the edge
} edge_slab;

// A part of the way over which a triangle goes on.
typedef struct cover {
    int32_t which; // of the surface
    double from, to;
} cover;

struct drop_edge {
    bool any; // false: too short, or outside of the box
    edge e;
    stretch way;
    columns around;
    bool asked;       // the slabs are filled
    edge_slab *slabs; // way.count
    bool covers_known;
    cover *covers[PASSES]; // triangle by triangle
    int32_t cover_count[PASSES], cover_capacity[PASSES];
};

// --- which edges, and which triangles beyond them ---

// Of the set: what lies between low and high, in metres, and over what is near.
static bool is_near(const nav_sources *s, const triangle_bounds *b, float low, float high)
{
    const columns reach = s->floors.reach;
    if ((b->high < low) | (b->low > high) | (b->x0 > reach.x1) | (b->x1 < reach.x0) | (b->z0 > reach.z1) |
        (b->z1 < reach.z0))
        return false;
    return nav_floors_near(&s->floors, (columns){b->x0, b->z0, b->x1, b->z1});
}

// Moves an end of the edge that lies outside of the box to where the edge enters it. False: none of it is inside.
static bool keep_edge_in_box(const nav_sources *s, edge *e)
{
    const place from = e->from, to = e->to;
    const double x = to.x - from.x, z = to.z - from.z;
    const double low[2] = {s->box_x0 - from.x, s->box_z0 - from.z}, high[2] = {s->box_x1 - from.x, s->box_z1 - from.z};
    double first = 0, last = 1;
    for (int k = 0; k < 2; k++) {
        const double way = k ? z : x;
        if (way == 0 && (low[k] > 0 || high[k] < 0)) return false;
        if (way == 0) continue;
        first = higher(first, (way > 0 ? low[k] : high[k]) / way);
        last = lower(last, (way > 0 ? high[k] : low[k]) / way);
    }
    if (first >= last) return false;
    if (first > 0)
        e->from = (place){nearest_fine(from.x + first * x), from.y + first * (to.y - from.y),
                          nearest_fine(from.z + first * z)};
    if (last < 1)
        e->to =
            (place){nearest_fine(from.x + last * x), from.y + last * (to.y - from.y), nearest_fine(from.z + last * z)};
    return true;
}

static bool make_edge(const nav_sources *s, int32_t entry, edge *e)
{
    const int32_t which = entry >> 2, corner = entry & 3;
    e->from = nav_place(s, nav_surface_corner(s, which, corner));
    e->to = nav_place(s, nav_surface_corner(s, which, corner + 1));
    if (!keep_edge_in_box(s, e)) return false;
    const place inner = nav_place(s, nav_surface_corner(s, which, (corner + 2) % 3));
    const double x = e->to.x - e->from.x, z = e->to.z - e->from.z;
    e->length = sqrt(x * x + z * z);
    if (e->length <= SHORTEST) return false;
    e->out_x = z / e->length;
    e->out_z = -x / e->length;
    e->at = nav_surface_corner(s, which, corner);
    e->clockwise = true;
    if ((inner.x - e->from.x) * e->out_x + (inner.z - e->from.z) * e->out_z > 0) {
        e->out_x = -e->out_x;
        e->out_z = -e->out_z;
        e->clockwise = false;
    }
    e->low = lower(e->from.y, e->to.y);
    e->high = higher(e->from.y, e->to.y);
    return true;
}

// --- what goes on beyond an edge ---

// How far above its lower one a floor may be so that the voxels connect them, less the climb: a level one fills the
// voxel above it.
static double room_above(double least, double most)
{
    return most - least <= NEAR_HEIGHT ? floor_of(most + NEAR_HEIGHT) + 1 - most - NEAR_HEIGHT : 0.5;
}

// The part of the way along the edge, so many units outside, over which the triangle is there within the climb.
static bool goes_on(const nav_sources *s, const edge *e, double outside, const place t[3], double *from, double *to)
{
    const double x = e->to.x - e->from.x, z = e->to.z - e->from.z;
    double first = 0, last = 1;
    place c[3]; // seen from the beginning of the edge
    for (int k = 0; k < 3; k++)
        c[k] = (place){t[k].x - e->from.x - outside * e->out_x, t[k].y - e->from.y,
                       t[k].z - e->from.z - outside * e->out_z};
    const double ux = c[1].x - c[0].x, uz = c[1].z - c[0].z, wx = c[2].x - c[0].x, wz = c[2].z - c[0].z;
    const double area = ux * wz - uz * wx;
    if (area == 0) return false;
    for (int k = 0; k < 3; k++) {
        const place a = c[k], b = c[k < 2 ? k + 1 : 0];
        const double sign = area > 0 ? 1 : -1;
        const double at = sign * ((b.x - a.x) * -a.z - (b.z - a.z) * -a.x); // at 0 of the way
        const double more = sign * ((b.x - a.x) * z - (b.z - a.z) * x);     // as one goes to 1
        if (more > 0)
            first = higher(first, -at / more);
        else if (more < 0)
            last = lower(last, -at / more);
        else if (at < 0)
            return false;
    }
    if (first >= last) return false;
    // Heights of the triangle less those of the edge: a linear function, at + more * share.
    const double p = (-c[0].x * wz + c[0].z * wx) / area, q = (-ux * c[0].z + uz * c[0].x) / area;
    const double at = c[0].y + p * (c[1].y - c[0].y) + q * (c[2].y - c[0].y);
    const double pm = (x * wz - z * wx) / area, qm = (ux * z - uz * x) / area;
    const double more = pm * (c[1].y - c[0].y) + qm * (c[2].y - c[0].y) - (e->to.y - e->from.y);
    const double least = lower(lower(t[0].y, t[1].y), t[2].y), most = higher(higher(t[0].y, t[1].y), t[2].y);
    for (int side = -1; side <= 1; side += 2) { // side * (at + more * share) <= reach
        const double reach = s->climb + (side > 0 ? room_above(e->low, e->high) : room_above(least, most));
        const double room = reach - side * at, slope = side * more;
        if (slope > 0)
            last = lower(last, room / slope);
        else if (slope < 0)
            first = higher(first, room / slope);
        else if (room < 0)
            return false;
    }
    *from = first;
    *to = last;
    return first < last;
}

static nav_status put_covered(nav_sources *s, double from, double to)
{
    drop_work *d = &s->drops;
    nav_status status = nav_grow(s->arena, (void **)&d->covered, &d->covered_capacity, (int64_t)d->covered_count + 1,
                                 sizeof *d->covered);
    if (status != NAV_OK) return status;
    int32_t k = d->covered_count++;
    for (; k > 0 && d->covered[k - 1].from > from; k--) d->covered[k] = d->covered[k - 1];
    d->covered[k] = (interval){from, to, 0};
    return NAV_OK;
}

// Does the triangle reach outside of the edge, beside it? Asked of most triangles, and so in metres.
static bool is_beside(const nav_sources *s, const edge *e, int32_t which, double slack)
{
    const float *v = nav_surface_corner(s, which, 0);
    double least = 1e300, most = -1e300, out = -1e300;
    for (int k = 0; k < 3; k++) {
        const double x = (double)v[3 * k] - (double)e->at[0], z = (double)v[3 * k + 2] - (double)e->at[2];
        const double ahead = x * -e->out_z + z * e->out_x;
        out = higher(out, x * e->out_x + z * e->out_z);
        least = lower(least, ahead);
        most = higher(most, ahead);
    }
    const double end = e->length * s->per_unit * s->cfg->cell_size_m;
    const double low = e->clockwise ? 0 : -end, high = e->clockwise ? end : 0;
    return (out > slack) & (most > low - slack) & (least < high + slack);
}

// Where triangles are looked for that go on beyond an edge, up to `outside`.
typedef struct quest {
    drop_edge *edge;
    double outside, slack; // units, metres
    float bottom_m, top_m;
    columns around;
} quest;

static bool may_cover(const quest *q, const triangle_bounds *t, const columns *part)
{
    return !((t->x0 > part->x1) | (t->x1 < part->x0) | (t->z0 > q->around.z1) | (t->z1 < q->around.z0) |
             (t->low > q->top_m) | (t->high < q->bottom_m));
}

static nav_status add_cover(nav_sources *s, drop_edge *d, int pass, cover c)
{
    int32_t *count = &d->cover_count[pass];
    nav_status status =
        nav_grow(s->arena, (void **)&d->covers[pass], &d->cover_capacity[pass], (int64_t)*count + 1, sizeof c);
    if (status == NAV_OK) d->covers[pass][(*count)++] = c;
    return status;
}

// For the first pass a unit outside, for the second in steps up to a column.
static nav_status cover_by(nav_sources *s, const quest *q, int32_t which)
{
    drop_edge *d = q->edge;
    place corners[3];
    if (!is_beside(s, &d->e, which, q->slack)) return NAV_OK;
    for (int32_t m = 0; m < 3; m++) corners[m] = nav_place(s, nav_surface_corner(s, which, m));
    for (int step = 0; step <= CRACK_STEPS; step++) {
        cover c = {.which = which};
        const double outside = step == 0 ? 1 : q->outside * step / CRACK_STEPS;
        if (!goes_on(s, &d->e, outside, corners, &c.from, &c.to)) continue;
        nav_status status = add_cover(s, d, step > 0, c);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

static nav_status search_bin(nav_sources *s, const quest *q, const columns *part, int32_t bin)
{
    surface *f = &s->surface;
    s->work += (f->bin_first[bin + 1] - f->bin_first[bin]) / 4;
    for (int32_t k = f->bin_first[bin]; k < f->bin_first[bin + 1]; k++) {
        const int32_t i = f->binned[k];
        if (!may_cover(q, &s->bounds[f->triangle[i]], part) || f->seen[i] == f->stamp) continue;
        f->seen[i] = f->stamp;
        nav_status status = cover_by(s, q, i);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

static nav_status search_bins(nav_sources *s, const quest *q)
{
    surface *f = &s->surface;
    const edge *e = &q->edge->e;
    const double x = e->to.x - e->from.x, z = e->to.z - e->from.z;
    const double least = lower(e->from.x, e->to.x), most = higher(e->from.x, e->to.x);
    const int32_t first = nav_surface_bin(s, q->around.z0), last = nav_surface_bin(s, q->around.z1);
    if (++f->stamp == 0) {
        memset(f->seen, 0, (size_t)f->count * sizeof *f->seen);
        f->stamp = 1;
    }
    for (int32_t row = first; row <= last; row++) {
        // The part of the edge in the row of bins. What lies outside of the grid is in the first and the last.
        double low = least, high = most;
        if (z != 0 && row != first && row != last) {
            const double bottom = (row * SURFACE_BIN - s->cfg->border) * s->unit - 2 * q->outside;
            double t0 = (bottom - e->from.z) / z;
            double t1 = (bottom + SURFACE_BIN * s->unit + 4 * q->outside - e->from.z) / z;
            t0 = lower(higher(t0, 0), 1);
            t1 = lower(higher(t1, 0), 1);
            low = e->from.x + lower(t0 * x, t1 * x);
            high = e->from.x + higher(t0 * x, t1 * x);
        }
        const columns part = nav_piece_columns(s, (place){low, 0, 0}, (place){high, 0, 0}, 2 * q->outside);
        for (int32_t bin = nav_surface_bin(s, part.x0); bin <= nav_surface_bin(s, part.x1); bin++) {
            nav_status status = search_bin(s, q, &part, row * f->side + bin);
            if (status != NAV_OK) return status;
        }
    }
    return NAV_OK;
}

static nav_status search_all(nav_sources *s, const quest *q)
{
    const surface *f = &s->surface;
    nav_status status = NAV_OK;
    s->work += f->count / 4;
    for (int32_t i = 0; i < f->count && status == NAV_OK; i++)
        if (may_cover(q, &s->bounds[f->triangle[i]], &q->around)) status = cover_by(s, q, i);
    return status;
}

static nav_status find_covers(nav_sources *s, drop_edge *d)
{
    const edge *e = &d->e;
    const place least = {lower(e->from.x, e->to.x), 0, lower(e->from.z, e->to.z)};
    const place most = {higher(e->from.x, e->to.x), 0, higher(e->from.z, e->to.z)};
    const double reach = s->climb + 2, outside = s->unit;
    const quest q = {.edge = d,
                     .outside = outside,
                     .slack = s->per_unit * s->cfg->cell_size_m / 4,
                     .bottom_m = (float)nav_sources_metres(s, e->low - reach),
                     .top_m = (float)nav_sources_metres(s, e->high + reach),
                     .around = nav_piece_columns(s, least, most, outside + s->unit / 8)};
    d->cover_count[0] = d->cover_count[1] = 0;
    nav_status status = s->surface.count <= SURFACE_FEW ? search_all(s, &q) : search_bins(s, &q);
    if (status == NAV_OK && s->work > NAV_SOURCES_MOST_WORK) status = NAV_ERR_LIMIT;
    d->covers_known = status == NAV_OK;
    return status;
}

// Adds what goes on beyond the edge, of the triangles that are near.
static nav_status add_covered(nav_sources *s, drop_edge *d, int pass)
{
    if (!d->covers_known) {
        nav_status status = find_covers(s, d);
        if (status != NAV_OK) return status;
    }
    bool near = false;
    for (int32_t i = 0; i < d->cover_count[pass]; i++) {
        const cover *c = &d->covers[pass][i];
        if (i == 0 || c->which != c[-1].which)
            near = is_near(s, &s->bounds[s->surface.triangle[c->which]], s->drops.low_m, s->drops.high_m);
        nav_status status = near ? put_covered(s, c->from, c->to) : NAV_OK;
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

// --- what the voxels tell ---

static bool is_within_climb(const floors *f, double floor, double level)
{
    return floor - level <= f->climb && level - floor <= f->climb;
}

// Has the column a floor of the set that the voxels connect with one at that level?
static bool has_floor(const floors *f, int32_t x, int32_t z, double level)
{
    if (!nav_floor_bit(f, f->own, x, z)) return false;
    if (!nav_floor_bit(f, f->odd, x, z)) return is_within_climb(f, f->usual, level);
    const floor_heights h = f->heights[nav_floor_index(f, x, z)];
    return is_within_climb(f, h.low, level) || is_within_climb(f, h.high, level);
}

static bool is_known(nav_column_box b, int32_t x, int32_t z)
{
    return x >= b.x0 && x < b.x1 && z >= b.z0 && z < b.z1;
}

// Has the set any floor in the columns, and one that the voxels connect with one at that level?
static bool is_mine(const floors *f, columns c, double level, bool *any)
{
    uint64_t usual = 0, odd = 0;
    for (int32_t z = c.z0; z <= c.z1; z++) {
        const uint64_t own = nav_floor_bits(f, f->own, c.x0, c.x1, z), not = nav_floor_bits(f, f->odd, c.x0, c.x1, z);
        usual |= own & ~not ;
        odd |= own & not ;
    }
    *any = (usual | odd) != 0;
    if (usual && is_within_climb(f, f->usual, level)) return true;
    for (int32_t z = c.z0; z <= c.z1 && odd; z++)
        for (int32_t x = c.x0; x <= c.x1; x++)
            if (has_floor(f, x, z, level)) return true;
    return false;
}

static verdict judge(const nav_sources *s, const edge_slab *e)
{
    const floors *f = &s->floors;
    const nav_column_box known = s->set->known;
    const double level = e->level;
    bool any;
    if (!is_known(known, e->x, e->z)) return UNKNOWN;
    const columns around = {e->x > known.x0 ? e->x - 1 : known.x0, e->z > known.z0 ? e->z - 1 : known.z0,
                            e->x + 1 < known.x1 ? e->x + 1 : known.x1 - 1,
                            e->z + 1 < known.z1 ? e->z + 1 : known.z1 - 1};
    // Where the set's floor is there, but of another storey, this edge is under it or over it, and ends nothing.
    if (!is_mine(f, around, level, &any)) return any ? GOES_ON : UNKNOWN;
    if (!nav_floor_bit(f, f->near, e->x, e->z)) return UNKNOWN;
    bool any_known = false;
    for (int far = 0; far < FARS; far++) {
        if (!is_known(known, e->far_x[far], e->far_z[far])) continue;
        if (!has_floor(f, e->far_x[far], e->far_z[far], level)) return ENDS;
        any_known = true;
    }
    return any_known ? GOES_ON : ENDS; // where the voxels know nothing, the triangles beyond decide alone
}

// The columns of places, where out of the grid just outside.
static void columns_of(const double *at, double off, int32_t count, int32_t width, int16_t *to)
{
    for (int32_t k = 0; k < count; k++) {
        const double v = lower(higher(at[k] + off, -1), width);
        const int32_t whole = (int32_t)v;
        to[k] = (int16_t)(whole - ((double)whole > v));
    }
}

// Many at once, as compilers have registers for that.
static void fill_slabs(const nav_sources *s, drop_edge *d)
{
    enum { AT_ONCE = 32 };
    const stretch *w = &d->way;
    const edge *e = &d->e;
    const int32_t width = s->cfg->width;
    const double border = s->cfg->border, way_x = e->to.x - e->from.x, way_z = e->to.z - e->from.z;
    for (int32_t first = 0; first < w->count; first += AT_ONCE) {
        const int32_t count = w->count - first < AT_ONCE ? w->count - first : AT_ONCE;
        double x[AT_ONCE], z[AT_ONCE], y[AT_ONCE];
        int16_t at_x[FARS + 1][AT_ONCE], at_z[FARS + 1][AT_ONCE];
        for (int32_t k = 0; k < count; k++) {
            const double t0 = ((w->first + first + k) * s->unit - w->start) / w->along, t1 = t0 + s->unit / w->along;
            const double from = higher(lower(t0, t1), 0), to = lower(higher(t0, t1), 1), share = (from + to) / 2;
            x[k] = (e->from.x + share * way_x) * s->per_unit + border;
            z[k] = (e->from.z + share * way_z) * s->per_unit + border;
            y[k] = e->from.y + share * (e->to.y - e->from.y);
        }
        for (int i = 0; i <= FARS; i++) {
            const double far = i < FARS ? 0.5 + 0.5 * i : -INSIDE;
            columns_of(x, far * e->out_x, count, width, at_x[i]);
            columns_of(z, far * e->out_z, count, width, at_z[i]);
        }
        for (int32_t k = 0; k < count; k++) {
            edge_slab *to = &d->slabs[first + k];
            *to = (edge_slab){.x = at_x[FARS][k], .z = at_z[FARS][k], .level = floor_of(y[k] + NEAR_HEIGHT) + 1};
            for (int i = 0; i < FARS; i++) {
                to->far_x[i] = at_x[i][k];
                to->far_z[i] = at_z[i][k];
            }
        }
    }
    d->asked = true;
}

static nav_status make_slabs(nav_sources *s, drop_edge *d)
{
    if (!d->slabs) {
        const int32_t room = d == s->drops.spare ? s->cfg->width : d->way.count > 0 ? d->way.count : 0;
        d->slabs = NAV_TAKE(s->arena, edge_slab, room);
        if (!d->slabs) return nav_arena_failure(s->arena);
        s->drops.kept_slabs += room;
    }
    if (!d->asked) fill_slabs(s, d);
    return NAV_OK;
}

// Asks the voxels along the edge. Does it end anything? The slabs are made.
static bool judge_slabs(nav_sources *s, const drop_edge *d)
{
    bool ends = false;
    for (int32_t k = 0; k < d->way.count; k++) {
        s->drops.verdicts[k] = judge(s, &d->slabs[k]);
        ends |= s->drops.verdicts[k] == ENDS;
    }
    s->work += d->way.count / 8;
    return ends;
}

// What is left of an edge between two shares of the way: stretches of it become parts of lines.
static nav_status add_gap(nav_sources *s, const stretch *w, double from, double to)
{
    const bool forward = w->along > 0;
    const double column = s->unit / (forward ? w->along : -w->along), bridge = BRIDGE * column * (1 + 1e-9);
    double begin = -1;                // of what ends; below 0: the floor goes on
    double last = from, doubt = from; // how far it went on, and since where
    bool goes_on_here = false;
    for (int32_t i = 0; i < w->count; i++) {
        const int32_t k = forward ? i : w->count - 1 - i;
        const double start = (((forward ? k : k + 1) + w->first) * s->unit - w->start) / w->along;
        const double t0 = higher(start, from), t1 = lower(start + column, to);
        if (t0 >= t1) continue;
        const verdict v = s->drops.verdicts[k];
        if (v == GOES_ON) {
            if (!goes_on_here) doubt = t0;
            last = t1;
            if (begin >= 0 && last - doubt > bridge) {
                nav_status status = nav_sources_add_part(s, w->a, w->b, begin, doubt);
                if (status != NAV_OK) return status;
                begin = -1;
            }
        }
        if (v == ENDS && begin < 0) begin = last - from <= bridge ? from : last;
        goes_on_here = v == GOES_ON;
    }
    return begin < 0 ? NAV_OK : nav_sources_add_part(s, w->a, w->b, begin, to);
}

// The next part of the way that nothing covers, from *from or later. next: the first that was not looked at.
static bool next_gap(const drop_work *d, double least, int32_t *next, double *from, double *to)
{
    for (; *next < d->covered_count; ++*next) {
        *to = d->covered[*next].from;
        if (*to - *from > least) return true;
        *from = higher(*from, d->covered[*next].to);
    }
    *to = 1;
    return *to - *from > least;
}

static nav_status add_edge(nav_sources *s, drop_edge *d)
{
    const double least = SHORTEST / d->e.length;
    double from, to;
    int32_t next;
    s->drops.covered_count = 0;
    for (int pass = 0; pass < PASSES; pass++) { // most edges need the first one only
        nav_status status = add_covered(s, d, pass);
        if (status != NAV_OK) return status;
        from = next = 0;
        if (!next_gap(&s->drops, least, &next, &from, &to)) return NAV_OK;
    }
    nav_status made = make_slabs(s, d);
    if (made != NAV_OK) return made;
    if (!judge_slabs(s, d)) return NAV_OK;
    for (from = next = 0; next_gap(&s->drops, least, &next, &from, &to); from = to) {
        nav_status status = add_gap(s, &d->way, from, to);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

static void describe(const nav_sources *s, int32_t entry, drop_edge *d)
{
    d->any = d->asked = d->covers_known = false;
    if (!make_edge(s, entry, &d->e)) return;
    const place from = d->e.from, to = d->e.to;
    const nav_point a = {nearest_unit(from.x), nearest_unit(from.z)}, b = {nearest_unit(to.x), nearest_unit(to.z)};
    d->any = !nav_point_same(a, b);
    if (!d->any) return;
    d->way = nav_sources_stretch(s, a, b);
    d->around = nav_piece_columns(s, (place){lower(from.x, to.x), 0, lower(from.z, to.z)},
                                  (place){higher(from.x, to.x), 0, higher(from.z, to.z)}, 0);
}

static bool is_in_reach(const nav_sources *s, const drop_edge *d)
{
    const floors *f = &s->floors;
    return d->any && d->e.high >= f->base - s->climb - 1 && d->e.low <= f->most + s->climb + 1 &&
           nav_floors_near(f, d->around);
}

// An edge of the surface, made when it is asked for first. What a tile with very many has is made anew each time, in
// the place of the one before.
static drop_edge *get_edge(nav_sources *s, int32_t which)
{
    drop_work *w = &s->drops;
    if (w->known[which]) return w->known[which];
    const bool keep = w->known_count < MOST_KEPT && w->kept_slabs < MOST_KEPT_SLABS;
    drop_edge *d = keep || !w->spare ? NAV_TAKE_ZERO(s->arena, drop_edge, 1) : w->spare;
    if (!d) return NULL;
    describe(s, s->surface.edges[which].entry, d);
    if (keep) {
        w->known[which] = d;
        w->known_count++;
    } else {
        w->spare = d;
    }
    return d;
}

static nav_status look_at(nav_sources *s, int32_t which)
{
    drop_edge *d = get_edge(s, which);
    if (!d) return nav_arena_failure(s->arena);
    return is_in_reach(s, d) ? add_edge(s, d) : NAV_OK;
}

nav_status nav_sources_drops(nav_sources *s)
{
    const surface *f = &s->surface;
    drop_work *d = &s->drops;
    if (f->crowded) return NAV_ERR_LIMIT;
    d->low_m = (float)nav_sources_metres(s, s->floors.base - s->climb - 3);
    d->high_m = (float)nav_sources_metres(s, s->floors.most + s->climb + 2);
    nav_status status = NAV_OK;
    for (int32_t i = 0; i < f->edge_count && status == NAV_OK; i++) {
        if (!is_near(s, &f->edges[i].bounds, d->low_m, d->high_m)) continue;
        if (++s->work > NAV_SOURCES_MOST_WORK) return NAV_ERR_LIMIT;
        status = look_at(s, i);
    }
    return status;
}
