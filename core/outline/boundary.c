// Where a floor ends in columns, and what of that no triangle explains.
//
// Voxels may end a floor where no wall and no drop stands: a slope that is too steep in steps, a ledge filtered out, a
// gap that is too low by a rounded voxel. Each side of a column whose middle lies in no shape, and not close to one
// either where the radius is less than the voxels' own error, becomes a source itself.
#include "core/outline/boundary.h"

#include "core/outline/widen.h"
#include "core/voxel/spans/heightfield.h"

#include <math.h>
#include <string.h>

enum {
    BLIND = 2,         // outermost columns of the padding, where connections are not known
    INCLUDE_STRIP = 4, // units: thickness of what closes the floor there
    LANES = 4,         // half planes that are asked at once
    PLANES_MOST = (NAV_SHAPE_MAX_CORNERS + LANES - 1) / LANES * LANES,
};

nav_status nav_boundary_init(nav_boundary *b, const nav_compact_heightfield *f, const nav_tile_source *source,
                             nav_arena *arena)
{
    size_t words = (size_t)(f->width + 63) / 64, n = (size_t)f->width * words;
    *b = (nav_boundary){.field = f,
                        .bounded = nav_tile_is_bounded(source) ? source : NULL,
                        .words = (int32_t)words,
                        .spare = NAV_TAKE(arena, uint64_t, n)};
    uint64_t *bits = NAV_TAKE_ZERO(arena, uint64_t, (b->bounded ? 10 : 6) * n);
    if (!b->spare || !bits) return nav_arena_failure(arena);
    b->has = bits;
    b->near = bits + n;
    b->ends = bits + 2 * n;
    b->cut = b->bounded ? bits + 6 * n : NULL;
    return NAV_OK;
}

static void clear(nav_boundary *b)
{
    const size_t from = (size_t)b->low_row * (size_t)b->words;
    const size_t bytes = (size_t)(b->end_row - b->low_row) * (size_t)b->words * sizeof *b->has;
    if (b->low_row >= b->end_row) return;
    memset(b->has + from, 0, bytes);
    memset(b->near + from, 0, bytes);
    memset(b->ends + 4 * from, 0, 4 * bytes);
    if (b->bounded) memset(b->cut + 4 * from, 0, 4 * bytes);
}

// Sets in `to` what is set in `from`, and the columns beside that along the row.
static void spread_row(uint64_t *to, const uint64_t *from, int32_t words)
{
    for (int32_t i = 0; i < words; i++) {
        uint64_t left = i > 0 ? from[i - 1] >> 63 : 0, right = i + 1 < words ? from[i + 1] << 63 : 0;
        to[i] = from[i] | from[i] << 1 | left | from[i] >> 1 | right;
    }
}

// Grows what is near by one column on all sides.
static void spread(nav_boundary *b)
{
    size_t row = (size_t)b->words, low = (size_t)b->low_row, end = (size_t)b->end_row;
    for (size_t z = low; z < end; z++) spread_row(b->spare + z * row, b->near + z * row, b->words);
    for (size_t i = low * row; i < end * row; i++)
        b->near[i] = b->spare[i] | (i >= (low + 1) * row ? b->spare[i - row] : 0) |
                     (i + row < end * row ? b->spare[i + row] : 0);
}

// Nothing is near outside of the box.
static void keep_near(nav_boundary *b, nav_column_box box)
{
    for (int32_t z = b->low_row; z < b->end_row; z++)
        for (int32_t word = 0; word < b->words; word++) {
            int32_t from = box.x0 - 64 * word, to = box.x1 - 64 * word;
            uint64_t keep = z < box.z0 || z >= box.z1 || from > 63 || to <= 0 ? 0 : ~UINT64_C(0);
            if (from > 0 && from < 64) keep &= ~UINT64_C(0) << from;
            if (to > 0 && to < 64) keep &= ~UINT64_C(0) >> (64 - to);
            b->near[(size_t)z * (size_t)b->words + (size_t)word] &= keep;
        }
}

// Does the floor end on that side because no include volume holds what is beyond?
static bool is_cut(const nav_boundary *b, const nav_config *cfg, int32_t x, int32_t z, int32_t floor, int d)
{
    return b->bounded && !nav_volumes_hold(b->bounded->volumes, b->bounded->volume_count, x + nav_dir_x[d],
                                           z + nav_dir_z[d], floor, cfg);
}

bool nav_boundary_find(nav_boundary *b, const nav_floor_spans *floor, const nav_config *cfg, int32_t near)
{
    const nav_compact_heightfield *f = b->field;
    const int32_t *c0 = f->connection[0], *c1 = f->connection[1], *c2 = f->connection[2], *c3 = f->connection[3];
    clear(b);
    int32_t low = BLIND, high = f->width - BLIND, low_row = f->width, end_row = 0;
    const int32_t *span = floor->span, count = floor->count, width = f->width;
    int32_t z = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t s = span[i];
        if ((c0[s] | c1[s] | c2[s] | c3[s]) >= 0) continue; // it goes on to all sides
        int32_t c = f->column[s], x = c - z * width;
        if (x < 0 || x >= width) { // in another row than the one before
            z = c / width;
            x = c - z * width;
        }
        if (x < low || z < low || x >= high || z >= high) continue;
        const size_t at = (size_t)z * (size_t)b->words + (size_t)(x >> 6);
        for (int d = 0; d < 4; d++) {
            if (f->connection[d][s] >= 0) continue;
            const bool cut = is_cut(b, cfg, x, z, f->floor[s], d);
            (cut ? b->cut : b->ends)[4 * at + (size_t)d] |= UINT64_C(1) << (x & 63);
            if (!cut) b->has[at] |= UINT64_C(1) << (x & 63);
        }
        low_row = z < low_row ? z : low_row;
        end_row = z + 1 > end_row ? z + 1 : end_row;
    }
    b->low_row = low_row - near < 0 ? 0 : low_row - near;
    b->end_row = end_row + near > f->width ? f->width : end_row + near;
    if (low_row >= end_row) {
        b->low_row = b->end_row = 0;
        return false;
    }
    size_t row = (size_t)b->words, from = (size_t)b->low_row * row, words = (size_t)(b->end_row - b->low_row) * row;
    memcpy(b->near + from, b->has + from, words * sizeof *b->near);
    for (int32_t i = 0; i < near; i++) spread(b);
    nav_column_box asked = floor->known;
    if (floor->border > 0) { // what stands a column beyond a band may still be the cause of where it ends
        int32_t by_x = floor->border & 1, by_z = !by_x;
        asked = (nav_column_box){asked.x0 - by_x, asked.z0 - by_z, asked.x1 + by_x, asked.z1 + by_z};
    }
    keep_near(b, asked);
    return true;
}

// --- what no triangle explains

// Middles of the sides, doubled, from a column's lower corner.
static const int8_t middle_x[4] = {0, 1, 2, 1}, middle_z[4] = {1, 2, 1, 0};

// The bits of columns x0 to x1 in a word of a row.
static uint64_t mask_of(int32_t x0, int32_t x1, int32_t word)
{
    uint64_t mask = ~UINT64_C(0);
    if (word == x0 >> 6) mask &= ~UINT64_C(0) << (x0 & 63);
    if (word == x1 >> 6) mask &= ~UINT64_C(0) >> (63 - (x1 & 63));
    return mask;
}

// A convex shape as the half planes of its edges: (x, z), doubled, lies in one where x * by_x - z * by_z - off <=
// reach. All products are whole numbers below 2^53. Lanes without an edge hold everything.
typedef struct half_planes {
    int32_t lanes;
    double by_x[PLANES_MOST], by_z[PLANES_MOST], off[PLANES_MOST], reach[PLANES_MOST];
} half_planes;

static half_planes planes_of(const nav_point *p, int32_t n, double slack)
{
    half_planes h;
    h.lanes = (n + LANES - 1) / LANES * LANES;
    for (int32_t i = 0; i < n; i++) {
        const nav_point a = p[i], c = p[i + 1 < n ? i + 1 : 0];
        h.by_x[i] = (double)c.z - a.z;
        h.by_z[i] = (double)c.x - a.x;
        h.off[i] = 2 * ((double)a.x * h.by_x[i] - (double)a.z * h.by_z[i]);
        h.reach[i] = slack > 0 ? 2 * slack * sqrt((double)nav_distance2(a, c)) : 0;
    }
    for (int32_t i = n; i < h.lanes; i++) h.by_x[i] = h.by_z[i] = h.off[i] = h.reach[i] = 0;
    return h;
}

static bool planes_hold(const half_planes *h, double x, double z)
{
    int64_t outside = 0;
    for (int32_t i = 0; i < h->lanes; i += LANES)
        for (int32_t k = i; k < i + LANES; k++)
            outside |= x * h->by_x[k] - z * h->by_z[k] - h->off[k] > h->reach[k] ? 1 : 0;
    return outside == 0;
}

// Takes off the sides, of columns x0 to x1 of a row, whose middles the shape comes within reach of: twice the slack
// times the length, per edge.
static void explain_row_by_planes(nav_boundary *b, const nav_config *cfg, int32_t x0, int32_t x1, int32_t z,
                                  const half_planes *h)
{
    const int32_t border = b->field->border;
    for (int32_t word = x0 >> 6; word <= x1 >> 6; word++)
        for (int d = 0; d < 4; d++) {
            uint64_t *at = &b->ends[4 * ((size_t)z * (size_t)b->words + (size_t)word) + (size_t)d];
            for (uint64_t left = *at & mask_of(x0, x1, word); left; left &= left - 1) {
                const int32_t x = word * 64 + __builtin_ctzll(left);
                const double mx = (double)(2 * (x - border) + middle_x[d]) * cfg->unit;
                const double mz = (double)(2 * (z - border) + middle_z[d]) * cfg->unit;
                if (planes_hold(h, mx, mz)) *at &= ~(left & -left);
            }
        }
}

// An edge that goes up, doubled.
typedef struct sweep_edge {
    int32_t x, z, end, dx; // where it begins, the height at which it ends, and how far it goes to the right
    double slope;
} sweep_edge;

// A convex shape from below: the edges that the line at hand crosses, on the left and on the right.
typedef struct sweep {
    const nav_point *p;
    int32_t n, left, right; // corners where those edges begin
    int32_t low, high;      // heights of the lowest and the highest corner, doubled
    sweep_edge left_edge, right_edge;
} sweep;

static int32_t corner_behind(const sweep *s, int32_t k)
{
    return k + 1 < s->n ? k + 1 : 0;
}

static int32_t corner_before(const sweep *s, int32_t k)
{
    return k > 0 ? k - 1 : s->n - 1;
}

static sweep_edge edge_between(nav_point a, nav_point b)
{
    return (sweep_edge){2 * a.x, 2 * a.z, 2 * b.z, 2 * (b.x - a.x), (double)(b.x - a.x) / (double)(b.z - a.z)};
}

static sweep sweep_of(const nav_point *p, int32_t n)
{
    int32_t low = 0, high = p[0].z;
    for (int32_t i = 1; i < n; i++) {
        if (p[i].z < p[low].z) low = i;
        high = p[i].z > high ? p[i].z : high;
    }
    sweep s = {.p = p, .n = n, .left = low, .right = low, .low = 2 * p[low].z, .high = 2 * high};
    for (int32_t k = corner_behind(&s, low); p[k].z == p[low].z; k = corner_behind(&s, k)) s.right = k;
    for (int32_t k = corner_before(&s, low); p[k].z == p[low].z; k = corner_before(&s, k)) s.left = k;
    s.left_edge = edge_between(p[s.left], p[corner_before(&s, s.left)]);
    s.right_edge = edge_between(p[s.right], p[corner_behind(&s, s.right)]);
    return s;
}

// Places on a line, doubled. None where low > high.
typedef struct sweep_line {
    int32_t low, high;
} sweep_line;

// Where an edge is at that height, rounded down, or up. Quotients of numbers so small are rounded to no whole number
// that they are not; a slope may be off by a little.
static int32_t place_on(const sweep_edge *e, int32_t z, bool up)
{
    const double way = z - e->z, at = way * e->slope, whole = floor(at + 0.5);
    double exact = at;
    if (e->dx != 0 && at - whole < 1e-4 && whole - at < 1e-4) exact = way * e->dx / (e->end - e->z);
    return e->x + (int32_t)(up ? ceil(exact) : floor(exact));
}

// The line at that height, doubled; no call has a lower one than the call before.
static sweep_line cross(sweep *s, int32_t z)
{
    if (z < s->low || z > s->high) return (sweep_line){1, 0};
    while (s->right_edge.end < z) {
        s->right = corner_behind(s, s->right);
        s->right_edge = edge_between(s->p[s->right], s->p[corner_behind(s, s->right)]);
    }
    while (s->left_edge.end < z) {
        s->left = corner_before(s, s->left);
        s->left_edge = edge_between(s->p[s->left], s->p[corner_before(s, s->left)]);
    }
    return (sweep_line){place_on(&s->left_edge, z, true), place_on(&s->right_edge, z, false)};
}

// Takes off the sides, of columns x0 to x1 of a row, whose middles the shape holds.
static void explain_row(nav_boundary *b, const nav_config *cfg, int32_t x0, int32_t x1, int32_t z, sweep *s)
{
    static const int8_t upwards[4] = {3, 0, 2, 1}; // sides by the height of their middles
    const int32_t border = b->field->border, unit = cfg->unit, shift = cfg->unit_shift + 1;
    uint64_t *row = b->ends + 4 * (size_t)z * (size_t)b->words, any[4] = {0};
    for (int32_t word = x0 >> 6; word <= x1 >> 6; word++)
        for (int d = 0; d < 4; d++) any[d] |= row[4 * word + d] & mask_of(x0, x1, word);
    if (!(any[0] | any[1] | any[2] | any[3])) return;
    for (int k = 0; k < 4; k++) {
        const int d = upwards[k];
        if (!any[d]) continue;
        const sweep_line l = cross(s, (2 * (z - border) + middle_z[d]) * unit);
        // The columns whose middles are on it.
        const int32_t off = middle_x[d] * unit, first = ((l.low - off + (1 << shift) - 1) >> shift) + border;
        const int32_t last = ((l.high - off) >> shift) + border, from = first > x0 ? first : x0;
        const int32_t to = last < x1 ? last : x1;
        if (from > to) continue;
        for (int32_t word = from >> 6; word <= to >> 6; word++) row[4 * word + d] &= ~mask_of(from, to, word);
    }
}

static void explain_by(nav_boundary *b, const nav_config *cfg, const nav_point *p, int32_t n, double slack)
{
    nav_point low, high;
    nav_points_bound(p, n, &low, &high);
    int32_t more = (int32_t)slack + 1, border = b->field->border, last = b->field->width - 1;
    int32_t x0 = ((low.x - more) >> cfg->unit_shift) + border, x1 = ((high.x + more) >> cfg->unit_shift) + border;
    int32_t z0 = ((low.z - more) >> cfg->unit_shift) + border, z1 = ((high.z + more) >> cfg->unit_shift) + border;
    if (x0 < 0) x0 = 0;
    if (x1 > last) x1 = last;
    if (z0 < b->low_row) z0 = b->low_row;
    if (z1 >= b->end_row) z1 = b->end_row - 1;
    if (x0 > x1 || z0 > z1) return;
    if (slack > 0) {
        const half_planes h = planes_of(p, n, slack);
        for (int32_t z = z0; z <= z1; z++) explain_row_by_planes(b, cfg, x0, x1, z, &h);
        return;
    }
    sweep s = sweep_of(p, n);
    for (int32_t z = z0; z <= z1; z++) explain_row(b, cfg, x0, x1, z, &s);
}

static bool is_set(const nav_boundary *b, const uint64_t *of, int32_t x, int32_t z, int d)
{
    return of[4 * ((size_t)z * (size_t)b->words + (size_t)(x >> 6)) + (size_t)d] >> (x & 63) & 1;
}

// The line along a side that begins in column (x, z) and goes on in those that follow. of: ends or cut.
// False: it began before.
static bool line_along(const nav_boundary *b, const nav_config *cfg, const uint64_t *of, int32_t x, int32_t z, int d,
                       nav_point line[2])
{
    const nav_compact_heightfield *f = b->field;
    const int32_t upright = (d & 1) == 0, along = !upright;
    int32_t n = 1;
    if (is_set(b, of, x - along, z - upright, d))
        return false; // the outermost columns have no sides, so this is inside
    while (is_set(b, of, x + n * along, z + n * upright, d)) n++;
    int32_t x0 = x - f->border + (d == 2), z0 = z - f->border + (d == 1);
    line[0] = (nav_point){x0 * cfg->unit, z0 * cfg->unit};
    line[1] = upright ? (nav_point){line[0].x, (z0 + n) * cfg->unit} : (nav_point){(x0 + n) * cfg->unit, line[0].z};
    return true;
}

// Closes the floor at the sides where an include volume ends it.
static nav_status add_include_ends(const nav_boundary *b, const nav_config *cfg, nav_arena *arena, nav_shapes *shapes)
{
    for (int32_t z = b->low_row; z < b->end_row; z++)
        for (int32_t x = 0; x < b->field->width; x++)
            for (int d = 0; d < 4; d++) {
                nav_point p[2];
                if (!is_set(b, b->cut, x, z, d) || !line_along(b, cfg, b->cut, x, z, d, p)) continue;
                int32_t dx = nav_dir_x[d] * INCLUDE_STRIP, dz = nav_dir_z[d] * INCLUDE_STRIP, off = INCLUDE_STRIP;
                nav_point low = {p[0].x - (dx ? 0 : off) + (dx < 0 ? dx : 0),
                                 p[0].z - (dz ? 0 : off) + (dz < 0 ? dz : 0)};
                nav_point high = {p[1].x + (dx ? 0 : off) + (dx > 0 ? dx : 0),
                                  p[1].z + (dz ? 0 : off) + (dz > 0 ? dz : 0)};
                nav_point strip[4] = {low, {high.x, low.z}, high, {low.x, high.z}};
                nav_status status = nav_shapes_add(shapes, arena, strip, 4);
                if (status != NAV_OK) return status;
            }
    return NAV_OK;
}

nav_status nav_boundary_explain(nav_boundary *b, const nav_config *cfg, double radius, int32_t first, nav_arena *arena,
                                nav_shapes *shapes)
{
    double slack = NAV_BOUNDARY_SLACK * (double)cfg->unit - radius;
    for (int32_t s = first; s < shapes->count; s++)
        explain_by(b, cfg, shapes->at + shapes->first[s], shapes->first[s + 1] - shapes->first[s],
                   slack > 0 ? slack : 0);
    for (int32_t z = b->low_row; z < b->end_row; z++)
        for (int32_t word = 0; word < b->words; word++) {
            const uint64_t *at = b->ends + 4 * ((size_t)z * (size_t)b->words + (size_t)word);
            for (uint64_t bits = at[0] | at[1] | at[2] | at[3]; bits; bits &= bits - 1) {
                int32_t x = word * 64 + __builtin_ctzll(bits);
                for (int d = 0; d < 4; d++) {
                    nav_point line[2];
                    if (!is_set(b, b->ends, x, z, d) || !line_along(b, cfg, b->ends, x, z, d, line)) continue;
                    nav_status status = nav_shapes_widen(line, 2, radius, arena, shapes);
                    if (status != NAV_OK) return status;
                }
            }
        }
    return b->bounded ? add_include_ends(b, cfg, arena, shapes) : NAV_OK;
}
