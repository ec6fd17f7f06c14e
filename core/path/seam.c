// Where ground of one class of cost meets ground of another. To the cones the seam between them is a wall; a search
// ends at it as at a goal, and begins anew behind it.
//
//        ~~~~~~~~m~~~~~~~~   seam, cut in pieces of which each is searched by its middle m
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

bool nav_path_forget_seams(nav_path_finder *f)
{
    if (!f->weigh) f->weigh = calloc(1, sizeof *f->weigh);
    path_weigh *w = f->weigh;
    if (!w) return false;
    w->seam_count = w->piece_count = w->arrival_count = w->slot_count = 0;
    if (++w->query) return true;
    for (uint32_t i = 0; i < w->slot_room; i++) w->slots[i].query = 0; // old stamps could come again
    w->query = 1;
    return true;
}

static path_seam_slot *find_slot(path_weigh *w, uint64_t key)
{
    uint32_t i = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & (w->slot_room - 1);
    while (w->slots[i].query == w->query && w->slots[i].key != key) i = (i + 1) & (w->slot_room - 1);
    return &w->slots[i];
}

static bool reserve_slots(path_weigh *w)
{
    if (2 * (w->slot_count + 2) <= w->slot_room) return true;
    uint32_t before = w->slot_room, room = before ? 2 * before : 256;
    path_seam_slot *old = w->slots, *slots = room > before ? calloc(room, sizeof *slots) : NULL;
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
    return (p->t1 - p->t0) / 2 * w->seams[p->seam].length;
}

static void place_piece(const nav_path_set *set, const path_seam *seam, path_piece *p)
{
    double t = (p->t0 + p->t1) / 2, x = seam->begin.x + t * seam->dx, z = seam->begin.z + t * seam->dz;
    for (int side = 0; side < 2; side++) {
        const path_tile *tile = set->tiles[seam->tile[side]];
        p->at[side] = nav_path_grid_point(tile, tile->cell[seam->corner[side]], x, z);
        p->off[side] = hypot(p->at[side].x - x, p->at[side].z - z);
    }
}

static uint32_t add_piece(path_search *s, uint32_t seam, double t0, double t1)
{
    path_weigh *w = s->f->weigh;
    if (!PATH_GROW(w->pieces, w->piece_room, w->piece_count)) {
        s->out_of_memory = true;
        return PATH_NONE;
    }
    path_piece *p = &w->pieces[w->piece_count];
    *p = (path_piece){.seam = seam, .next = w->seams[seam].first, .t0 = t0, .t1 = t1};
    place_piece(s->set, &w->seams[seam], p);
    w->seams[seam].first = w->piece_count;
    return w->piece_count++;
}

bool nav_path_cut(path_search *s, uint32_t piece, double t)
{
    path_weigh *w = s->f->weigh;
    path_piece *p = &w->pieces[piece];
    double t0 = p->t0, t1 = p->t1, part = (t1 - t0) / 6;
    uint32_t seam = p->seam;
    if (2 * half_of(w, p) < LEAST_PIECE) return false;
    double low = t - part > t0 + part / 4 ? t - part : t0, high = t + part < t1 - part / 4 ? t + part : t1;
    p->t0 = low;
    p->t1 = high;
    place_piece(s->set, &w->seams[seam], p);
    if (low > t0 && add_piece(s, seam, t0, low) == PATH_NONE) return false;
    return high == t1 || add_piece(s, seam, high, t1) != PATH_NONE;
}

// The seam of an edge with ground behind it. PATH_NONE: no memory.
static uint32_t find_seam(path_search *s, uint32_t tile, uint32_t corner, uint32_t *side)
{
    path_weigh *w = s->f->weigh;
    uint64_t key = (uint64_t)tile << 32 | corner;
    if (!reserve_slots(w) || !PATH_GROW(w->seams, w->seam_room, w->seam_count)) {
        s->out_of_memory = true;
        return PATH_NONE;
    }
    path_seam_slot *slot = find_slot(w, key);
    if (slot->query == w->query) {
        *side = slot->side;
        return slot->seam;
    }
    uint32_t other_tile = tile, other = corner, at = w->seam_count;
    (void)path_cross(s->set, &other_tile, &other);
    const path_tile *t = s->set->tiles[tile];
    path_spot a = path_corner(t, corner), b = path_corner(t, path_next(t, corner));
    bool first = a.x < b.x || (a.x == b.x && a.z < b.z); // whatever the order in which the tiles came
    path_seam seam = {.tile = {first ? tile : other_tile, first ? other_tile : tile},
                      .corner = {first ? corner : other, first ? other : corner},
                      .begin = first ? a : b,
                      .dx = first ? (double)b.x - a.x : (double)a.x - b.x,
                      .dz = first ? (double)b.z - a.z : (double)a.z - b.z,
                      .length = path_distance(a, b),
                      .first = PATH_NONE};
    w->seams[w->seam_count++] = seam;
    *side = !first;
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t k_key = (uint64_t)seam.tile[k] << 32 | seam.corner[k];
        *find_slot(w, k_key) = (path_seam_slot){k_key, at, k, w->query};
        w->slot_count++;
    }
    return add_piece(s, at, 0, 1) == PATH_NONE ? PATH_NONE : at;
}

// Along a seam: how fast the cost of the straight line between two places grows where it ends at `to`.
static double slope_at(const path_seam *seam, double weight, path_spot from, path_spot to)
{
    double x = (double)to.x - from.x, z = (double)to.z - from.z, d = sqrt(x * x + z * z);
    return d > 0 ? weight * (x * seam->dx + z * seam->dz) / (d * seam->length) : 0;
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
    double half = half_of(w, p), lack = fabs(a->slope + slope_at(&w->seams[p->seam], weight, to, t->at));
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
    const path_seam *seam = &w->seams[p->seam];
    double half = half_of(w, p);
    double lack = fmax(fabs(in->slope + slope_at(seam, weight, left, t->at)),
                       fabs(in->slope + slope_at(seam, weight, right, t->at)));
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

// Keeps an arrival, as far as others do not cover it. False: they do.
static bool keep(path_search *s, path_arrival *a, double half)
{
    path_weigh *w = s->f->weigh;
    path_piece *p = &w->pieces[a->piece];
    uint32_t *list = p->arrivals[a->side], *count = &p->count[a->side], kept = 0;
    if (p->search != s->f->search) {
        p->search = s->f->search;
        p->count[0] = p->count[1] = 0;
    }
    for (uint32_t i = 0; i < *count; i++)
        if (covers(&w->arrivals[list[i]], a, half)) return false;
    if (*count == PATH_ARRIVALS) { // one for all: as if all of the piece cost the least
        for (uint32_t i = 0; i < *count; i++) a->low = fmin(a->low, w->arrivals[list[i]].low);
        a->g = a->low;
        a->slope = 0;
    }
    for (uint32_t i = 0; i < *count; i++) {
        const path_arrival *old = &w->arrivals[list[i]];
        if (covers(a, old, half))
            s->f->turns[old->turn].outdated = true;
        else
            list[kept++] = list[i];
    }
    list[kept++] = w->arrival_count;
    *count = kept;
    return true;
}

// May the best path cross a seam again? Between two of its crossings it went over ground that is cheaper than that on
// both sides of the seam, else it would have kept to the seam, on its cheaper side: from there it may cross at once.
static bool may_cross(const path_search *s, uint32_t from, uint32_t seam, uint8_t class)
{
    const path_weigh *w = s->f->weigh;
    const path_turn *first = &s->f->turns[from];
    double own = s->rules->weight[first->class], behind = s->rules->weight[class], least = INFINITY;
    for (const path_turn *t = first; least >= fmin(own, behind); t = &s->f->turns[t->parent]) {
        if (t->kind == PATH_CROSS && w->pieces[w->arrivals[t->corner].piece].seam == seam)
            return t == first && own < behind;
        least = fmin(least, s->rules->weight[t->class]);
        if (t->parent == PATH_NONE || t->kind == PATH_JUMP) return true;
    }
    return true;
}

static void try_cross(path_search *s, uint32_t from, uint32_t piece, uint32_t side, uint8_t class)
{
    path_weigh *w = s->f->weigh;
    const path_piece *p = &w->pieces[piece];
    const path_seam *seam = &w->seams[p->seam];
    const path_turn *t = &s->f->turns[from];
    if ((t->kind == PATH_CROSS && w->arrivals[t->corner].piece == piece) || !may_cross(s, from, p->seam, class)) return;
    double weight = s->rules->weight[t->class], half = half_of(w, p), least = s->rules->least;
    double lost = weight * p->off[side] + s->rules->weight[class] * p->off[!side];
    path_arrival a = {.piece = piece, .side = (uint8_t)side, .slope = slope_at(seam, weight, t->at, p->at[side])};
    path_spot at = p->at[!side];
    line_cost(s, from, p->at[side], half, &a.g, &a.low);
    a.g -= lost;
    double before = t->kind == PATH_CROSS ? w->arrivals[t->corner].low : t->g; // it never costs less than that
    a.low = fmax(before, fmax(a.low - lost, a.g - half * fabs(a.slope)));
    if (a.low >= a.g + half * fabs(a.slope)) {
        a.g = a.low;
        a.slope = 0;
    }
    double d = path_distance(at, s->goal);
    double lack = d > 0 ? fabs(a.slope + slope_at(seam, least, s->goal, at)) : fabs(a.slope) + least;
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
                        .tile = seam->tile[!side],
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

void nav_path_look_for_seams(path_search *s, uint32_t from, uint32_t tile, uint32_t cell, const path_cone *cone)
{
    const path_tile *t = s->set->tiles[tile];
    uint8_t own = s->f->turns[from].class;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        uint32_t other_tile = tile, other = k, side;
        if (!path_cross(s->set, &other_tile, &other)) continue;
        const path_tile *n = s->set->tiles[other_tile];
        uint8_t class = s->rules->class_of[n->area[n->cell[other]]];
        if (class == own || class == PATH_CLOSED) continue;
        uint32_t seam = find_seam(s, tile, k, &side);
        if (seam == PATH_NONE) return;
        for (uint32_t p = s->f->weigh->seams[seam].first; p != PATH_NONE; p = s->f->weigh->pieces[p].next) {
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
    const path_seam *seam = &w->seams[w->pieces[a->piece].seam];
    const path_tile *tile = s->set->tiles[seam->tile[!a->side]];
    return (path_place){seam->tile[!a->side], tile->cell[seam->corner[!a->side]], t->at, 0};
}

path_spot nav_path_crossing_end(const path_search *s, const path_turn *t)
{
    const path_arrival *a = &s->f->weigh->arrivals[t->corner];
    return s->f->weigh->pieces[a->piece].at[a->side];
}
