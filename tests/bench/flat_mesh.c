#include "tests/bench/flat_mesh.h"
#include "core/tile/detour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STRAIGHT_DEG = 0.1, PI = 3.14159265358979;

static void *grow(void *p, size_t count, size_t size)
{
    void *r = realloc(p, count * size);
    if (r) return r;
    fprintf(stderr, "bench: no memory for a mesh\n");
    exit(1);
}

void flat_mesh_add(flat_mesh *m, const double (*xz)[2], const bool *wall, uint32_t corners)
{
    if (m->corner_count + corners > m->corner_capacity) {
        m->corner_capacity = 2 * m->corner_capacity + corners;
        m->xz = grow(m->xz, m->corner_capacity, sizeof *m->xz);
        m->wall = grow(m->wall, m->corner_capacity, sizeof *m->wall);
    }
    if (m->poly_count + 1 >= m->poly_capacity) {
        m->poly_capacity = 2 * m->poly_capacity + 2;
        m->first = grow(m->first, m->poly_capacity, sizeof *m->first);
    }
    memcpy(m->xz + m->corner_count, xz, corners * sizeof *xz);
    for (uint32_t i = 0; i < corners; i++) m->wall[m->corner_count + i] = !wall || wall[i];
    m->first[m->poly_count++] = m->corner_count;
    m->corner_count += corners;
    m->first[m->poly_count] = m->corner_count;
}

void flat_mesh_deinit(flat_mesh *m)
{
    free(m->xz);
    free(m->wall);
    free(m->first);
    *m = (flat_mesh){0};
}

static void add_poly(flat_mesh *m, const nav_detour_view *v, const nav_detour_poly *poly, double high_m)
{
    double xz[NAV_DETOUR_POLY_VERTS][2];
    bool wall[NAV_DETOUR_POLY_VERTS];
    for (int k = 0; k < poly->vert_count; k++) {
        float p[3];
        nav_detour_get_vert(v, poly->vert[k], p);
        if ((double)p[1] >= high_m) return;
        xz[k][0] = (double)p[0];
        xz[k][1] = (double)p[2];
        wall[k] = !poly->neighbour[k];
    }
    flat_mesh_add(m, xz, wall, poly->vert_count);
}

bool flat_mesh_add_tile(flat_mesh *m, const peer_tile *tile, double high_m)
{
    nav_detour_view v;
    char why[256];
    if (nav_detour_open(tile->bytes, tile->size, &v, why, sizeof why) != NAV_OK) {
        fprintf(stderr, "bench: outlines: a tile cannot be read: %s\n", why);
        return false;
    }
    for (int32_t i = 0; i < v.header.poly_count; i++) {
        nav_detour_poly poly;
        nav_detour_get_poly(&v, (uint32_t)i, &poly);
        if (poly.type == NAV_DETOUR_GROUND) add_poly(m, &v, &poly, high_m);
    }
    return true;
}

// --- Loops ---

typedef struct edge {
    double from[2], to[2];
    bool used;
} edge;

static int by_start(const void *a, const void *b)
{
    const edge *p = a, *q = b;
    int k = p->from[0] == q->from[0];
    return (p->from[k] > q->from[k]) - (p->from[k] < q->from[k]);
}

static uint32_t collect(const flat_mesh *m, edge *out)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < m->poly_count; p++) {
        for (uint32_t i = m->first[p]; i < m->first[p + 1]; i++) {
            uint32_t next = i + 1 < m->first[p + 1] ? i + 1 : m->first[p];
            if (!m->wall[i]) continue;
            edge *e = &out[n++];
            e->used = false;
            memcpy(e->from, m->xz[i], sizeof e->from);
            memcpy(e->to, m->xz[next], sizeof e->to);
        }
    }
    qsort(out, n, sizeof *out, by_start);
    return n;
}

// An edge that nobody has used yet and that begins where this one ends.
static edge *next_edge(edge *all, uint32_t count, const edge *e)
{
    uint32_t low = 0, high = count;
    edge key = {.from = {e->to[0], e->to[1]}};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_start(&all[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && by_start(&all[low], &key) == 0; low++) {
        if (!all[low].used) return &all[low];
    }
    return NULL;
}

static bool turns(const edge *a, const edge *b)
{
    double ax = a->to[0] - a->from[0], az = a->to[1] - a->from[1], bx = b->to[0] - b->from[0],
           bz = b->to[1] - b->from[1];
    return fabs(atan2(ax * bz - az * bx, ax * bx + az * bz)) > STRAIGHT_DEG / 180 * PI;
}

static void follow(edge *all, uint32_t count, edge *first, flat_loops *out)
{
    edge *e = first;
    uint32_t corners = 0;
    for (;;) {
        e->used = true;
        edge *next = next_edge(all, count, e);
        if (!next && e->to[0] == first->from[0] && e->to[1] == first->from[1]) {
            out->loops++;
            out->corners += corners + turns(e, first);
            return;
        }
        if (!next) {
            out->open_ends++;
            out->corners += corners;
            return;
        }
        corners += turns(e, next);
        e = next;
    }
}

flat_loops flat_mesh_loops(const flat_mesh *m)
{
    flat_loops out = {0};
    edge *all = grow(NULL, (size_t)m->corner_count + 1, sizeof *all);
    uint32_t count = collect(m, all);
    for (uint32_t i = 0; i < count; i++) {
        if (!all[i].used) follow(all, count, &all[i], &out);
    }
    free(all);
    return out;
}
