// Improving cells: groups of neighbouring cells are put together and cut anew, along fewer portals where that is
// possible.
//
//      +---+-----+        +---------+       A cluster is grown from one cell, neighbour by neighbour, as long as its
//      |  /  \   |        |         |       boundary is a plan that can be searched; then plan_find_portals() finds the
//      | /    \  |   ->   |----v----|       least number of portals for it. Floor plans that are small enough were cut
//      v        v|        v        v|       that way from the beginning; this is for the large ones, and for those that
//      +---------+        +---------+       are linked to others: cells of two layers may become one.
#include "core/polygon/cells.h"

enum { ROUNDS = 3, CLUSTER_CELLS = 16, MAX_FAILED = 32 };

typedef struct cluster {
    int32_t cell[CLUSTER_CELLS];  // faces
    int32_t inner[CLUSTER_CELLS]; // a half-edge of each
    int32_t cells;
    plan shape; // of all its cells
} cluster;

static bool is_inside(half_edges *m, const cluster *c, int32_t h)
{
    int32_t t = m->twin[h];
    if (t < 0) return false;
    int32_t face = half_face(m, t);
    for (int32_t i = 0; i < c->cells; i++)
        if (c->cell[i] == face) return true;
    return false;
}

// Does the cluster hold floor of several regions? Only then may its boundary cross itself.
static bool is_mixed(const half_edges *m, const cluster *c)
{
    for (int32_t k = 0; k < c->cells; k++)
        if (m->face_region[c->cell[k]] != m->face_region[c->cell[0]] || m->face_region[c->cell[k]] == 0) return true;
    return false;
}

// The boundary edge that follows the boundary edge h.
static int32_t next_on_boundary(half_edges *m, const cluster *c, int32_t h)
{
    int32_t e = m->next[h];
    while (is_inside(m, c, e)) e = m->next[m->twin[e]];
    return e;
}

// Walks the boundary of the cells. False where it is no plan that can be searched.
static bool take_shape(half_edges *m, cluster *c)
{
    int32_t walked[PLAN_CORNERS], n = 0;
    plan_begin(&c->shape);
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i];
        do {
            if (!is_inside(m, c, h)) {
                int32_t k = 0;
                while (k < n && walked[k] != h) k++;
                if (k == n) {
                    int32_t e = h;
                    do {
                        if (!plan_add_corner(&c->shape, m, e, e == h)) return false;
                        walked[n++] = e;
                        e = next_on_boundary(m, c, e);
                    } while (e != h);
                }
            }
            h = m->next[h];
        } while (h != c->inner[i]);
    }
    // Floor of several layers may lie above itself: then only a ring that does not cross itself is surely a floor plan.
    bool mixed = is_mixed(m, c);
    return (!mixed || c->shape.loops == 1) && plan_finish(&c->shape, m, mixed);
}

// Adds the cell behind half-edge h. False, and the cells are as they were, where the boundary would be too much.
static bool add_cell(half_edges *m, cluster *c, int32_t h)
{
    if (c->cells == CLUSTER_CELLS) return false;
    c->inner[c->cells] = m->twin[h];
    c->cell[c->cells++] = half_face(m, m->twin[h]);
    if (take_shape(m, c)) return true;
    c->cells--;
    return false;
}

static bool grow_cluster(half_edges *m, cluster *c, int32_t seed)
{
    int32_t failed[MAX_FAILED], failures = 0;
    c->cell[0] = half_face(m, seed);
    c->inner[0] = seed;
    c->cells = 1;
    bool whole = true; // c->shape is that of c->cell[]
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i];
        do {
            int32_t t = m->twin[h], face = t >= 0 ? half_face(m, t) : -1, k = 0;
            while (k < failures && failed[k] != face) k++;
            bool fits = t >= 0 && k == failures && m->face_area[face] == m->face_area[c->cell[0]];
            if (fits && !is_inside(m, c, h)) {
                whole = add_cell(m, c, h);
                if (!whole) failed[failures++] = face;
                if (failures == MAX_FAILED) return take_shape(m, c);
            }
            h = m->next[h];
        } while (h != c->inner[i]);
    }
    return whole || take_shape(m, c);
}

// Takes all portals inside of the cluster away.
static void clear_cluster(half_edges *m, const cluster *c)
{
    int32_t region = is_mixed(m, c) ? 0 : m->face_region[c->cell[0]];
    const plan *p = &c->shape;
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i], e = h;
        do {
            int32_t next = m->next[e];
            // A half-edge whose twin was released is looked up by the face it had.
            if (is_inside(m, c, e))
                m->blocker[e] = HALF_FREE;
            else
                m->blocker[e] = 0;
            e = next;
        } while (e != h);
    }
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i], e = h;
        do {
            int32_t next = m->next[e];
            if (m->blocker[e] == HALF_FREE) half_release(m, e);
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

static bool improve(half_edges *m, int32_t seed, uint8_t *seen, uint8_t round)
{
    cluster c;
    portal portals[PLAN_PORTALS];
    if (!grow_cluster(m, &c, seed) || c.cells < 2) return false;
    int32_t count = plan_solve(m, &c.shape, c.cells + c.shape.loops - 2, portals);
    if (count < 0) {
        for (int32_t i = 0; i < c.cells; i++) seen[c.cell[i]] = round;
        return false;
    }
    clear_cluster(m, &c);
    plan_cut(m, &c.shape, portals, count, c.cell);
    return true;
}

void cells_improve(half_edges *m, uint8_t *seen)
{
    bool improved = true;
    for (int32_t round = 1; improved && round <= ROUNDS; round++) {
        improved = false;
        for (int32_t h = 0; h < m->count; h++) {
            if (m->twin[h] == HALF_FREE) continue;
            int32_t face = half_face(m, h);
            if (seen[face] >= round) continue;
            seen[face] = (uint8_t)round;
            improved |= improve(m, h, seen, (uint8_t)round);
        }
    }
}
