// Improving cells: groups of neighbouring cells are put together and cut anew, along fewer portals where that is
// possible.
//
//      +---+-----+        +---------+       A cluster is grown from one cell, neighbour by neighbour, as long as its
//      |  /  \   |        |         |       boundary is one simple ring of few notches; then ring_find_portals() finds
//      | /    \  |   ->   |----v----|       the least number of portals for it. A floor plan without holes that is
//      small v        v|        v        v|       enough is one cluster, and its cells are the fewest there are.
//
// Cells of several layers may be in one cluster: then the border between the layers goes, too.
#include "core/polygon/decompose.h"
#include "core/polygon/half_edges.h"

#include <assert.h>

#include "core/polygon/cells.h"

#include <assert.h>

enum { ROUNDS = 3, CLUSTER_CELLS = 16, FAILED = 32, SCRATCH = RING_CORNERS + 256 };

typedef struct cluster {
    int32_t edge[RING_CORNERS]; // the ring's half-edges
    int32_t corners;
    int32_t cell[CLUSTER_CELLS];  // faces
    int32_t inner[CLUSTER_CELLS]; // a half-edge of each
    int32_t cells;
} cluster;

static bool holds_cell(const cluster *c, int32_t face)
{
    for (int32_t i = 0; i < c->cells; i++)
        if (c->cell[i] == face) return true;
    return false;
}

static bool begin_cluster(half_edges *m, cluster *c, int32_t h)
{
    c->cells = 1;
    c->cell[0] = half_face(m, h);
    c->inner[0] = h;
    c->corners = 0;
    if (m->face_size[c->cell[0]] > RING_CORNERS) return false;
    int32_t e = h;
    do {
        c->edge[c->corners++] = e;
        e = m->next[e];
    } while (e != h);
    return true;
}

// Does the cluster hold floor of several regions? Only then may its ring cross itself.
static bool is_mixed(const half_edges *m, const cluster *c)
{
    for (int32_t k = 0; k < c->cells; k++)
        if (m->face_region[c->cell[k]] != m->face_region[c->cell[0]] || m->face_region[c->cell[k]] == 0) return true;
    return false;
}

// Adds the cell behind the ring's edge at position `at`. False, and *c is as it was, where the ring would be too long,
// not simple, or have too many notches. shape: in any case that of the ring tried.
static bool add_cell(half_edges *m, cluster *c, int32_t at, ring *shape)
{
    int32_t t = m->twin[c->edge[at]], face = half_face(m, t), list[SCRATCH], n = 0, begin = 0;
    if (c->cells == CLUSTER_CELLS || m->face_size[face] > SCRATCH - RING_CORNERS) return false;
    // The ring from behind the edge around to before it, then the new cell's edges in its place. Where both run along
    // each other more than once in a row, the seam is longer.
    for (int32_t k = 1; k < c->corners; k++) list[n++] = c->edge[(at + k) % c->corners];
    for (int32_t e = m->next[t]; e != t; e = m->next[e]) {
        if (n > 0 && m->twin[e] == list[n - 1]) {
            n--;
        } else {
            list[n++] = e;
        }
    }
    while (n - begin > 2 && m->twin[list[n - 1]] == list[begin]) {
        begin++;
        n--;
    }
    if (n - begin > RING_CORNERS || n - begin < 3) return false;
    for (int32_t k = begin; k < n; k++) {
        int32_t back = m->twin[list[k]];
        if (back < 0) continue;
        int32_t behind = half_face(m, back);
        if (behind == face || holds_cell(c, behind)) return false; // the ring runs around a hole
    }
    cluster grown = {.corners = n - begin, .cells = c->cells + 1};
    for (int32_t k = begin; k < n; k++) grown.edge[k - begin] = list[k];
    for (int32_t k = 0; k < c->cells; k++) {
        grown.cell[k] = c->cell[k];
        grown.inner[k] = c->inner[k];
    }
    grown.cell[c->cells] = face;
    grown.inner[c->cells] = t;
    if (!ring_take(shape, m, grown.edge, grown.corners, is_mixed(m, &grown))) return false;
    *c = grown;
    return true;
}

static void grow_cluster(half_edges *m, cluster *c, ring *shape)
{
    int32_t failed[FAILED], failures = 0;
    for (int32_t k = 0; k < c->corners; k++) {
        int32_t t = m->twin[c->edge[k]];
        if (t < 0 || m->face_area[half_face(m, t)] != m->face_area[c->cell[0]]) continue;
        int32_t face = half_face(m, t), i = 0;
        while (i < failures && failed[i] != face) i++;
        if (i < failures) continue;
        if (add_cell(m, c, k, shape)) {
            k = -1;
        } else if (failures < FAILED) {
            failed[failures++] = face;
        } else {
            break;
        }
    }
}

// Takes all portals inside of the cluster away: its ring is one face.
static void clear_cluster(half_edges *m, cluster *c)
{
    int32_t region = m->face_region[c->cell[0]];
    for (int32_t i = 0; i < c->cells; i++) {
        if (m->face_region[c->cell[i]] != region) region = 0;
        int32_t h = c->inner[i], e = h;
        do {
            int32_t next = m->next[e], back = m->twin[e];
            // The twin of an edge that was released is looked at as it was: by the faces of both sides.
            m->key[e] = back >= 0 && holds_cell(c, half_face(m, back));
            e = next;
        } while (e != h);
    }
    for (int32_t i = 0; i < c->cells; i++) {
        int32_t h = c->inner[i], e = h;
        do {
            int32_t next = m->next[e];
            if (m->key[e]) half_release(m, e);
            e = next;
        } while (e != h);
    }
    for (int32_t k = 0; k < c->corners; k++) half_follow(m, c->edge[k], c->edge[(k + 1) % c->corners]);
    for (int32_t i = 0; i < c->cells; i++) m->face_region[c->cell[i]] = region;
}

static bool improve(half_edges *m, int32_t seed)
{
    cluster c;
    ring shape;
    portal portals[RING_PORTALS];
    if (!begin_cluster(m, &c, seed)) return false;
    grow_cluster(m, &c, &shape);
    if (c.cells < 2 || !ring_take(&shape, m, c.edge, c.corners, false)) return false;
    int32_t count = ring_solve(m, &shape, c.cells - 1, portals);
    if (count < 0) return false;
    clear_cluster(m, &c);
    ring_cut(m, &shape, portals, count, c.cell);
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
            improved |= improve(m, h);
        }
    }
}
