// Where ground of one class of cost meets ground of another. To the cones the verge between them is a wall; a search
// ends at it as at a goal, and begins anew behind it.
//
//        ~~~~~~~~m~~~~~~~~   verge, cut in pieces of which each is searched by its middle m
//        |<-  piece  ->|
//
// A path may cross a piece anywhere. What that can save is bounded: the cost of a way, as a function of where it
// crosses each of its pieces, is convex (lengths are, as long as the way passes the same obstacles on the same sides),
// so it lies above its tangent. With all crossings in the middle the tangent's slope along a piece is what Snell's law
// of refraction lacks there: the slope of the cost up to the piece and the slope behind it. So a way through the
// middles, less half a piece times that sum for each of its pieces, costs no more than any path along the same pieces.
// And no way costs less than the least up to the piece before, and the straight distance of both pieces.
#include "core/path/weigh.h"

#include <stdlib.h>

enum { LEAST_PIECE = 4 }; // points of the grid

bool nav_path_forget_verges(nav_path_finder *f)
{
    if (!f->weigh) f->weigh = calloc(1, sizeof *f->weigh);
    path_weigh *w = f->weigh;
    if (!w) return false;
    w->verge_count = w->piece_count = w->arrival_count = w->slot_count = 0;
    if (++w->query) return true;
    for (uint32_t i = 0; i < w->slot_room; i++) w->slots[i].query = 0; // old stamps could come again
    w->query = 1;
    return true;
}

static path_verge_slot *find_slot(path_weigh *w, uint64_t key)
{
    uint32_t i = path_slot_of(key, w->slot_room);
    while (w->slots[i].query == w->query && w->slots[i].key != key) i = (i + 1) & (w->slot_room - 1);
    return &w->slots[i];
}

static bool reserve_slots(path_weigh *w)
{
    if (2 * (w->slot_count + 2) <= w->slot_room) return true;
    uint32_t before = w->slot_room, room = before ? 2 * before : 256;
    path_verge_slot *old = w->slots, *slots = room > before ? calloc(room, sizeof *slots) : NULL;
    if (!slots) return false;
    w->slots = slots;
    w->slot_room = room;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].query == w->query) *find_slot(w, old[i].key) = old[i];
    free(old);
    return true;
}

static double half_of(const path_weigh *w, const path_piece *p)
{
    return (p->t1 - p->t0) / 2 * w->verges[p->verge].length;
}

// How far a way may cross a piece from its middle. One that hurries takes the middle.
static double reach_of(const path_search *s, const path_piece *p)
{
    return s->hurries ? 0 : half_of(s->f->weigh, p);
}

static void place_piece(const nav_path_set *set, const path_verge *verge, path_piece *p)
{
    double t = (p->t0 + p->t1) / 2, x = verge->begin.x + t * verge->dx, z = verge->begin.z + t * verge->dz;
    for (int side = 0; side < 2; side++) {
        const path_tile *tile = set->tiles[verge->tile[side]];
        p->at[side] = nav_path_grid_point(tile, tile->cell[verge->corner[side]], x, z);
        p->off[side] = hypot(p->at[side].x - x, p->at[side].z - z);
    }
}

static uint32_t add_piece(path_search *s, uint32_t verge, double t0, double t1)
{
    path_weigh *w = s->f->weigh;
    if (!PATH_GROW(w->pieces, w->piece_room, w->piece_count)) {
        s->out_of_memory = true;
        return PATH_NONE;
    }
    path_piece *p = &w->pieces[w->piece_count];
    *p = (path_piece){.verge = verge, .next = w->verges[verge].first, .t0 = t0, .t1 = t1};
    place_piece(s->set, &w->verges[verge], p);
    w->verges[verge].first = w->piece_count;
    return w->piece_count++;
}

bool nav_path_cut(path_search *s, uint32_t piece, double t)
{
    path_weigh *w = s->f->weigh;
    path_piece *p = &w->pieces[piece];
    double t0 = p->t0, t1 = p->t1, part = (t1 - t0) / 6;
    uint32_t verge = p->verge;
    if (2 * half_of(w, p) < LEAST_PIECE) return false;
    double low = t - part > t0 + part / 4 ? t - part : t0, high = t + part < t1 - part / 4 ? t + part : t1;
    p->t0 = low;
    p->t1 = high;
    place_piece(s->set, &w->verges[verge], p);
    if (low > t0 && add_piece(s, verge, t0, low) == PATH_NONE) return false;
    return high == t1 || add_piece(s, verge, high, t1) != PATH_NONE;
}

static double weight_at(const path_search *s, uint32_t tile, uint32_t corner)
{
    const path_tile *t = s->set->tiles[tile];
    return s->rules->weight[s->rules->class_of[t->area[t->cell[corner]]]];
}

// The verge of an edge with ground behind it. PATH_NONE: no memory.
static uint32_t find_verge(path_search *s, uint32_t tile, uint32_t corner, uint32_t *side)
{
    path_weigh *w = s->f->weigh;
    uint64_t key = (uint64_t)tile << 32 | corner;
    if (!reserve_slots(w) || !PATH_GROW(w->verges, w->verge_room, w->verge_count)) {
        s->out_of_memory = true;
        return PATH_NONE;
    }
    path_verge_slot *slot = find_slot(w, key);
    if (slot->query == w->query) {
        *side = slot->side;
        return slot->verge;
    }
    uint32_t other_tile = tile, other = corner, at = w->verge_count;
    (void)path_cross(s->set, &other_tile, &other);
    const path_tile *t = s->set->tiles[tile];
    path_spot a = path_corner(t, corner), b = path_corner(t, path_next(t, corner));
    bool first = a.x < b.x || (a.x == b.x && a.z < b.z); // whatever the order in which the tiles came
    path_verge verge = {.tile = {first ? tile : other_tile, first ? other_tile : tile},
                        .corner = {first ? corner : other, first ? other : corner},
                        .begin = first ? a : b,
                        .dx = first ? (double)b.x - a.x : (double)a.x - b.x,
                        .dz = first ? (double)b.z - a.z : (double)a.z - b.z,
                        .length = path_distance(a, b),
                        .least = fmin(weight_at(s, tile, corner), weight_at(s, other_tile, other)),
                        .first = PATH_NONE};
    w->verges[w->verge_count++] = verge;
    *side = !first;
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t k_key = (uint64_t)verge.tile[k] << 32 | verge.corner[k];
        *find_slot(w, k_key) = (path_verge_slot){k_key, at, k, w->query};
        w->slot_count++;
    }
    return add_piece(s, at, 0, 1) == PATH_NONE ? PATH_NONE : at;
}

// Along a verge: how fast the cost of the straight line between two places grows where it ends at `to`.
static double slope_at(const path_verge *verge, double weight, path_spot from, path_spot to)
{
    double x = (double)to.x - from.x, z = (double)to.z - from.z, d = sqrt(x * x + z * z);
    return d > 0 ? weight * (x * verge->dx + z * verge->dz) / (d * verge->length) : 0;
}

// What a straight line from a turn costs at least: g + slope times where it ends, and low. margin: how far from `to` it
// may end.
static void line_cost(const path_search *s, uint32_t from, path_spot to, double margin, double *g, double *low)
{
    const path_turn *t = &s->f->turns[from];
    double weight = s->rules->weight[t->class], d = path_distance(t->at, to);
    if (t->kind != PATH_CROSS) {
        *g = t->g + weight * d;
        *low = t->g + weight * fmax(0, d - margin);
        return;
    }
    const path_weigh *w = s->f->weigh;
    const path_arrival *a = &w->arrivals[t->corner];
    const path_piece *p = &w->pieces[a->piece];
    double half = reach_of(s, p), lack = fabs(a->slope + slope_at(&w->verges[p->verge], weight, to, t->at));
    if (d == 0) lack = fmax(0, fabs(a->slope) - weight);
    *g = t->g + weight * d - half * lack;
    *low = a->low + weight * fmax(0, d - half - margin);
}

double nav_path_weighed_cost(const path_search *s, uint32_t from, path_spot to)
{
    double g, low;
    line_cost(s, from, to, 0, &g, &low);
    return fmax(g, low);
}

double nav_path_weighed_base(const path_search *s, uint32_t from, path_spot a, path_spot b, path_spot left,
                             path_spot right)
{
    const path_turn *t = &s->f->turns[from];
    double weight = s->rules->weight[t->class], least = s->rules->least;
    double x = (double)b.x - a.x, z = (double)b.z - a.z, px = (double)t->at.x - a.x, pz = (double)t->at.z - a.z;
    double u = fmin(fmax((px * x + pz * z) / (x * x + z * z), 0), 1);
    double d = hypot(px - u * x, pz - u * z), more = weight - least;
    if (t->kind != PATH_CROSS) return t->g + more * d;
    const path_weigh *w = s->f->weigh;
    const path_arrival *in = &w->arrivals[t->corner];
    const path_piece *p = &w->pieces[in->piece];
    const path_verge *verge = &w->verges[p->verge];
    double half = reach_of(s, p);
    double lack = fmax(fabs(in->slope + slope_at(verge, weight, left, t->at)),
                       fabs(in->slope + slope_at(verge, weight, right, t->at)));
    return fmax(t->g - half * lack + more * d, in->low - least * half + more * fmax(0, d - half));
}

static double cost_at(const path_arrival *a, double x)
{
    return fmax(a->g + a->slope * x, a->low);
}

// Is there no place of the piece where the second one costs less? The difference is concave on each side of where the
// second one leaves its least.
static bool covers(const path_arrival *a, const path_arrival *b, double half)
{
    if (b->low < a->low || cost_at(a, -half) > cost_at(b, -half) || cost_at(a, half) > cost_at(b, half)) return false;
    double x = b->slope != 0 ? (b->low - b->g) / b->slope : half;
    return fabs(x) >= half || cost_at(a, x) <= b->low;
}

// Up to a turn, without a corner in between: was a verge crossed, and since then no ground that is cheaper than that on
// both of its sides? Then the best path does not cross it again: it would have kept to the verge, on its cheaper side.
static bool keeps_to(const path_search *s, uint32_t from, uint32_t verge)
{
    const path_weigh *w = s->f->weigh;
    double least = INFINITY;
    for (const path_turn *t = &s->f->turns[from]; t->kind == PATH_CROSS; t = &s->f->turns[t->parent]) {
        const path_arrival *a = &w->arrivals[t->corner];
        least = fmin(least, s->rules->weight[t->class]);
        if (w->pieces[a->piece].verge == verge) return least >= w->verges[verge].least;
    }
    return false;
}

// What the second of two ways to a piece must not cross, must the first one not cross it either? One that hurries does
// not ask.
static bool is_as_free(const path_search *s, const path_arrival *a, const path_arrival *b)
{
    const path_weigh *w = s->f->weigh;
    double least = INFINITY;
    if (s->hurries) return true;
    for (const path_turn *t = &s->f->turns[a->from]; t->kind == PATH_CROSS; t = &s->f->turns[t->parent]) {
        const path_arrival *before = &w->arrivals[t->corner];
        uint32_t verge = w->pieces[before->piece].verge;
        least = fmin(least, s->rules->weight[t->class]);
        if (least >= w->verges[verge].least && !keeps_to(s, b->from, verge)) return false;
    }
    return true;
}

// Keeps an arrival, as far as others do not cover it. False: they do.
static bool keep(path_search *s, const path_arrival *a, double half)
{
    path_weigh *w = s->f->weigh;
    path_piece *p = &w->pieces[a->piece];
    uint32_t *list = p->arrivals[a->side], *count = &p->count[a->side], kept = 0;
    if (p->search != s->f->search) {
        p->search = s->f->search;
        p->count[0] = p->count[1] = 0;
    }
    for (uint32_t i = 0; i < *count; i++)
        if (covers(&w->arrivals[list[i]], a, half) && is_as_free(s, &w->arrivals[list[i]], a)) return false;
    for (uint32_t i = 0; i < *count; i++) {
        const path_arrival *old = &w->arrivals[list[i]];
        if (covers(a, old, half) && is_as_free(s, a, old))
            s->f->turns[old->turn].outdated = true;
        else
            list[kept++] = list[i];
    }
    if (kept < PATH_ARRIVALS) list[kept++] = w->arrival_count; // more of them cover nothing
    *count = kept;
    return true;
}

static void try_cross(path_search *s, uint32_t from, uint32_t piece, uint32_t side, uint8_t class)
{
    path_weigh *w = s->f->weigh;
    const path_piece *p = &w->pieces[piece];
    const path_verge *verge = &w->verges[p->verge];
    const path_turn *t = &s->f->turns[from];
    // Again at once: it has kept to the verge, on its cheaper side.
    const path_arrival *in = t->kind == PATH_CROSS ? &w->arrivals[t->corner] : NULL;
    bool again = in && w->pieces[in->piece].verge == p->verge;
    if (again ? s->rules->weight[t->class] >= s->rules->weight[class] : keeps_to(s, from, p->verge)) return;
    double weight = s->rules->weight[t->class], half = reach_of(s, p), least = s->rules->least;
    double lost = weight * p->off[side] + s->rules->weight[class] * p->off[!side];
    path_arrival a = {
        .piece = piece, .from = from, .side = (uint8_t)side, .slope = slope_at(verge, weight, t->at, p->at[side])};
    path_spot at = p->at[!side];
    line_cost(s, from, p->at[side], half, &a.g, &a.low);
    if (again && in->piece == piece) a.slope = fmin(fmax(in->slope, -weight), weight); // as line_cost() leaves it there
    a.g -= lost;
    double before = in ? in->low : t->g; // it never costs less than that
    a.low = fmax(before, fmax(a.low - lost, a.g - half * fabs(a.slope)));
    if (a.low >= a.g + half * fabs(a.slope)) {
        a.g = a.low;
        a.slope = 0;
    }
    double d = path_distance(at, s->goal);
    double lack = d > 0 ? fabs(a.slope + slope_at(verge, least, s->goal, at)) : fabs(a.slope) + least;
    double f = fmax(a.g + least * d - half * lack, a.low + least * fmax(0, d - half));
    if (f > s->best) return;
    if (!PATH_GROW(w->arrivals, w->arrival_room, w->arrival_count)) {
        s->out_of_memory = true;
        return;
    }
    if (!keep(s, &a, half)) return;
    path_turn *turn = nav_path_add_turn(s);
    if (!turn) return;
    a.turn = s->turn_count - 1;
    *turn = (path_turn){.parent = from,
                        .tile = verge->tile[!side],
                        .corner = w->arrival_count,
                        .kind = PATH_CROSS,
                        .class = class,
                        .at = at,
                        .before = at,
                        .g = a.g,
                        .f = f};
    w->arrivals[w->arrival_count++] = a;
    nav_path_push(s, f, s->turn_count - 1);
}

static bool is_wanted(const path_search *s, uint32_t piece, uint32_t side)
{
    const path_turn *t = &s->f->turns[s->wanted];
    const path_arrival *a = t->kind == PATH_CROSS ? &s->f->weigh->arrivals[t->corner] : NULL;
    return a && a->piece == piece && a->side == side;
}

void nav_path_look_for_verges(path_search *s, uint32_t from, uint32_t tile, uint32_t cell, const path_cone *cone)
{
    const path_tile *t = s->set->tiles[tile];
    uint8_t own = s->f->turns[from].class;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        uint32_t other_tile = tile, other = k, side;
        if (!path_cross(s->set, &other_tile, &other)) continue;
        const path_tile *n = s->set->tiles[other_tile];
        uint8_t class = s->rules->class_of[n->area[n->cell[other]]];
        if (class == own || class == PATH_CLOSED) continue;
        uint32_t verge = find_verge(s, tile, k, &side);
        if (verge == PATH_NONE) return;
        for (uint32_t p = s->f->weigh->verges[verge].first; p != PATH_NONE; p = s->f->weigh->pieces[p].next) {
            if (cone && !path_cone_has(s->f->turns[from].at, cone, s->f->weigh->pieces[p].at[side])) continue;
            if (s->tracing)
                s->traced |= is_wanted(s, p, side);
            else
                try_cross(s, from, p, side, class);
        }
    }
}

path_place nav_path_crossing(const path_search *s, const path_turn *t)
{
    const path_weigh *w = s->f->weigh;
    const path_arrival *a = &w->arrivals[t->corner];
    const path_verge *verge = &w->verges[w->pieces[a->piece].verge];
    const path_tile *tile = s->set->tiles[verge->tile[!a->side]];
    return (path_place){verge->tile[!a->side], tile->cell[verge->corner[!a->side]], t->at, 0};
}

path_spot nav_path_crossing_end(const path_search *s, const path_turn *t)
{
    const path_arrival *a = &s->f->weigh->arrivals[t->corner];
    return s->f->weigh->pieces[a->piece].at[a->side];
}
