// From raw loops to contours: cut at what is open, made few-cornered, put in order, given heights.
//
//     a ------------------------ b      An edge along a side or a seam, and its open pieces p..q: the corners that come
//     a --- p ====== q --- p ==== b     out are a, p, q, p; an end of a piece close to a corner takes its place.
#include "core/outline/outline_stage.h"

#include "core/base/ring.h"
#include "core/outline/ears.h"

#include <math.h>
#include <string.h>

enum {
    STAYS = NAV_FEWER_CORNER,
    EDGE_STAYS = NAV_FEWER_SEAM,
    ACROSS = 2, // units by which a corner may lie on the wrong side of an edge for rounding
};

static const double USUAL_ERROR = 1.3; // columns: the setting's default

// The corners of a region's loops, cut.
typedef struct cut_loops {
    nav_loops loops;
    uint8_t *fixed;  // STAYS, EDGE_STAYS
    int32_t *behind; // of the edge from the corner
    int32_t *other;  // a region whose floor the corner may stand on too; or NAV_REGION_NONE
    uint8_t *joint;
    int32_t count;
} cut_loops;

static void put(cut_loops *c, nav_point p, int32_t behind, uint8_t fixed, int32_t other, bool joint)
{
    int32_t k = c->count, first = c->loops.first[c->loops.count];
    // There and back along walls is the end of a strip that sticks out where a seam turns.
    if (k > first + 1 && nav_point_same(c->loops.at[k - 2], p) && c->behind[k - 2] == NAV_EDGE_WALL &&
        c->behind[k - 1] == NAV_EDGE_WALL)
        k--;
    if (k > first && nav_point_same(c->loops.at[k - 1], p)) {
        // The edge between would have no length: the later one counts.
        k--;
        fixed |= c->fixed[k] & STAYS;
        joint |= c->joint[k];
        if (other == NAV_REGION_NONE) other = c->other[k];
    }
    c->count = k + 1;
    c->loops.at[k] = p;
    c->behind[k] = behind;
    c->fixed[k] = fixed;
    c->other[k] = other;
    c->joint[k] = joint;
}

static int32_t code_of(const outline_work *w, int32_t kind)
{
    static const int8_t portal[4] = {NAV_EDGE_PORTAL_XMIN, NAV_EDGE_PORTAL_ZMAX, NAV_EDGE_PORTAL_XMAX,
                                     NAV_EDGE_PORTAL_ZMIN};
    return kind < OUTLINE_SIDES ? portal[kind] : w->seams[kind - OUTLINE_SIDES].behind;
}

// Does the region have the floor along the side between the two places, given as the piece's measure?
static bool is_along(const outline_work *w, const outline_piece *p, int32_t region, int64_t low, int64_t high)
{
    if (p->kind >= OUTLINE_SIDES) return true;
    int32_t unit = w->cfg->unit, k = (int32_t)((low + high) / 2 / w->side);
    if (p->kind >= 2) k = w->side - 1 - k; // these sides run down
    return w->regions->id[w->row_span[p->span + k / unit]] == region;
}

// Does the loop come to where it is now along an edge that leads on?
static bool comes_open(const cut_loops *c)
{
    return c->count > c->loops.first[c->loops.count] && c->behind[c->count - 1] != NAV_EDGE_WALL;
}

// The nearest end of the pieces, which are open for the region there, if that is close to p; or p. So all corners of
// loops that come close to one end there, in the order that they have along the side.
static nav_point at_end_of(const outline_work *w, const outline_piece *piece, int32_t n, int32_t region, int32_t kind,
                           nav_point p)
{
    const int64_t at = nav_outline_along(w, kind, p), snap = (int64_t)nav_outline_snap(w, kind);
    int64_t nearest = snap + 1;
    for (int32_t i = 0; i < n; i++) {
        const outline_piece *q = &piece[i];
        const int64_t low = at > q->low ? at - q->low : q->low - at, high = at > q->high ? at - q->high : q->high - at;
        if (low < nearest && is_along(w, q, region, q->low, q->low + snap)) {
            nearest = low;
            p = q->from;
        }
        if (high < nearest && is_along(w, q, region, q->high - snap, q->high)) {
            nearest = high;
            p = q->to;
        }
    }
    return p;
}

// Cuts the edge from a to b; returns where it really ends. before: the region behind the seam that ends at a, if any.
static nav_point cut_edge(const outline_work *w, cut_loops *c, int32_t region, int32_t kind, nav_point a, nav_point b,
                          int32_t before)
{
    bool on_side = kind < OUTLINE_SIDES;
    int32_t n = on_side ? w->open_first[kind + 1] - w->open_first[kind] : w->seams[kind - OUTLINE_SIDES].count;
    const outline_piece *piece = n == 0    ? NULL
                                 : on_side ? w->open + w->open_first[kind]
                                           : w->pieces + w->seams[kind - OUTLINE_SIDES].first;
    int32_t other = on_side ? before : w->seams[kind - OUTLINE_SIDES].behind; // of the corner at a, then of others
    if (!comes_open(c)) a = at_end_of(w, piece, n, region, kind, a);
    b = at_end_of(w, piece, n, region, kind, b);
    int64_t from = nav_outline_along(w, kind, a), to = nav_outline_along(w, kind, b);
    double snap = nav_outline_snap(w, kind);
    bool down = on_side && kind >= 2; // pieces are listed upwards
    for (int32_t i = 0; i < n; i++) {
        const outline_piece *p = piece + (down ? n - 1 - i : i);
        int64_t low = p->low > from ? p->low : from, high = p->high < to ? p->high : to;
        if ((double)(high - low) <= snap || !is_along(w, p, region, low, high)) continue;
        bool starts = (double)(from - p->low) <= snap, ends = (double)(p->high - to) <= snap;
        nav_point first = starts ? p->from : a, last = ends ? p->to : b;
        // What leads on and comes to here ends here, though what is next may begin somewhat off.
        const bool apart = (double)(low - from) > snap || comes_open(c), at_seam = on_side && !starts;
        if (apart) put(c, a, NAV_EDGE_WALL, STAYS | EDGE_STAYS, other, false);
        if (apart && on_side) other = NAV_REGION_NONE;
        put(c, first, code_of(w, kind), STAYS | EDGE_STAYS, other, at_seam && before != NAV_REGION_NONE);
        if (on_side) other = NAV_REGION_NONE;
        a = last;
        from = high;
        if (nav_point_same(last, b)) return b;
        if ((double)(to - high) <= snap) return last;
    }
    put(c, a, NAV_EDGE_WALL, STAYS | EDGE_STAYS, other, false);
    return b;
}

static void move_corner(cut_loops *c, int32_t from, int32_t to)
{
    c->loops.at[to] = c->loops.at[from];
    c->behind[to] = c->behind[from];
    c->fixed[to] = c->fixed[from];
    c->other[to] = c->other[from];
    c->joint[to] = c->joint[from];
}

// Does for the loop's end what put() does on the way.
static void close_loop(cut_loops *c, int32_t first)
{
    const nav_point *at = c->loops.at;
    for (;;) {
        int32_t n = c->count - first, last = c->count - 1;
        if (n > 1 && nav_point_same(at[last], at[first])) {
            c->fixed[first] |= c->fixed[last] & STAYS;
            c->count--;
        } else if (n > 2 && nav_point_same(at[last - 1], at[first]) && c->behind[last - 1] == NAV_EDGE_WALL &&
                   c->behind[last] == NAV_EDGE_WALL) {
            c->count--;
        } else if (n > 2 && nav_point_same(at[last], at[first + 1]) && c->behind[last] == NAV_EDGE_WALL &&
                   c->behind[first] == NAV_EDGE_WALL) {
            for (int32_t k = first; k < last; k++) move_corner(c, k + 1, k);
            c->count--;
        } else {
            return;
        }
    }
}

static void cut_loop(const outline_work *w, cut_loops *c, const outline_loop *l)
{
    int32_t start = 0, first = c->count;
    const int32_t *kind = w->kind + l->first;
    const nav_point *at = w->at + l->first;
    for (int32_t i = 0; i < l->count; i++)
        if (kind[i] != kind[i + 1 < l->count ? i + 1 : 0]) start = i + 1 < l->count ? i + 1 : 0;
    for (int32_t i = 0; i < l->count; i++)
        if (kind[i] == OUTLINE_WALL) start = i + 1 < l->count ? i + 1 : 0;
    nav_point a = at[start];
    for (int32_t i = 0, end; i < l->count; i = end) {
        int32_t k = (start + i) % l->count, before = (k + l->count - 1) % l->count;
        // Edges along the same side or seam are one: the corner between is that of a shape that touches it from behind.
        for (end = i + 1; kind[k] != OUTLINE_WALL && end < l->count && kind[(start + end) % l->count] == kind[k];)
            end++;
        int32_t next = (start + end) % l->count;
        int32_t seam = kind[before] >= OUTLINE_SIDES ? w->seams[kind[before] - OUTLINE_SIDES].behind : NAV_REGION_NONE;
        if (kind[k] == OUTLINE_WALL) {
            if (i == 0) seam = NAV_REGION_NONE;
            put(c, a, NAV_EDGE_WALL, i > 0 && kind[before] != OUTLINE_WALL ? STAYS : 0, seam, false);
            a = at[next];
        } else {
            a = cut_edge(w, c, l->region, kind[k], a, at[next], seam);
        }
    }
    if (comes_open(c)) put(c, a, NAV_EDGE_WALL, STAYS | EDGE_STAYS, NAV_REGION_NONE, false);
    close_loop(c, first);
    if (c->count - first < 3) {
        c->count = first;
        return;
    }
    c->loops.first[++c->loops.count] = c->count;
}

// --- corners across an edge that leads on

// Places around p are tried, the nearest first, but for those of the corners beside it.
static nav_point to_the_right(nav_point from, nav_point to, nav_point p, nav_point before, nav_point after)
{
    for (int32_t by = 1; by <= ACROSS; by++)
        for (int32_t z = -by; z <= by; z++)
            for (int32_t x = -by; x <= by; x++) {
                const nav_point q = {p.x + x, p.z + z};
                if (nav_right(from, to, q) > 0 && !nav_point_same(q, before) && !nav_point_same(q, after)) return q;
            }
    return p;
}

// The union rounds its corners, and what leads on stays where both sides of it have it: so a corner of a wall may lie a
// unit across a slanting seam, and its edges cross it. It comes back.
static void bring_back(cut_loops *c, nav_point from, nav_point to)
{
    nav_point *at = c->loops.at;
    const int32_t *first = c->loops.first;
    for (int32_t l = 0; l < c->loops.count; l++) {
        for (int32_t k = first[l], end = first[l + 1]; k < end; k++) {
            const nav_point p = at[k], before = at[k > first[l] ? k - 1 : end - 1],
                            after = at[k + 1 < end ? k + 1 : first[l]];
            if (c->fixed[k] || nav_right(from, to, p) >= 0) continue;
            if (!nav_cross(from, to, before, p) && !nav_cross(from, to, p, after)) continue;
            at[k] = to_the_right(from, to, p, before, after);
        }
    }
}

static void keep_from_crossing(cut_loops *c)
{
    for (int32_t l = 0; l < c->loops.count; l++) {
        const int32_t first = c->loops.first[l], end = c->loops.first[l + 1];
        for (int32_t k = first; k < end; k++) {
            const nav_point from = c->loops.at[k], to = c->loops.at[k + 1 < end ? k + 1 : first];
            if (c->behind[k] != NAV_EDGE_WALL && from.x != to.x && from.z != to.z) bring_back(c, from, to);
        }
    }
}

// --- order

static bool loop_holds(const nav_loops *l, int32_t outer, int32_t hole)
{
    const int32_t *first = l->first;
    return nav_ring_holds_ring(l->at + first[outer], first[outer + 1] - first[outer], l->at + first[hole],
                               first[hole + 1] - first[hole]);
}

// --- heights

static int32_t column_of(const outline_work *w, int32_t x, int32_t z)
{
    return (z + w->f->border) * w->f->width + x + w->f->border;
}

static bool is_beside(const outline_work *w, int32_t span, int32_t region)
{
    bool beside = false;
    for (int d = 0; d < 4; d++) {
        const int32_t n = w->f->connection[d][span];
        beside |= n != NAV_NOT_CONNECTED && w->regions->id[n] == region;
    }
    return beside;
}

// A span in one of the columns whose squares hold the point: best one of the region from which the other one goes on,
// as a region may lie above its neighbour there; or any of the region; or of the other one. Else the nearest one of the
// region.
static int32_t span_at(const outline_work *w, int32_t region, int32_t other, nav_point p)
{
    enum { BESIDE, OWN, BEHIND, TURNS };
    const nav_compact_heightfield *f = w->f;
    const int32_t unit = w->cfg->unit, last = w->cfg->tile_columns - 1, *id = w->regions->id;
    int32_t x0 = p.x / unit, z0 = p.z / unit;
    for (int turn = other > 0 ? BESIDE : OWN; turn < TURNS; turn++)
        for (int32_t z = p.z % unit == 0 ? z0 - 1 : z0; z <= z0; z++)
            for (int32_t x = p.x % unit == 0 ? x0 - 1 : x0; x <= x0; x++) {
                int32_t want = turn == BEHIND ? other : region;
                if (want <= 0 || x < 0 || z < 0 || x > last || z > last) continue;
                int32_t c = column_of(w, x, z);
                for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
                    if (id[s] == want && (turn != BESIDE || is_beside(w, s, other))) return s;
            }
    for (int32_t r = 1; r <= w->cfg->tile_columns; r++) {
        int32_t best = -1;
        int64_t nearest = INT64_MAX;
        for (int32_t z = z0 - r; z <= z0 + r; z++)
            for (int32_t x = x0 - r; x <= x0 + r; x += z == z0 - r || z == z0 + r ? 1 : 2 * r) {
                if (x < 0 || z < 0 || x > last || z > last) continue;
                int64_t dx = (int64_t)x * unit + unit / 2 - p.x, dz = (int64_t)z * unit + unit / 2 - p.z;
                int32_t c = column_of(w, x, z);
                for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
                    if (id[s] == region && dx * dx + dz * dz < nearest) {
                        nearest = dx * dx + dz * dz;
                        best = s;
                    }
            }
        if (best >= 0) return best;
    }
    return -1;
}

// --- writing

static void write_corner(const outline_work *w, int32_t region, int32_t other, nav_point p, int32_t behind, bool joint,
                         nav_contours *out)
{
    int32_t v = out->vert_count++, s = span_at(w, region, other, p);
    out->x[v] = p.x;
    out->z[v] = p.z;
    out->y[v] = s < 0 ? 0 : nav_point_height(w->f, s, p.x, p.z, w->cfg->unit_shift);
    out->behind[v] = behind;
    out->border_joint[v] = joint;
}

// The longest that a wall may be: 0, any length, where it is cut into cells directly.
static int32_t split_columns(const nav_config *cfg)
{
    return cfg->partition == NAV_PARTITION_CONVEX ? 0 : cfg->edge_max_columns;
}

// Pieces that a wall from a to b is split into.
static int32_t pieces_of(const outline_work *w, nav_point a, nav_point b)
{
    double most = (double)split_columns(w->cfg) * w->cfg->unit;
    return most > 0 ? (int32_t)ceil(sqrt((double)nav_distance2(a, b)) / most) : 1;
}

static void write_loop(const outline_work *w, const cut_loops *c, const nav_loops *l, const int32_t *came, int32_t loop,
                       int32_t region, bool hole, nav_contours *out)
{
    int32_t o = out->loop_count++, first = l->first[loop], end = l->first[loop + 1];
    out->loop_region[o] = region;
    out->loop_hole[o] = hole;
    out->loop_area[o] = w->f->area[w->span[w->span_first[region]]];
    for (int32_t k = first; k < end; k++) {
        int32_t from = came[k];
        nav_point p = l->at[k], q = l->at[k + 1 < end ? k + 1 : first];
        bool same_edge = from >= 0 && (c->fixed[from] & EDGE_STAYS);
        int32_t behind = same_edge ? c->behind[from] : NAV_EDGE_WALL;
        write_corner(w, region, from >= 0 ? c->other[from] : NAV_REGION_NONE, p, behind, from >= 0 && c->joint[from],
                     out);
        int32_t n = behind == NAV_EDGE_WALL ? pieces_of(w, p, q) : 1;
        for (int32_t i = 1; i < n; i++) {
            nav_point m = {p.x + (int32_t)((int64_t)(q.x - p.x) * i / n),
                           p.z + (int32_t)((int64_t)(q.z - p.z) * i / n)};
            write_corner(w, region, NAV_REGION_NONE, m, NAV_EDGE_WALL, false, out);
        }
    }
    out->loop_first[o + 1] = out->vert_count;
}

static bool leads_on(const cut_loops *c, const nav_loops *l, const int32_t *came, int32_t loop)
{
    for (int32_t k = l->first[loop]; k < l->first[loop + 1]; k++)
        if (came[k] >= 0 && (c->fixed[came[k]] & EDGE_STAYS) && c->behind[came[k]] != NAV_EDGE_WALL) return true;
    return false;
}

// Room for what the loops may come to.
static nav_status take_contours(nav_contours *out, nav_arena *arena, size_t loops, size_t n)
{
    out->loop_first = NAV_TAKE(arena, int32_t, loops + 1);
    out->loop_region = NAV_TAKE(arena, int32_t, loops);
    out->loop_area = NAV_TAKE(arena, uint8_t, loops);
    out->loop_hole = NAV_TAKE(arena, uint8_t, loops);
    out->x = NAV_TAKE(arena, int32_t, n);
    out->z = NAV_TAKE(arena, int32_t, n);
    out->y = NAV_TAKE(arena, int32_t, n);
    out->behind = NAV_TAKE(arena, int32_t, n);
    out->border_joint = NAV_TAKE(arena, uint8_t, n);
    bool all = out->loop_first && out->loop_region && out->loop_area && out->loop_hole && out->x && out->z && out->y &&
               out->behind && out->border_joint;
    if (!all) return nav_arena_failure(arena);
    out->loop_first[0] = 0;
    return NAV_OK;
}

static nav_status take_cuts(cut_loops *c, nav_arena *arena, size_t loops, size_t n)
{
    *c = (cut_loops){.loops = {.first = NAV_TAKE(arena, int32_t, loops + 1), .at = NAV_TAKE(arena, nav_point, n)},
                     .fixed = NAV_TAKE(arena, uint8_t, n),
                     .behind = NAV_TAKE(arena, int32_t, n),
                     .other = NAV_TAKE(arena, int32_t, n),
                     .joint = NAV_TAKE(arena, uint8_t, n)};
    return c->loops.first && c->loops.at && c->fixed && c->behind && c->other && c->joint ? NAV_OK
                                                                                          : nav_arena_failure(arena);
}

// A corner that no longer sticks out is worth what one is to the search, or half of it where there is a mitre instead.
static nav_status cut_ears(const outline_work *w, const cut_loops *c, double corner_area, nav_loops *few, int32_t *came)
{
    int32_t n = few->first[few->count];
    uint8_t *fixed = NAV_TAKE(w->arena, uint8_t, n);
    if (!fixed) return nav_arena_failure(w->arena);
    for (int32_t k = 0; k < n; k++) fixed[k] = came[k] >= 0 ? c->fixed[came[k]] : 0;
    nav_ears how = {.pocket2 = (int64_t)(2 * corner_area), .mitre2 = (int64_t)corner_area};
    return nav_loops_cut_ears(few, fixed, came, &how, w->arena);
}

nav_fewer nav_outline_error(const outline_work *w)
{
    return nav_fewer_for(w->radius, w->cfg->unit, w->cfg->edge_max_error / USUAL_ERROR);
}

// Writes the loops from..to - 1, which are one region's.
static nav_status write_region(outline_work *w, cut_loops *c, int32_t from, int32_t to, nav_contours *out)
{
    nav_arena *arena = w->arena;
    int32_t region = w->loops[from].region, *came;
    c->count = c->loops.count = c->loops.first[0] = 0;
    for (int32_t l = from; l < to; l++) cut_loop(w, c, &w->loops[l]);
    keep_from_crossing(c);
    w->out->outline_corners += c->count;
    nav_loops few;
    nav_fewer how = nav_outline_error(w);
    nav_status status = nav_loops_simplify(&c->loops, c->fixed, &how, arena, &few, &came);
    if (status == NAV_OK) status = cut_ears(w, c, how.corner_area, &few, came);
    if (status != NAV_OK) return status;
    int64_t *area = NAV_TAKE(arena, int64_t, few.count);
    uint8_t *taken = NAV_TAKE_ZERO(arena, uint8_t, few.count);
    if (!area || !taken) return nav_arena_failure(arena);
    for (int32_t l = 0; l < few.count; l++)
        area[l] = nav_loop_area2(few.at + few.first[l], few.first[l + 1] - few.first[l]);
    double least = 2.0 * w->cfg->region_min_spans * w->cfg->unit * w->cfg->unit;
    for (int32_t o = 0; o < few.count; o++) {
        if (area[o] <= 0) continue;
        int64_t whole = area[o];
        bool open = leads_on(c, &few, came, o);
        for (int32_t h = 0; h < few.count; h++) {
            if (area[h] >= 0 || taken[h] || -area[h] > area[o] || !loop_holds(&few, o, h)) continue;
            taken[h] = 2;
            whole += area[h];
            open |= leads_on(c, &few, came, h);
        }
        bool small = !open && (double)whole < least;
        if (!small) write_loop(w, c, &few, came, o, region, false, out);
        for (int32_t h = 0; h < few.count; h++) {
            if (taken[h] != 2) continue;
            taken[h] = 1;
            if (!small) write_loop(w, c, &few, came, h, region, true, out);
        }
    }
    return NAV_OK;
}

// More corners than any splitting of walls adds: mitres are less than twice as long as what they stand for.
static double most_splits(const outline_work *w)
{
    double length = 0;
    for (int32_t l = 0; l < w->loop_count && split_columns(w->cfg) > 0; l++) {
        const nav_point *at = w->at + w->loops[l].first;
        int32_t n = w->loops[l].count;
        for (int32_t i = 0; i < n; i++) length += sqrt((double)nav_distance2(at[i], at[i + 1 < n ? i + 1 : 0]));
    }
    return length > 0 ? 2 * length / ((double)split_columns(w->cfg) * w->cfg->unit) : 0;
}

nav_status nav_outline_write(outline_work *w)
{
    nav_contours *out = w->out;
    // An edge along a side or a seam gets up to two corners for each open piece that it meets, and two of its own.
    size_t n = 4 * (size_t)w->corner_count + 4 * ((size_t)w->piece_count + (size_t)w->open_count) + 8;
    cut_loops cuts;
    nav_status status = take_contours(out, w->arena, (size_t)w->loop_count, n + (size_t)most_splits(w));
    if (status == NAV_OK) status = take_cuts(&cuts, w->arena, (size_t)w->loop_count, n);
    for (int32_t from = 0, to; status == NAV_OK && from < w->loop_count; from = to) {
        for (to = from + 1; to < w->loop_count && w->loops[to].region == w->loops[from].region;) to++;
        status = write_region(w, &cuts, from, to, out);
    }
    return status;
}
