// DESIGN. What of a cell is too near to a wall. From each wall a wave goes out, straight ahead over the portals that it
// meets, for the length of the radius; and from each vertex where the wall turns away from the ground, a round one
// between the two straight ones.
//
//     |   straight   | round /
//     |              |     /         What a wave covers of a cell is a piece: convex, and where it is round, cut by a
//     |              |   /           circle. Waves follow portals, so they never come to another floor, and behind
//     |______wall____|/              another wall there is nothing that its own wave does not cover.
//                    |\              .
//                    | \ round       Together the pieces of a cell are exactly what the agent cannot stand on.
//                    |   \           .
//
// They are made for a tile when a search comes to it, and kept with the finder until the tile or one within the radius
// changes.
#include "core/path/ground.h"
#include "core/path/wide.h"

#include <stdlib.h>
#include <string.h>

static bool add_front(nav_path_wide *w, uint32_t count, wide_front front)
{
    if (!PATH_GROW(w->fronts, w->front_room, count)) return false;
    w->fronts[count] = front;
    return true;
}

// --- Pieces ---

// What of an outline is on the left of a line, or on it.
static bool cut(nav_path_wide *w, uint32_t *which, uint32_t *count, wide_vec at, wide_vec d)
{
    const wide_vec *in = w->clip[*which];
    uint32_t n = *count, made = 0, to = 1 - *which;
    while (w->clip_room[to] < 2 * n + 2)
        if (!PATH_GROW(w->clip[to], w->clip_room[to], w->clip_room[to])) return false;
    wide_vec *out = w->clip[to];
    for (uint32_t i = 0; i < n; i++) {
        wide_vec a = in[i], b = in[i + 1 < n ? i + 1 : 0];
        double u = wide_cross(d, wide_from(at, a)), v = wide_cross(d, wide_from(at, b));
        if (u >= 0) out[made++] = a;
        if ((u > 0 && v < 0) || (u < 0 && v > 0)) out[made++] = wide_along(a, wide_from(a, b), u / (u - v));
    }
    *which = to;
    *count = made;
    return true;
}

static bool begin_outline(nav_path_wide *w, const path_tile *t, uint32_t cell, uint32_t *count)
{
    *count = t->first[cell + 1] - t->first[cell];
    while (w->clip_room[0] < *count)
        if (!PATH_GROW(w->clip[0], w->clip_room[0], w->clip_room[0])) return false;
    for (uint32_t i = 0; i < *count; i++) w->clip[0][i] = wide_of(path_corner(t, t->first[cell] + i));
    return true;
}

static bool add_knot(nav_path_wide *w, wide_vec at, bool arc)
{
    if (!PATH_GROW(w->knots, w->knot_room, w->knot_count)) return false;
    w->knots[w->knot_count++] = (wide_knot){at, arc};
    return true;
}

// What of an edge of the outline is within the piece's circle.
static bool add_rim_edge(nav_path_wide *w, const wide_piece *p, double reach, wide_vec a, wide_vec b)
{
    wide_vec met[2];
    bool a_within = wide_length(wide_from(p->at, a)) <= reach, b_within = wide_length(wide_from(p->at, b)) <= reach;
    int n = a_within && b_within ? 0 : nav_path_wide_crossings(a, b, p->at, reach, met);
    if (a_within == b_within ? !a_within && n < 2 : !n) return true;
    return add_knot(w, a_within ? a : met[0], false) && (b_within || add_knot(w, met[n - 1], true));
}

static bool add_rim(nav_path_wide *w, double reach, wide_piece *p)
{
    const wide_vec *o = w->outline + p->first;
    p->first_knot = w->knot_count;
    for (uint32_t i = 0; i < p->count; i++) {
        wide_vec a = o[i], b = o[i + 1 < p->count ? i + 1 : 0];
        if (p->round ? !add_rim_edge(w, p, reach, a, b) : !add_knot(w, a, false)) return false;
    }
    p->knot_count = w->knot_count - p->first_knot;
    if (p->knot_count < 2) {
        w->knot_count = p->first_knot;
        p->knot_count = 0;
    }
    const wide_knot *k = w->knots + p->first_knot;
    for (uint32_t i = 0; i < p->knot_count; i++) p->middle = wide_along(p->middle, k[i].at, 1.0 / p->knot_count);
    for (uint32_t i = 0; i < p->knot_count; i++) { // an arc is within the circle whose diameter is its chord
        wide_vec half = wide_from(k[i].at, k[i + 1 < p->knot_count ? i + 1 : 0].at);
        half = (wide_vec){half.x / 2, half.z / 2};
        p->extent = fmax(p->extent, wide_length(wide_from(p->middle, k[i].at)));
        if (k[i].arc)
            p->extent =
                fmax(p->extent, wide_length(half) + wide_length(wide_from(p->middle, wide_along(k[i].at, half, 1))));
    }
    p->extent += WIDE_CLOSE;
    return true;
}

// The piece with this outline, unless nothing is left of it.
static bool add_piece(nav_path_wide *w, double reach, uint32_t which, uint32_t count, wide_piece piece)
{
    const wide_vec *in = w->clip[which];
    uint32_t first = w->outline_count;
    piece.first = first;
    for (uint32_t i = 0; i < count; i++) {
        if (w->outline_count > first &&
            (wide_length(wide_from(w->outline[w->outline_count - 1], in[i])) < WIDE_CLOSE ||
             (i + 1 == count && wide_length(wide_from(w->outline[first], in[i])) < WIDE_CLOSE)))
            continue;
        if (!PATH_GROW(w->outline, w->outline_room, w->outline_count)) return false;
        w->outline[w->outline_count++] = in[i];
    }
    piece.count = w->outline_count - first;
    if (piece.count < 3) {
        w->outline_count = first;
        return true;
    }
    if (!PATH_GROW(w->pieces, w->piece_room, w->piece_count) || !add_rim(w, reach, &piece)) return false;
    w->pieces[w->piece_count++] = piece;
    return true;
}

// --- Straight waves ---

typedef struct wall {
    uint32_t tile, corner;
    wide_vec at, along, ahead; // unit vectors
    double length;
} wall;

static wall wall_of(const nav_path_set *set, uint32_t tile, uint32_t corner)
{
    const path_tile *t = set->tiles[tile];
    wide_vec a = wide_of(path_corner(t, corner)), b = wide_of(path_corner(t, path_next(t, corner)));
    wide_vec along = wide_unit(wide_from(a, b));
    return (wall){tile, corner, a, along, wide_right_of(along), wide_length(wide_from(a, b))};
}

// Where a wave leaves its cell by the edge at `corner`. False: it does not.
static bool leave_straight(const wide_search *s, const wall *o, const wide_front *f, uint32_t corner, wide_front *out)
{
    const path_tile *t = s->set->tiles[f->tile];
    wide_vec p = wide_from(o->at, wide_of(path_corner(t, corner))),
             q = wide_from(o->at, wide_of(path_corner(t, path_next(t, corner))));
    double from = wide_dot(q, o->along), to = wide_dot(p, o->along); // the cell is behind
    if (to - from < WIDE_CLOSE) return false;
    double at_from = wide_dot(q, o->ahead), slope = (wide_dot(p, o->ahead) - at_from) / (to - from);
    *out = (wide_front){.tile = f->tile, .from = fmax(f->from, from), .to = fmin(f->to, to)};
    double low = at_from + (out->from - from) * slope, high = at_from + (out->to - from) * slope;
    if (low >= s->radius && high >= s->radius) return false;
    if (low > s->radius) out->from = from + (s->radius - at_from) / slope;
    if (high > s->radius) out->to = from + (s->radius - at_from) / slope;
    return out->to - out->from > WIDE_CLOSE;
}

static bool add_straight(wide_search *s, const wall *o, const wide_front *f)
{
    nav_path_wide *w = s->w;
    uint32_t which = 0, count;
    double reach = s->radius - WIDE_SLACK;
    wide_vec from = wide_along(o->at, o->along, f->from), to = wide_along(o->at, o->along, f->to),
             top = wide_along(o->at, o->ahead, reach), behind = {-o->ahead.x, -o->ahead.z};
    if (!begin_outline(w, s->set->tiles[f->tile], f->cell, &count) || !cut(w, &which, &count, from, o->ahead) ||
        !cut(w, &which, &count, to, behind) || !cut(w, &which, &count, top, o->along))
        return false;
    return add_piece(w, s->radius - WIDE_SLACK, which, count,
                     (wide_piece){.cell = f->cell,
                                  .tile = o->tile,
                                  .corner = o->corner,
                                  .right = wide_along(from, o->ahead, s->radius),
                                  .left = wide_along(to, o->ahead, s->radius)});
}

static bool go_straight(wide_search *s, uint32_t target, const wall *o)
{
    nav_path_wide *w = s->w;
    uint32_t count = 0;
    const path_tile *t = s->set->tiles[o->tile];
    if (!add_front(w, count++,
                   (wide_front){.tile = o->tile, .cell = t->cell[o->corner], .entry = o->corner, .to = o->length}))
        return false;
    while (count) {
        wide_front f = w->fronts[--count], out;
        t = s->set->tiles[f.tile];
        if (f.tile == target && !add_straight(s, o, &f)) return false;
        for (uint32_t k = t->first[f.cell]; k < t->first[f.cell + 1]; k++) {
            if (k == f.entry || !leave_straight(s, o, &f, k, &out)) continue;
            out.entry = k;
            if (!wide_pass(s, &out.tile, &out.entry)) continue;
            out.cell = s->set->tiles[out.tile]->cell[out.entry];
            if (!add_front(w, count++, out)) return false;
        }
    }
    return true;
}

// --- Round waves ---

typedef struct peak {
    uint32_t tile, corner;    // the wall that ends there
    wide_vec at, right, left; // the whole sector
} peak;

static bool leave_round(const wide_search *s, const peak *o, const wide_front *f, uint32_t corner, wide_front *out)
{
    const path_tile *t = s->set->tiles[f->tile];
    wide_vec p = wide_from(o->at, wide_of(path_corner(t, corner))),
             q = wide_from(o->at, wide_of(path_corner(t, path_next(t, corner))));
    double twice = wide_cross(q, p); // of the triangle: above 0, as seen from within
    if (twice <= 0) return false;
    *out = (wide_front){.tile = f->tile, .right = f->right, .left = f->left};
    if (wide_cross(f->right, q) > 0) out->right = wide_unit(q);
    if (wide_cross(p, f->left) > 0) out->left = wide_unit(p);
    if (wide_cross(out->right, out->left) <= WIDE_NARROW) return false;
    // How far the part of the edge between the rays is away.
    wide_vec d = wide_from(q, p);
    double a = twice / wide_cross(out->right, d), b = twice / wide_cross(out->left, d); // along the rays
    wide_vec r = wide_along((wide_vec){0, 0}, out->right, a), l = wide_along((wide_vec){0, 0}, out->left, b);
    double u = -wide_dot(r, wide_from(r, l)) / wide_dot(wide_from(r, l), wide_from(r, l));
    return wide_length(wide_along(r, wide_from(r, l), fmin(fmax(u, 0), 1))) < s->radius;
}

static bool add_round(wide_search *s, const peak *o, const wide_front *f)
{
    nav_path_wide *w = s->w;
    uint32_t which = 0, count;
    wide_vec back = {-f->left.x, -f->left.z};
    if (!begin_outline(w, s->set->tiles[f->tile], f->cell, &count) || !cut(w, &which, &count, o->at, f->right) ||
        !cut(w, &which, &count, o->at, back))
        return false;
    return add_piece(w, s->radius - WIDE_SLACK, which, count,
                     (wide_piece){.cell = f->cell,
                                  .tile = o->tile,
                                  .corner = o->corner,
                                  .round = true,
                                  .at = o->at,
                                  .right = f->right,
                                  .left = f->left,
                                  .last_right = o->right,
                                  .last_left = o->left});
}

static bool go_round(wide_search *s, uint32_t target, const peak *o, wide_front first, uint32_t corner)
{
    nav_path_wide *w = s->w;
    uint32_t count = 0;
    if (!add_front(w, count++, first)) return false;
    while (count) {
        wide_front f = w->fronts[--count], out;
        const path_tile *t = s->set->tiles[f.tile];
        if (f.tile == target && !add_round(s, o, &f)) return false;
        for (uint32_t k = t->first[f.cell]; k < t->first[f.cell + 1]; k++) {
            if (corner != PATH_NONE ? k == corner || path_next(t, k) == corner : k == f.entry) continue;
            if (!leave_round(s, o, &f, k, &out)) continue;
            out.entry = k;
            if (!wide_pass(s, &out.tile, &out.entry)) continue;
            out.cell = s->set->tiles[out.tile]->cell[out.entry];
            if (!add_front(w, count++, out)) return false;
        }
        corner = PATH_NONE; // only the first cell is at the vertex
    }
    return true;
}

enum { MOST_CELLS = 4096 }; // around a vertex: more are none

// Around the vertex at which a wall ends, to the left: the cells that hang together there, up to the next wall.
static bool go_around(wide_search *s, uint32_t target, const wall *o)
{
    const nav_path_set *set = s->set;
    uint32_t tile = o->tile, corner = path_next(set->tiles[tile], o->corner), cells = 0;
    wide_vec at = wide_of(path_corner(set->tiles[tile], corner)), back = {-o->along.x, -o->along.z};
    double whole = 0, passed = 0;
    for (uint32_t around = tile, here = corner;; cells++) {
        const path_tile *t = set->tiles[around];
        whole += fabs(wide_angle(wide_from(at, wide_of(path_corner(t, path_before(t, here)))),
                                 wide_from(at, wide_of(path_corner(t, path_next(t, here))))));
        if (cells == MOST_CELLS || !wide_pass(s, &around, &here)) break;
        here = path_next(set->tiles[around], here);
    }
    if (whole <= M_PI + WIDE_NARROW) return true;
    // As far as the circle is outside of both straight pieces, which are narrower by the slack.
    double more = acos(1 - WIDE_SLACK / s->radius), from = M_PI / 2 - more, to = whole - M_PI / 2 + more;
    peak p = {o->tile, o->corner, at, wide_turned(back, from), wide_turned(back, to)};
    for (;;) {
        const path_tile *t = set->tiles[tile];
        double wide = fabs(wide_angle(wide_from(at, wide_of(path_corner(t, path_before(t, corner)))),
                                      wide_from(at, wide_of(path_corner(t, path_next(t, corner))))));
        double low = fmax(from, passed), high = fmin(to, passed + wide);
        if (high - low > WIDE_NARROW) {
            wide_front f = {.tile = tile,
                            .cell = t->cell[corner],
                            .entry = PATH_NONE,
                            .right = low == from ? p.right : wide_turned(back, low),
                            .left = high == to ? p.left : wide_turned(back, high)};
            if (!go_round(s, target, &p, f, corner)) return false;
        }
        passed += wide;
        uint32_t edge = corner;
        if (passed >= to || !wide_pass(s, &tile, &edge)) return true;
        corner = path_next(set->tiles[tile], edge);
    }
}

// --- A tile ---

// The square of a tile, with the radius around it.
typedef struct square {
    double low_x, low_z, high_x, high_z;
} square;

static double tile_side(const nav_path_set *set)
{
    return (double)set->grid.tile_cells * NAV_PATH_FINE;
}

static square around(const wide_search *s, const path_tile *t)
{
    double side = tile_side(s->set), x = (double)((int64_t)t->x - s->set->base_x) * side,
           z = (double)((int64_t)t->z - s->set->base_z) * side, r = s->radius;
    return (square){x - r, z - r, x + side + r, z + side + r};
}

static bool add_walls(wide_search *s, uint32_t target, const square *within, uint32_t tile)
{
    const path_tile *t = s->set->tiles[tile];
    for (uint32_t k = 0; k < t->corner_count; k++) {
        uint32_t behind = tile, edge = k;
        if ((t->twin[k] >= 0 && !s->rules) || wide_pass(s, &behind, &edge) || !wide_is_ground(s, tile, t->cell[k]))
            continue;
        path_spot a = path_corner(t, k), b = path_corner(t, path_next(t, k));
        if (fmax(a.x, b.x) < within->low_x || fmin(a.x, b.x) > within->high_x || fmax(a.z, b.z) < within->low_z ||
            fmin(a.z, b.z) > within->high_z)
            continue;
        wall o = wall_of(s->set, tile, k);
        if (!go_straight(s, target, &o) || !go_around(s, target, &o)) return false;
    }
    return true;
}

// The pieces that were made, by cell.
static wide_tile *sorted(const nav_path_wide *w, const path_tile *of)
{
    uint32_t cells = of->cell_count;
    const path_array arrays[] = {
        {offsetof(wide_tile, first), (size_t)cells + 1, sizeof(uint32_t)},
        {offsetof(wide_tile, pieces), w->piece_count, sizeof(wide_piece)},
        {offsetof(wide_tile, outline), w->outline_count, sizeof(wide_vec)},
        {offsetof(wide_tile, knots), w->knot_count, sizeof(wide_knot)},
        {offsetof(wide_tile, reached), cells, sizeof(uint32_t)},
        {offsetof(wide_tile, open), of->corner_count, 1},
    };
    size_t bytes;
    wide_tile *t = nav_path_take(NULL, sizeof *t, arrays, sizeof arrays / sizeof *arrays, &bytes);
    if (!t) return NULL;
    t->bytes = bytes;
    if (w->outline_count) memcpy(t->outline, w->outline, w->outline_count * sizeof *t->outline);
    if (w->knot_count) memcpy(t->knots, w->knots, w->knot_count * sizeof *t->knots);
    for (uint32_t i = 0; i < w->piece_count; i++) t->first[w->pieces[i].cell]++;
    for (uint32_t c = 0, sum = 0; c <= cells; c++) t->first[c] = sum += t->first[c];
    for (uint32_t i = w->piece_count; i-- > 0;) t->pieces[--t->first[w->pieces[i].cell]] = w->pieces[i];
    return t;
}

// The lowest tile some places away. PATH_NONE: there is none.
static uint32_t find_beside(const nav_path_set *set, const path_tile *t, int32_t by_x, int32_t by_z)
{
    int64_t x = (int64_t)t->x + by_x, z = (int64_t)t->z + by_z;
    bool exists = x >= INT32_MIN && x <= INT32_MAX && z >= INT32_MIN && z <= INT32_MAX;
    return exists ? nav_path_set_find(set, (int32_t)x, (int32_t)z) : PATH_NONE;
}

// Names the tiles that are within the radius of a tile, and their states.
static uint64_t key_of(const wide_search *s, const path_tile *t, int32_t reach)
{
    uint64_t key = 0x9E3779B97F4A7C15u;
    for (int32_t z = -reach; z <= reach; z++)
        for (int32_t x = -reach; x <= reach; x++) {
            uint32_t place = find_beside(s->set, t, x, z);
            for (; place != PATH_NONE; place = s->set->tiles[place]->above) {
                key = (key ^ s->set->tiles[place]->stamp ^ (uint64_t)place << 40) * 0xBF58476D1CE4E5B9u;
                key ^= key >> 29;
            }
            key = key * 0x94D049BB133111EBu + 1;
        }
    return key;
}

wide_tile *nav_path_wide_clear(wide_search *s, uint32_t tile)
{
    nav_path_wide *w = s->w;
    wide_kept *kept = s->kept;
    wide_tile *have = kept->tiles[tile];
    if (have && have->query == kept->query) return have;
    const path_tile *t = s->set->tiles[tile];
    int32_t reach = (int32_t)ceil(s->radius / tile_side(s->set));
    uint64_t key = key_of(s, t, reach);
    if (have && have->key == key) {
        have->query = kept->query;
        return have;
    }
    square within = around(s, t);
    w->piece_count = w->outline_count = w->knot_count = 0;
    for (int32_t z = -reach; z <= reach; z++)
        for (int32_t x = -reach; x <= reach; x++) {
            uint32_t place = find_beside(s->set, t, x, z);
            for (; place != PATH_NONE; place = s->set->tiles[place]->above)
                if (!add_walls(s, tile, &within, place)) return NULL;
        }
    wide_tile *made = sorted(w, t);
    if (!made) return NULL;
    if (have) kept->bytes -= have->bytes;
    free(have);
    made->key = key;
    made->query = kept->query;
    kept->tiles[tile] = made;
    kept->bytes += made->bytes;
    return made;
}
