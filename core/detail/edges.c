// Heights along the edges.
//
//    y      o             Candidates (o, .) stand about a sample distance apart between the ends (#). The farthest
//         .   .    o #    from the line between two kept points is kept too, if it is farther than the error allows;
//      #        .         and so on in both halves.
//      +------------> along the edge
//
// A candidate lies on the edge exactly: on a portal at a column's corner, on another edge along an axis at a whole
// outline unit, elsewhere at a multiple of 1 / 2^shift of the edge, whose coordinates a float holds without rounding.
//
// On a portal the candidates' heights are those of the column corners, taken from the row of spans along the border:
//
//      tile ..[s][s][s][s].. row of spans inside, walked through their connections from the one at the low end. If
//      -------+--+--+--+---- several storeys open to the neighbour, it is the row whose corner heights match the ends
//      next ..[n][n][n][n].. of the portal.
//
// Source: D. Douglas and T. Peucker, Algorithms for the reduction of the number of points (1973).
#include "core/detail/edges.h"

#include "core/base/grow.h"

#include <math.h>
#include <stdbool.h>

typedef struct nav_station {
    int32_t along; // 0 at the low end
    int32_t height;
    bool kept;
} station;

enum { FLOAT_BITS = 24 };

nav_status nav_edges_init(nav_edges *e, const nav_config *cfg, int32_t expected, nav_arena *arena)
{
    *e = (nav_edges){.cfg = cfg};
    int bits = 0;
    while (((int64_t)1 << bits) < cfg->tile_units) bits++;
    e->shift = FLOAT_BITS - bits;
    e->column_shift = e->shift + cfg->unit_shift;
    nav_status s = nav_grow(arena, (void **)&e->edge, &e->capacity, expected, sizeof *e->edge);
    if (s != NAV_OK || cfg->detail_sample == 0) return s;
    s = nav_grow(arena, (void **)&e->point, &e->point_capacity, expected, sizeof *e->point);
    if (s != NAV_OK) return s;
    // The longest edge is a diagonal of the tile: less than 3/2 of its side.
    e->station_capacity = (int32_t)(3 * (int64_t)cfg->tile_columns / (2 * (int64_t)cfg->detail_sample)) + 3;
    e->station = NAV_TAKE(arena, station, e->station_capacity);
    e->stack = NAV_TAKE(arena, int32_t, e->station_capacity);
    if (!e->station || !e->stack) return nav_arena_failure(arena);
    return NAV_OK;
}

typedef struct line {
    int32_t x, z; // low end, outline units
    int32_t dx, dz;
    int32_t length; // of an edge along an axis in outline units, else 2^shift: what `along` runs to
    bool straight;  // along an axis
    int32_t pieces;
    int32_t columns; // of a portal: those along it, also where it covers only a part
    int32_t before;  // of a portal: outline units from the low end of these to its own
} line;

// Of a portal. Its candidates are column corners, so it is the columns along it that are counted.
static bool count_columns(const nav_edges *e, line *l)
{
    int32_t low = l->dx ? l->x : l->z, first = low >> e->cfg->unit_shift, sample = e->cfg->detail_sample;
    l->columns = ((low + l->length - 1) >> e->cfg->unit_shift) - first + 1;
    l->before = low - (first << e->cfg->unit_shift);
    l->pieces = (l->columns + sample - 1) / sample;
    return l->pieces > 1;
}

// False where the edge is no longer than a sample distance: then it is one piece.
static bool line_of(const nav_edges *e, const nav_polygons *polys, int32_t low, int32_t high, bool portal, line *out)
{
    line l = {.x = polys->x[low], .z = polys->z[low]};
    l.dx = polys->x[high] - l.x;
    l.dz = polys->z[high] - l.z;
    int64_t sample = (int64_t)e->cfg->detail_sample * e->cfg->unit;
    int64_t length2 = (int64_t)l.dx * l.dx + (int64_t)l.dz * l.dz;
    l.straight = l.dx == 0 || l.dz == 0;
    l.length = l.straight ? l.dx + l.dz : 1 << e->shift;
    // The low end has the lower x, then z, so that the length of a straight one is not negative.
    if (portal) {
        bool cut = count_columns(e, &l);
        *out = l;
        return cut;
    }
    if (length2 <= sample * sample) return false;
    l.pieces = l.straight ? (int32_t)((l.length + sample - 1) / sample)
                          : (int32_t)ceil(sqrt((double)length2) / (double)sample);
    if (l.pieces > l.length) l.pieces = l.length;
    if (l.pieces > e->station_capacity - 1) l.pieces = e->station_capacity - 1;
    *out = l;
    return l.pieces > 1;
}

// Where the pieces end, one after the other: piece * length / pieces, rounded.
typedef struct stepper {
    int32_t along, rest, step, step_rest, pieces;
} stepper;

static stepper steps_along(int32_t length, int32_t pieces)
{
    return (stepper){.rest = pieces / 2, .step = length / pieces, .step_rest = length % pieces, .pieces = pieces};
}

static int32_t next_along(stepper *s)
{
    s->rest += s->step_rest;
    int32_t carry = s->rest >= s->pieces;
    s->rest -= s->pieces & -carry;
    return s->along += s->step + carry;
}

static nav_patch_point point_at(const nav_edges *e, const line *l, int32_t along, int32_t height)
{
    int32_t step = l->straight ? 1 << e->shift : 1;
    int32_t ux = l->straight ? l->dx != 0 : l->dx, uz = l->straight ? l->dz != 0 : l->dz;
    return (nav_patch_point){l->x * (1 << e->shift) + ux * along * step, l->z * (1 << e->shift) + uz * along * step,
                             height};
}

static bool height_at(const nav_ground *g, const nav_ground *other, nav_patch_point p, int shift, int32_t *height)
{
    int32_t x = p.x >> shift, z = p.z >> shift; // column
    return nav_ground_at_point(g, p.x, p.z, shift, height) ||
           (other && nav_ground_at_point(other, p.x, p.z, shift, height)) || nav_ground_near_column(g, x, z, height) ||
           (other && nav_ground_near_column(other, x, z, height));
}

// Fills the stations between the ends of an inner edge or a wall. Returns their number, ends included.
static int32_t sample_ground(nav_edges *e, const line *l, const nav_ground *g, const nav_ground *other)
{
    int32_t n = 1;
    stepper at = steps_along(l->length, l->pieces);
    for (int32_t i = 1; i < l->pieces; i++) {
        int32_t along = next_along(&at), height;
        e->sampled++;
        if (!height_at(g, other, point_at(e, l, along, 0), e->column_shift, &height)) continue;
        e->station[n++] = (station){along, height, false};
    }
    return n;
}

typedef struct border_row {
    int out;        // direction across the border
    int step;       // direction along it, upwards
    int32_t column; // of the padded grid, at the portal's low end
    int32_t length; // spans
} border_row;

static border_row border_row_of(const nav_compact_heightfield *f, const line *l, int32_t behind, const nav_config *cfg)
{
    border_row r = {.length = l->columns};
    int32_t x = l->x >> cfg->unit_shift, z = l->z >> cfg->unit_shift;
    switch (behind) {
    case NAV_EDGE_PORTAL_XMAX:
        r.out = 2, r.step = 1, x = cfg->tile_columns - 1;
        break;
    case NAV_EDGE_PORTAL_ZMAX:
        r.out = 1, r.step = 2, z = cfg->tile_columns - 1;
        break;
    case NAV_EDGE_PORTAL_XMIN:
        r.out = 0, r.step = 1, x = 0;
        break;
    default:
        r.out = 3, r.step = 2, z = 0;
        break;
    }
    r.column = (z + f->border) * f->width + x + f->border;
    return r;
}

// The last span of the row that begins at s, or NAV_NOT_CONNECTED where the row or the one across the border, seen from
// either side, does not reach so far.
static int32_t row_end(const nav_compact_heightfield *f, const border_row *r, int32_t s)
{
    if (f->connection[r->out][s] == NAV_NOT_CONNECTED) return NAV_NOT_CONNECTED;
    for (int32_t k = 1; k < r->length; k++) {
        int32_t across = f->connection[r->step][f->connection[r->out][s]];
        s = f->connection[r->step][s];
        if (s == NAV_NOT_CONNECTED || across == NAV_NOT_CONNECTED || f->connection[r->out][s] != across)
            return NAV_NOT_CONNECTED;
    }
    return s;
}

static int64_t apart(int32_t a, int32_t b)
{
    int64_t d = (int64_t)a - b;
    return d < 0 ? -d : d;
}

// The first span of the row along a portal: the one whose heights at the portal's ends are nearest to those it has. A
// column's only span is it without that, where its row reaches as far as it should: *whole says that this is known.
static int32_t row_begin(const nav_compact_heightfield *f, const border_row *r, const line *l, int shift, int32_t low_y,
                         int32_t high_y, bool *whole)
{
    int32_t best = NAV_NOT_CONNECTED, first = f->column_first[r->column], last = f->column_first[r->column + 1];
    int64_t best_apart = INT64_MAX;
    *whole = last - first != 1;
    if (!*whole) return first;
    for (int32_t s = first; s < last; s++) {
        int32_t end = row_end(f, r, s);
        if (end == NAV_NOT_CONNECTED) continue;
        int64_t d = apart(nav_point_height(f, s, l->x, l->z, shift), low_y) +
                    apart(nav_point_height(f, end, l->x + l->dx, l->z + l->dz, shift), high_y);
        if (d >= best_apart) continue;
        best_apart = d;
        best = s;
    }
    return best;
}

// The highest of four floors: what nav_corner_height() says where four spans are connected around a corner.
static int32_t highest(const nav_compact_heightfield *f, int32_t a, int32_t b, int32_t c, int32_t d)
{
    int32_t ab = f->floor[a] > f->floor[b] ? f->floor[a] : f->floor[b];
    int32_t cd = f->floor[c] > f->floor[d] ? f->floor[c] : f->floor[d];
    return ab > cd ? ab : cd;
}

// Are bits from..from + count - 1 of a row all set?
static bool all_set(const uint64_t *row, int32_t from, int32_t count)
{
    for (int32_t word = from >> 6, last = (from + count - 1) >> 6; word <= last; word++) {
        uint64_t want = ~UINT64_C(0);
        if (word == from >> 6) want &= ~UINT64_C(0) << (from & 63);
        if (word == last) want &= ~UINT64_C(0) >> (63 - ((from + count - 1) & 63));
        if (~row[word] & want) return false;
    }
    return true;
}

static bool none_set(const uint64_t *row, int32_t from, int32_t count)
{
    for (int32_t x = from; x < from + count;) {
        int32_t n = 64 - (x & 63) < from + count - x ? 64 - (x & 63) : from + count - x;
        if (row[x >> 6] >> (x & 63) & ~UINT64_C(0) >> (64 - n)) return false;
        x += n;
    }
    return true;
}

// Do the row along a portal and the one across it hold one span a column, all connected along the rows and across? Then
// every span is found by its column, and no connection needs to be walked. Told from the field's rows of bits.
static bool is_plain(const nav_compact_heightfield *f, const border_row *r)
{
    const nav_compact_rows *rows = &f->rows;
    if (rows->ranks == 0) return false;
    int32_t z = r->column / f->width, x = r->column % f->width, n = r->length;
    if (r->step == 2) {
        int32_t lower = r->out == 1 ? z : z - 1;
        for (int32_t k = 0; k < 2; k++) {
            size_t row = (size_t)(lower + k) * (size_t)rows->words;
            if (rows->ranks > 1 && !none_set(rows->has[1] + row, x, n)) return false;
            if (n > 1 && !all_set(rows->x_connected[0][0] + row, x, n - 1)) return false;
        }
        return all_set(rows->z_connected[0][0] + (size_t)lower * (size_t)rows->words, x, n);
    }
    int32_t left = r->out == 2 ? x : x - 1;
    uint64_t bit[2] = {UINT64_C(1) << (left & 63), UINT64_C(1) << ((left + 1) & 63)}, crowded = 0, missing = 0;
    for (int32_t k = 0; k < n; k++) {
        size_t row = (size_t)(z + k) * (size_t)rows->words, a = row + (size_t)(left >> 6),
               b = row + (size_t)((left + 1) >> 6);
        if (rows->ranks > 1) crowded |= (rows->has[1][a] & bit[0]) | (rows->has[1][b] & bit[1]);
        missing |= ~rows->x_connected[0][0][a] & bit[0];
        if (k + 1 < n) missing |= (~rows->z_connected[0][0][a] & bit[0]) | (~rows->z_connected[0][0][b] & bit[1]);
    }
    return !crowded && !missing;
}

// Fills the stations between the ends of a plain portal.
static int32_t sample_plain(nav_edges *e, const line *l, const nav_compact_heightfield *f, const border_row *r)
{
    int32_t stride = r->step == 2 ? 1 : f->width;
    int32_t across = r->out == 0 ? -1 : r->out == 1 ? f->width : r->out == 2 ? 1 : -f->width;
    stepper at = steps_along(r->length, l->pieces);
    for (int32_t i = 1; i < l->pieces; i++) {
        int32_t along = next_along(&at), column = r->column + along * stride;
        const int32_t *first = f->column_first + column;
        int32_t height = highest(f, first[0], first[-stride], first[across], first[across - stride]);
        e->station[i] = (station){along * e->cfg->unit - l->before, height, false};
    }
    e->sampled += l->pieces - 1;
    return l->pieces;
}

// Fills the stations between the ends of a portal. Both rows are walked side by side, so that the four spans around
// each corner are at hand.
static int32_t sample_portal(nav_edges *e, const line *l, const nav_compact_heightfield *f, int32_t behind,
                             int32_t low_y, int32_t high_y)
{
    border_row r = border_row_of(f, l, behind, e->cfg);
    if (is_plain(f, &r)) return sample_plain(e, l, f, &r);
    bool whole;
    int32_t s = row_begin(f, &r, l, e->cfg->unit_shift, low_y, high_y, &whole), n = 1;
    if (s == NAV_NOT_CONNECTED) return n;
    int32_t across = f->connection[r.out][s];
    if (across == NAV_NOT_CONNECTED) return n;
    stepper at = steps_along(r.length, l->pieces);
    int32_t along = next_along(&at);
    for (int32_t k = 1; k < r.length && !(whole && n == l->pieces); k++) {
        int32_t s2 = f->connection[r.step][s], across2 = f->connection[r.step][across];
        if (s2 == NAV_NOT_CONNECTED || across2 == NAV_NOT_CONNECTED || f->connection[r.out][s2] != across2) return 1;
        if (k == along) {
            int32_t height = highest(f, s, s2, across, across2);
            e->station[n++] = (station){along * e->cfg->unit - l->before, height, false};
            along = next_along(&at);
        }
        s = s2;
        across = across2;
    }
    e->sampled += n - 1;
    return n;
}

// Are all stations so near in height that none can be farther than `error` from a line between two?
static bool is_even(const nav_edges *e, int32_t n, double error)
{
    int32_t low = e->station[0].height, high = low;
    for (int32_t i = 1; i < n; i++) {
        int32_t height = e->station[i].height;
        if (height < low) low = height;
        if (height > high) high = height;
    }
    return (double)high - low <= error;
}

// Marks the stations that are needed to stay within `error`. Returns how many, ends not counted.
static int32_t simplify(nav_edges *e, int32_t n, double error)
{
    station *st = e->station;
    int32_t kept = 0, top = 0, from = 0;
    for (int32_t i = 1; i + 1 < n; i++) st[i].kept = false;
    e->stack[top++] = n - 1;
    while (top > 0) {
        int32_t to = e->stack[top - 1], worst = -1;
        double worst_error = error;
        double slope = ((double)st[to].height - st[from].height) / ((double)st[to].along - st[from].along);
        for (int32_t i = from + 1; i < to; i++) {
            double d = st[from].height + slope * ((double)st[i].along - st[from].along) - st[i].height;
            if (d < 0) d = -d;
            if (d <= worst_error) continue;
            worst_error = d;
            worst = i;
        }
        if (worst >= 0) {
            st[worst].kept = true;
            kept++;
            e->stack[top++] = worst;
        } else {
            from = to;
            top--;
        }
    }
    return kept;
}

nav_status nav_edges_add(nav_edges *e, const nav_polygons *polys, int32_t a, int32_t b, int32_t behind,
                         const nav_ground *ground, const nav_ground *other, nav_arena *arena, int32_t *out)
{
    // Lower x, then lower z: as one number, since it is as often as not.
    bool forward = ((int64_t)polys->x[a] << 32) + polys->z[a] < ((int64_t)polys->x[b] << 32) + polys->z[b];
    nav_status status = nav_grow(arena, (void **)&e->edge, &e->capacity, (int64_t)e->count + 1, sizeof *e->edge);
    if (status != NAV_OK) return status;
    nav_edge *edge = &e->edge[e->count];
    *edge = (nav_edge){.low = forward ? a : b, .high = forward ? b : a, .point_first = e->point_count};
    edge->side[0] = edge->side[1] = behind < 0 ? behind : NAV_EDGE_WALL;
    *out = e->count++;
    if (e->cfg->detail_sample == 0) return NAV_OK;
    line l;
    if (!line_of(e, polys, edge->low, edge->high, nav_edge_is_portal(behind), &l)) return NAV_OK;
    int32_t low_y = polys->y[edge->low], high_y = polys->y[edge->high];
    int32_t n = nav_edge_is_portal(behind) ? sample_portal(e, &l, ground->field, behind, low_y, high_y)
                                           : sample_ground(e, &l, ground, other);
    e->station[0] = (station){0, low_y, true};
    e->station[n++] = (station){l.length, high_y, true};
    double error = e->cfg->detail_max_error;
    if (is_even(e, n, error)) return NAV_OK;
    int32_t kept = simplify(e, n, error);
    if (kept > NAV_EDGE_MAX_POINTS) e->coarsened++;
    while (kept > NAV_EDGE_MAX_POINTS) kept = simplify(e, n, error = 1.25 * error + 0.25);
    if (kept == 0) return NAV_OK;
    status = nav_grow(arena, (void **)&e->point, &e->point_capacity, (int64_t)e->point_count + kept, sizeof *e->point);
    if (status != NAV_OK) return status;
    for (int32_t i = 1; i + 1 < n; i++)
        if (e->station[i].kept) e->point[e->point_count++] = point_at(e, &l, e->station[i].along, e->station[i].height);
    edge->point_count = kept;
    return NAV_OK;
}
