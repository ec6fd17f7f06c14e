// Improving cells: clusters of neighbouring cells are joined and cut again, along fewer portals where possible.
//
//      +---+-----+        +---------+       A cluster grows from one cell, neighbour by neighbour, as long as its
//      |  /  \   |        |         |       boundary is a plan that can be searched; then nav_plan_find_portals() finds
//      | /    \  |   ->   |----v----|       the least number of portals for it. Floor plans that are small enough were
//      v        v|        v        v|       cut that way from the beginning. This is for the large ones, and for those
//      +---------+        +---------+       that continue in another layer: cells of two layers may become one.
//
// Most clusters gain nothing, and come up again in the next round. The result of a try depends only on the cells that
// it looked at. So a try is kept with these cells, and not repeated while none of them has changed.
#include "core/polygon/cells/cells.h"

#include <assert.h>
#include <string.h>

enum { ROUNDS = 3, CLUSTER_CELLS = 16, MAX_FAILED = 32, TRY_HEAD = 4 };

// The edges around the cells of a cluster, in no order. Kept while it grows, so that a cell more is a matter of its own
// edges.
typedef struct boundary {
    int32_t edges; // -1: they are too many to be kept
    int32_t edge[PLAN_CORNERS];
    nav_point at[PLAN_CORNERS]; // where each begins
    uint64_t notches;           // bit an edge: that is a notch
} boundary;

typedef struct cluster {
    int32_t cell[CLUSTER_CELLS];  // faces
    int32_t inner[CLUSTER_CELLS]; // a half-edge of each
    int32_t cells;
    int32_t failed[MAX_FAILED]; // faces that did not fit
    int32_t failures;
    boundary around;
    plan shape; // of all its cells, when it is grown
} cluster;

typedef struct improving {
    half_edges *m;
    int32_t *inside; // per face: the newest cluster that it is in
    int32_t *walked; // per half-edge: the newest walk that came by
    int32_t *place;  // per half-edge around the cluster: which of boundary.edge[] it is
    int32_t clusters, walks;
    int32_t *changed; // per face: how many tries had been made when it was cut anew
    int32_t *try_of;  // per face: where its try is kept, -1: nowhere
    int32_t *tries;   // number, half-edge it began with, count of cells, of other faces, and their names; one by one
    int32_t kept, room, tried;
} improving;

static bool is_inside(improving *w, int32_t h)
{
    int32_t t = w->m->twin[h];
    return t >= 0 && w->inside[half_face(w->m, t)] == w->clusters;
}

// Does the cluster hold floor of several regions? Only then may its boundary cross itself.
static bool is_mixed(const half_edges *m, const cluster *c)
{
    for (int32_t k = 0; k < c->cells; k++)
        if (m->face_region[c->cell[k]] != m->face_region[c->cell[0]] || m->face_region[c->cell[k]] == 0) return true;
    return false;
}

// The boundary edge that follows the boundary edge h.
static int32_t next_on_boundary(improving *w, int32_t h)
{
    int32_t e = w->m->next[h];
    while (is_inside(w, e)) e = w->m->next[w->m->twin[e]];
    return e;
}

// Walks the boundary of the cells. False where it is no plan that can be searched.
static bool take_shape(improving *w, cluster *c)
{
    half_edges *m = w->m;
    nav_plan_begin(&c->shape);
    w->walks++;
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i];
        do {
            if (w->walked[h] != w->walks && !is_inside(w, h)) {
                int32_t e = h;
                do {
                    if (!nav_plan_add_corner(&c->shape, m, e, e == h)) return false;
                    w->walked[e] = w->walks;
                    e = next_on_boundary(w, e);
                } while (e != h);
            }
            h = m->next[h];
        } while (h != c->inner[i]);
    }
    // Floor of several layers may lie above itself: then only a ring that does not cross itself is surely a floor plan.
    bool mixed = is_mixed(m, c);
    return (!mixed || c->shape.loops == 1) && nav_plan_finish(&c->shape, m, mixed);
}

static void put_edge(improving *w, boundary *b, int32_t place, int32_t h, nav_point at, uint64_t notch)
{
    b->edge[place] = h;
    b->at[place] = at;
    b->notches = (b->notches & ~(UINT64_C(1) << place)) | notch << place;
    w->place[h] = place;
}

static void drop_edge(improving *w, boundary *b, int32_t h)
{
    int32_t last = --b->edges;
    put_edge(w, b, w->place[h], b->edge[last], b->at[last], b->notches >> last & 1);
    b->notches &= ~(UINT64_C(1) << last);
}

// Notes whether boundary edge h begins in a notch.
static void note_corner(improving *w, boundary *b, int32_t h)
{
    half_edges *m = w->m;
    int32_t e = m->prev[h];
    while (is_inside(w, e)) e = m->prev[m->twin[e]];
    bool notch = !plan_straight_or_less(half_at(m, e), half_at(m, h), half_at(m, m->next[h]));
    put_edge(w, b, w->place[h], h, half_at(m, h), notch);
}

// Notes it of the boundary edge that begins where the inner edge h ends, if there is one.
static void note_corner_after(improving *w, boundary *b, int32_t h)
{
    half_edges *m = w->m;
    int32_t first = m->next[h], e = first;
    while (is_inside(w, e)) {
        e = m->next[m->twin[e]];
        if (e == first) return;
    }
    note_corner(w, b, e);
}

// Takes the newest cell's edges into the boundary, and those that are inside now out of it. False where it is no plan
// that can be searched, as it has too many corners, two in one place, or too many notches: what take_shape() finds by
// walking around all cells.
static bool take_edges(improving *w, cluster *c)
{
    half_edges *m = w->m;
    boundary *b = &c->around;
    int32_t face = c->cell[c->cells - 1], first = c->inner[c->cells - 1], e = first, more = 0;
    do {
        if (!is_inside(w, e))
            more++;
        else if (half_face(m, m->twin[e]) != face)
            more--;
        e = m->next[e];
    } while (e != first);
    if (b->edges + more > PLAN_CORNERS) return false;
    do {
        if (is_inside(w, e) && half_face(m, m->twin[e]) != face) drop_edge(w, b, m->twin[e]);
        e = m->next[e];
    } while (e != first);
    do {
        if (!is_inside(w, e)) {
            nav_point at = half_at(m, e);
            if (nav_plan_has_corner(b->at, b->edges, at)) return false;
            put_edge(w, b, b->edges++, e, at, false);
        }
        e = m->next[e];
    } while (e != first);
    do {
        if (is_inside(w, e))
            note_corner_after(w, b, m->twin[e]);
        else
            note_corner(w, b, e);
        e = m->next[e];
    } while (e != first);
    return __builtin_popcountll(b->notches) <= PLAN_NOTCHES;
}

static void push_cell(improving *w, cluster *c, int32_t h)
{
    c->inner[c->cells] = h;
    c->cell[c->cells] = half_face(w->m, h);
    w->inside[c->cell[c->cells++]] = w->clusters;
}

// Adds the cell of half-edge h. False, and the cells are as they were, where the boundary would be too much.
static bool add_cell(improving *w, cluster *c, int32_t h)
{
    if (c->cells == CLUSTER_CELLS) return false;
    boundary before = c->around;
    bool kept = before.edges >= 0;
    push_cell(w, c, h);
    if ((!kept || take_edges(w, c)) && ((kept && !is_mixed(w->m, c)) || take_shape(w, c))) return true;
    w->inside[c->cell[--c->cells]] = 0;
    c->around = before;
    for (int32_t k = 0; k < before.edges; k++) w->place[before.edge[k]] = k;
    return false;
}

static bool has_failed(const cluster *c, int32_t face)
{
    for (int32_t k = 0; k < c->failures; k++)
        if (c->failed[k] == face) return true;
    return false;
}

// Grows it from the cell of half-edge `seed`, and its neighbours, as far as it goes.
static void grow_cluster(improving *w, cluster *c, int32_t seed)
{
    half_edges *m = w->m;
    w->clusters++;
    c->cells = c->failures = 0;
    c->around = (boundary){0};
    push_cell(w, c, seed);
    if (!take_edges(w, c)) c->around.edges = -1;
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i];
        do {
            int32_t t = m->twin[h], face = t >= 0 ? half_face(m, t) : -1;
            bool fits = t >= 0 && w->inside[face] != w->clusters && m->face_area[face] == m->face_area[c->cell[0]];
            if (fits && !has_failed(c, face) && !add_cell(w, c, t)) {
                c->failed[c->failures++] = face;
                if (c->failures == MAX_FAILED) return;
            }
            h = m->next[h];
        } while (h != c->inner[i]);
    }
}

// Takes all portals inside of the cluster away.
static void clear_cluster(improving *w, const cluster *c)
{
    half_edges *m = w->m;
    int32_t region = is_mixed(m, c) ? 0 : m->face_region[c->cell[0]];
    const plan *p = &c->shape;
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i], e = h;
        do {
            // A half-edge whose twin was released is looked up by the face it had.
            m->blocker[e] = is_inside(w, e) ? HALF_FREE : 0;
            e = m->next[e];
        } while (e != h);
    }
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i], e = h;
        do {
            int32_t next = m->next[e];
            if (m->blocker[e] == HALF_FREE) nav_half_release(m, e);
            e = next;
        } while (e != h);
        m->face_region[c->cell[i]] = region;
    }
    for (int32_t k = 0; k < p->count; k++)
        if (p->edge[k] != PLAN_STOP) {
            int32_t n = p->next[k];
            while (p->edge[n] == PLAN_STOP) n = p->next[n];
            half_follow(m, p->edge[k], p->edge[n]);
        }
}

// Keeps the try that made this cluster in vain.
static void keep_try(improving *w, const cluster *c)
{
    int32_t need = TRY_HEAD + c->cells + c->failures;
    if (w->room - w->kept < need) return;
    int32_t *to = w->tries + w->kept;
    to[0] = w->tried;
    to[1] = c->inner[0];
    to[2] = c->cells;
    to[3] = c->failures;
    memcpy(to + TRY_HEAD, c->cell, (size_t)c->cells * sizeof *to);
    memcpy(to + TRY_HEAD + c->cells, c->failed, (size_t)c->failures * sizeof *to);
    w->try_of[c->cell[0]] = w->kept;
    w->kept += need;
}

// Would a try that begins with this half-edge come to what it came to before? Then its cells have been seen this round.
static bool is_known(improving *w, int32_t seed, uint8_t *seen, uint8_t round)
{
    int32_t at = w->try_of[half_face(w->m, seed)];
    if (at < 0 || w->m->vert_count + PLAN_NOTCHES > w->m->vert_capacity) return false;
    const int32_t *kept = w->tries + at, *faces = kept + TRY_HEAD;
    if (kept[1] != seed) return false;
    for (int32_t k = 0; k < kept[2] + kept[3]; k++)
        if (w->changed[faces[k]] >= kept[0]) return false;
    for (int32_t k = 0; k < kept[2]; k++) seen[faces[k]] = round;
    return true;
}

static bool improve(improving *w, int32_t seed, uint8_t *seen, uint8_t round)
{
    half_edges *m = w->m;
    cluster c;
    portal portals[PLAN_PORTALS];
    if (is_known(w, seed, seen, round)) return false;
    w->tried++;
    grow_cluster(w, &c, seed);
    int32_t count = -1;
    if (c.cells > 1) {
        bool whole = take_shape(w, &c);
        assert(whole); // or a cell too many was taken
        if (whole) count = nav_plan_solve(m, &c.shape, c.cells + c.shape.loops - 2, portals);
    }
    if (count < 0) {
        for (int32_t i = 0; i < c.cells; i++) seen[c.cell[i]] = round;
        keep_try(w, &c);
        return false;
    }
    clear_cluster(w, &c);
    nav_plan_cut(m, &c.shape, portals, count, c.cell);
    for (int32_t i = 0; i < c.cells; i++) w->changed[c.cell[i]] = w->tried;
    return true;
}

void nav_cells_improve(half_edges *m, uint8_t *seen)
{
    // Of the triangulation's scratch, which is done: there are as many faces as half-edges, or fewer.
    improving w = {.m = m,
                   .inside = m->heap,
                   .walked = m->heap_at,
                   .place = m->watch_prev,
                   .changed = m->watch_first,
                   .try_of = m->watch_next,
                   .tries = m->near_next,
                   .room = m->capacity};
    size_t bytes = (size_t)m->capacity * sizeof(int32_t);
    memset(w.inside, 0, bytes);
    memset(w.walked, 0, bytes);
    memset(w.changed, 0, bytes);
    memset(w.try_of, 0xff, bytes);
    bool improved = true;
    for (int32_t round = 1; improved && round <= ROUNDS; round++) {
        improved = false;
        for (int32_t h = 0; h < m->count; h++) {
            if (m->twin[h] == HALF_FREE) continue;
            int32_t face = half_face(m, h);
            if (seen[face] >= round) continue;
            seen[face] = (uint8_t)round;
            improved |= improve(&w, h, seen, (uint8_t)round);
        }
    }
}
