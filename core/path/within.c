// All ground within a distance: the search of the shortest path without a goal, the nearest cone first.
//
// Each cone, and each corner that a way turns at, shows a piece of a cell: what its turn sees of it. All points of the
// piece are straight ahead of the turn, so those within the distance are the piece inside of a circle around it. The
// pieces of all cones together are the ground that one can get to; the first cone that comes into a cell has its
// nearest point.
#include "core/path/places_work.h"

#include <string.h>

enum { MOST_HALVINGS = 8 }; // of an arc
static const double ARC_M = 0.02;
static const double LEAST = 0.01; // parts of the grid: what is shorter is rounding

typedef struct spread {
    path_search s;
    path_scratch *p;
    const nav_path_set *set;
    const nav_path_within_query *q;
    double flat, limit, arc; // metres of the grid's parts; the others in parts
    uint32_t cell_count, ring_count, outline_count;
    uint64_t point_count; // floats
    uint32_t tile, cell;  // whose piece is written
    bool full;            // too many points
} spread;

static double length_of(double x, double z)
{
    return sqrt(x * x + z * z);
}

// --- Pieces ---

static bool add_point(path_point **to, uint32_t *room, uint32_t *count, path_point p)
{
    if (!PATH_GROW(*to, *room, *count)) return false;
    (*to)[(*count)++] = p;
    return true;
}

static bool take_cell(spread *w, uint32_t tile, uint32_t cell)
{
    const path_tile *t = w->set->tiles[tile];
    w->ring_count = 0;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        path_spot s = path_corner(t, k);
        if (!add_point(&w->p->ring, &w->p->ring_room, &w->ring_count, (path_point){s.x, s.z})) return false;
    }
    return true;
}

// Leaves what is on one side of the line from p through q: on the left of it where sign is 1, on the right where it is
// -1.
static bool cut(spread *w, path_spot p, path_spot q, double sign)
{
    path_scratch *scratch = w->p;
    double dx = (double)q.x - p.x, dz = (double)q.z - p.z;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->ring_count; i++) {
        path_point a = scratch->ring[i], b = scratch->ring[i + 1 < w->ring_count ? i + 1 : 0];
        double u = sign * (dx * (a.z - p.z) - dz * (a.x - p.x)), v = sign * (dx * (b.z - p.z) - dz * (b.x - p.x));
        if (u >= 0 && !add_point(&scratch->cut, &scratch->cut_room, &kept, a)) return false;
        if (!((u > 0 && v < 0) || (u < 0 && v > 0))) continue;
        double t = u / (u - v);
        path_point on = {a.x + t * (b.x - a.x), a.z + t * (b.z - a.z)};
        if (!add_point(&scratch->cut, &scratch->cut_room, &kept, on)) return false;
    }
    path_point *swap = scratch->ring;
    uint32_t room = scratch->ring_room;
    scratch->ring = scratch->cut;
    scratch->ring_room = scratch->cut_room;
    scratch->cut = swap;
    scratch->cut_room = room;
    w->ring_count = kept;
    return true;
}

// --- What is written ---

static bool write_point(spread *w, path_point p)
{
    path_scratch *scratch = w->p;
    uint64_t most = w->q->max_points ? w->q->max_points : UINT32_MAX / 3;
    w->full |= w->point_count / 3 >= most;
    if (w->full) return true;
    while (w->point_count + 3 > scratch->outline_room)
        if (!PATH_GROW(scratch->outline, scratch->outline_room, scratch->outline_room)) return false;
    nav_path_point_to_metres(w->set, p.x, p.z, nav_path_height(w->set, w->tile, w->cell, p.x, p.z),
                             &scratch->outline[w->point_count]);
    w->point_count += 3;
    return true;
}

// The arc around c from a to b, clockwise as cells run, without its ends: by halves, until chords are near enough.
static bool write_arc(spread *w, path_point c, double radius, path_point a, path_point b, int halvings)
{
    path_point u = {a.x - c.x, a.z - c.z}, v = {b.x - c.x, b.z - c.z}, m = {u.x + v.x, u.z + v.z};
    double length = length_of(m.x, m.z), turns = u.x * v.z - u.z * v.x;
    if (halvings == MOST_HALVINGS || length_of(u.x - v.x, u.z - v.z) < LEAST) return true;
    if (turns < 0 && radius - length / 2 <= w->arc) return true;
    if (length < radius * 1e-6) { // half a circle
        m = (path_point){u.z, -u.x};
        length = length_of(m.x, m.z);
    } else if (turns > 0) {
        m = (path_point){-m.x, -m.z};
    }
    path_point middle = {c.x + m.x / length * radius, c.z + m.z / length * radius};
    return write_arc(w, c, radius, a, middle, halvings + 1) && write_point(w, middle) &&
           write_arc(w, c, radius, middle, b, halvings + 1);
}

// What of the line from a to b is in the circle: from part t[0] to t[1] of it. False: nothing.
static bool in_circle(path_point a, path_point b, path_point c, double radius, double t[2])
{
    double dx = b.x - a.x, dz = b.z - a.z, ax = a.x - c.x, az = a.z - c.z;
    double length2 = dx * dx + dz * dz, half = ax * dx + az * dz, rest = ax * ax + az * az - radius * radius;
    double root = half * half - length2 * rest;
    if (!(length2 > 0) || root < 0) return false;
    t[0] = fmax((-half - sqrt(root)) / length2, 0);
    t[1] = fmin((-half + sqrt(root)) / length2, 1);
    return (t[1] - t[0]) * sqrt(length2) > LEAST;
}

static path_point along(path_point a, path_point b, double t)
{
    return t <= 0 ? a : t >= 1 ? b : (path_point){a.x + t * (b.x - a.x), a.z + t * (b.z - a.z)};
}

static bool is_inside(const path_point *ring, uint32_t n, path_point c)
{
    for (uint32_t i = 0; i < n; i++) {
        path_point a = ring[i], b = ring[i + 1 < n ? i + 1 : 0];
        if ((b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x) > 0) return false;
    }
    return n > 2;
}

static bool write_circle(spread *w, path_point c, double radius)
{
    path_point east = {c.x + radius, c.z}, west = {c.x - radius, c.z};
    return write_point(w, east) && write_arc(w, c, radius, east, west, 0) && write_point(w, west) &&
           write_arc(w, c, radius, west, east, 0);
}

// The piece, as far as it is in the circle around the turn.
static bool write_piece(spread *w, path_spot turn, double radius)
{
    path_scratch *p = w->p;
    path_point c = {turn.x, turn.z}, last = {0, 0}, first = {0, 0};
    uint64_t begin = w->point_count;
    bool any = false;
    if (w->ring_count < 3 || !(radius > 0)) return true;
    for (uint32_t i = 0; i < w->ring_count; i++) {
        path_point a = p->ring[i], b = p->ring[i + 1 < w->ring_count ? i + 1 : 0];
        double t[2];
        if (!in_circle(a, b, c, radius, t)) continue;
        path_point from = along(a, b, t[0]), to = along(a, b, t[1]);
        bool arc = t[0] > 0 && any;
        if (!any) first = from;
        if (arc && !write_arc(w, c, radius, last, from, 0)) return false;
        if ((!any || from.x != last.x || from.z != last.z) && !write_point(w, from)) return false;
        if (!write_point(w, to)) return false;
        last = to;
        any = true;
    }
    if (any && (first.x != last.x || first.z != last.z)) {
        if (!write_arc(w, c, radius, last, first, 0)) return false;
    } else if (any && !w->full) {
        w->point_count -= 3; // the last is the first
    }
    if (!any && is_inside(p->ring, w->ring_count, c) && !write_circle(w, c, radius)) return false;
    if (w->point_count - begin < 9) {
        w->point_count = begin;
        return true;
    }
    if (!PATH_GROW(p->outline_first, p->outline_first_room, w->outline_count + 1)) return false;
    p->outline_first[++w->outline_count] = (uint32_t)(w->point_count / 3);
    return true;
}

// --- Cells ---

// A turn at g sees a cell; the nearest point of what it sees is `nearest`. *pieces: what it sees may be written.
static bool reach_cell(spread *w, uint32_t tile, uint32_t cell, double distance, path_point nearest, bool *pieces)
{
    path_scratch *p = w->p;
    bool is_first;
    uint32_t *number = nav_path_scratch_see(p, tile, cell, &is_first);
    *pieces = false;
    if (!number) return false;
    if (!is_first) {
        *pieces = w->q->outlines && !p->cells[*number].whole;
        return true;
    }
    const path_tile *t = w->set->tiles[tile];
    double far = 0;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        path_spot s = path_corner(t, k);
        far = fmax(far, length_of(s.x - nearest.x, s.z - nearest.z));
    }
    *number = w->cell_count;
    if (!PATH_GROW(p->cells, p->cell_room, w->cell_count)) return false;
    bool whole = distance + far <= w->limit;
    p->cells[w->cell_count++] = (nav_path_within_cell){path_cell_name(t, cell), distance * w->flat, whole};
    *pieces = w->q->outlines && !whole;
    if (!w->q->outlines || !whole) return true;
    w->tile = tile;
    w->cell = cell;
    return take_cell(w, tile, cell) && write_piece(w, path_corner(t, t->first[cell]), INFINITY);
}

static bool reach_by_cone(spread *w, const path_cone *c)
{
    const path_tile *t = w->set->tiles[c->tile];
    const path_turn *turn = &w->s.f->turns[c->turn];
    uint32_t cell = t->cell[c->corner];
    path_spot p = turn->at, b = path_corner(t, c->corner), a = path_corner(t, path_next(t, c->corner));
    double nearest[2], d = turn->g + nav_path_nearest_seen(p, a, b, c->left, c->right, nearest), g = turn->g;
    bool pieces;
    if (!reach_cell(w, c->tile, cell, d, (path_point){nearest[0], nearest[1]}, &pieces)) return false;
    if (!pieces) return true;
    w->tile = c->tile;
    w->cell = cell;
    return take_cell(w, c->tile, cell) && cut(w, p, c->right, 1) && cut(w, p, c->left, -1) &&
           write_piece(w, p, w->limit - g);
}

// The cells around a corner, on the side that is turned to.
static bool reach_by_turn(spread *w, uint32_t at)
{
    const path_turn turn = w->s.f->turns[at];
    bool left = turn.kind == PATH_LEFT;
    uint32_t tile = turn.tile, corner = turn.corner;
    for (;;) {
        const path_tile *t = w->set->tiles[tile];
        uint32_t cell = t->cell[corner], edge = left ? corner : path_before(t, corner);
        bool pieces;
        if (!reach_cell(w, tile, cell, turn.g, (path_point){turn.at.x, turn.at.z}, &pieces)) return false;
        w->tile = tile;
        w->cell = cell;
        if (pieces && !(take_cell(w, tile, cell) && cut(w, turn.before, turn.at, left ? 1 : -1) &&
                        write_piece(w, turn.at, w->limit - turn.g)))
            return false;
        if (!path_cross_open(w->set, w->q->excluded, &tile, &edge)) return true;
        corner = left ? path_next(w->set->tiles[tile], edge) : edge;
    }
}

static bool reach_by_start(spread *w, const path_place *start)
{
    path_scratch *p = w->p;
    if (!nav_path_list_near(w->set, *start, &p->near, &p->near_room, 0, w->q->excluded, &p->near_count)) return false;
    for (uint32_t i = 0; i < p->near_count; i++) {
        path_place here = p->near[i];
        bool pieces;
        if (!reach_cell(w, here.tile, here.cell, 0, (path_point){start->at.x, start->at.z}, &pieces)) return false;
        w->tile = here.tile;
        w->cell = here.cell;
        if (pieces && !(take_cell(w, here.tile, here.cell) && write_piece(w, start->at, w->limit))) return false;
    }
    return true;
}

// --- The search ---

static bool expand(spread *w, const path_cone *c)
{
    if (!reach_by_cone(w, c)) return false;
    nav_path_expand_cone(&w->s, *c);
    return true;
}

static bool take_next(spread *w)
{
    path_search *s = &w->s;
    path_queued first = path_queue_pop(&s->f->queue);
    s->bound = first.f;
    if (first.what & PATH_LATER) {
        path_cone c = path_take_later(s, first.what);
        return s->f->turns[c.turn].outdated || expand(w, &c);
    }
    if (s->f->turns[first.what].outdated) return true;
    if (!reach_by_turn(w, first.what)) return false;
    nav_path_look_from(s, first.what);
    return true;
}

static nav_status run(spread *w, const path_place *start)
{
    path_search *s = &w->s;
    nav_path_finder *f = s->f;
    nav_path_forget(s);
    path_turn *first = nav_path_add_turn(s);
    if (!first) return s->out_of_memory ? NAV_ERR_MEMORY : NAV_OK;
    *first = (path_turn){.parent = PATH_NONE,
                         .tile = start->tile,
                         .corner = w->set->tiles[start->tile]->first[start->cell],
                         .kind = PATH_START,
                         .at = start->at,
                         .before = start->at,
                         .y = start->y};
    if (!reach_by_start(w, start)) return NAV_ERR_MEMORY;
    nav_path_begin(s, 0);
    for (uint32_t turn = 1; !s->full && !s->out_of_memory && !w->full; turn++) {
        if (turn % 256 == 0 && w->q->stop && w->q->stop(w->q->user)) s->full = true;
        bool went_well = true;
        if (s->cone_count) {
            path_cone c = f->cones[--s->cone_count];
            went_well = expand(w, &c);
        } else if (f->queue.count) {
            went_well = take_next(w);
        } else {
            break;
        }
        if (!went_well) return NAV_ERR_MEMORY;
    }
    return s->out_of_memory ? NAV_ERR_MEMORY : NAV_OK;
}

nav_status nav_path_within(nav_path_finder *f, const nav_path_set *set, const nav_path_within_query *q,
                           nav_path_withins *out)
{
    path_place start;
    path_fence fence;
    *out = (nav_path_withins){.status = NAV_PLACE_NO_START};
    if (!path_is_place(q->at, q->near_m) || !isfinite(q->distance_m) || q->distance_m < 0) return NAV_ERR_ARGUMENT;
    if (!nav_path_locate_open(set, q->at, q->near_m, q->excluded, &start)) return NAV_OK;
    nav_status s = nav_path_fence_make(set, q->excluded, q->stop, q->user, &fence);
    if (s != NAV_OK) return s;
    path_scratch *p = nav_path_scratch_begin(f);
    if (!p || !PATH_GROW(p->outline_first, p->outline_first_room, 0)) return NAV_ERR_MEMORY;
    p->outline_first[0] = 0;
    double flat = (double)set->grid.cell_size_m / NAV_PATH_FINE;
    spread w = {.s = {.f = f,
                      .set = set,
                      .q = &fence.query,
                      .rules = fence.rules.closes ? &fence.rules : NULL,
                      .max_nodes = q->max_nodes ? q->max_nodes : UINT32_MAX - 1,
                      .later_free = PATH_NONE,
                      .best = q->distance_m / flat,
                      .current = PATH_NONE,
                      .spreads = true},
                .p = p,
                .set = set,
                .q = q,
                .flat = flat,
                .limit = q->distance_m / flat,
                .arc = ARC_M / flat};
    s = run(&w, &start);
    out->nodes = w.s.node_count;
    if (s != NAV_OK) return s;
    out->status = w.s.full || w.full ? NAV_PLACE_LIMIT : NAV_PLACE_FOUND;
    if (out->status == NAV_PLACE_LIMIT) return NAV_OK;
    out->cells = p->cells;
    out->cell_count = w.cell_count;
    out->points = p->outline;
    out->first = p->outline_first;
    out->outline_count = w.outline_count;
    return NAV_OK;
}
