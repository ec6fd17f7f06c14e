#include "core/polygon/half_edges/half_edges.h"

#include <assert.h>
#include <string.h>

int32_t nav_half_new(half_edges *m, int32_t org)
{
    int32_t h = m->free_list;
    if (h >= 0) {
        m->free_list = m->next[h];
    } else {
        assert(m->count < m->capacity);
        h = m->count++;
    }
    m->org[h] = org;
    m->flags[h] = 0;
    return h;
}

void nav_half_release(half_edges *m, int32_t h)
{
    m->twin[h] = HALF_FREE;
    m->next[h] = m->free_list;
    m->free_list = h;
}

// From a-b to d-c; the half-edges of the four sides stay.
//
//      b                 b
//    / | \             /   \        h and its twin in the middle
//   d  |  c    -->   d ----- c
//    \ | /             \   /
//      a                 a
void nav_half_flip(half_edges *m, int32_t h)
{
    int32_t t = m->twin[h], hn = m->next[h], hp = m->prev[h], tn = m->next[t], tp = m->prev[t];
    m->org[h] = m->org[tp];
    m->org[t] = m->org[hp];
    half_follow(m, h, hp);
    half_follow(m, hp, tn);
    half_follow(m, tn, h);
    half_follow(m, t, tp);
    half_follow(m, tp, hn);
    half_follow(m, hn, t);
    m->face[tn] = m->face[h];
    m->face[hn] = m->face[t];
    m->face_edge[m->face[h]] = h;
    m->face_edge[m->face[t]] = t;
}

bool nav_half_is_inner(const half_edges *m, int32_t h)
{
    int32_t t = m->twin[h];
    if (t < 0 || (m->flags[h] & HALF_FIXED)) return false;
    int32_t a = m->face[h], b = m->face[t];
    return m->face_size[a] == 3 && m->face_size[b] == 3 && m->face_region[a] == m->face_region[b];
}

int32_t nav_half_new_face(half_edges *m, int32_t region, uint8_t area)
{
    int32_t f = m->free_face;
    if (f >= 0) {
        m->free_face = m->face_root[f];
    } else {
        f = m->face_count++;
    }
    m->face_root[f] = f;
    m->face_size[f] = 3;
    m->face_region[f] = region;
    m->face_area[f] = area;
    return f;
}

void nav_half_new_triangle(half_edges *m, int32_t h, int32_t region, uint8_t area)
{
    int32_t f = nav_half_new_face(m, region, area);
    m->face[h] = m->face[m->next[h]] = m->face[m->prev[h]] = f;
    m->face_edge[f] = h;
}

void nav_half_release_face(half_edges *m, int32_t f)
{
    m->face_root[f] = m->free_face;
    m->free_face = f;
}

int32_t nav_half_add_stop(half_edges *m, int32_t h, nav_point p)
{
    assert(m->vert_count < m->vert_capacity && m->twin[h] == NAV_EDGE_WALL);
    nav_point a = half_at(m, h), b = half_at(m, m->next[h]);
    int32_t v = m->vert_count++;
    m->at[v] = p;
    int64_t dx = b.x - a.x, dz = b.z - a.z, rise = (int64_t)m->y[m->org[m->next[h]]] - m->y[m->org[h]];
    m->y[v] = m->y[m->org[h]] + (int32_t)(dx ? rise * (p.x - a.x) / dx : rise * (p.z - a.z) / dz);
    m->joint[v] = 0;
    int32_t e = nav_half_new(m, v);
    m->twin[e] = NAV_EDGE_WALL;
    m->face[e] = m->face[h];
    half_follow(m, e, m->next[h]);
    half_follow(m, h, e);
    return e;
}

void nav_half_remove_stop(half_edges *m, int32_t h)
{
    assert(half_is_stop(m, m->org[h]));
    half_follow(m, m->prev[h], m->next[h]);
    nav_half_release(m, h);
}

bool nav_half_edges_take(half_edges *m, nav_arena *arena, const nav_contours *in)
{
    // A group of n corners and h holes has n + 2 h - 2 triangles, so three half-edges for each corner and six for each
    // hole are enough; a border vertex that is removed only makes it fewer.
    int32_t holes = 0;
    for (int32_t l = 0; l < in->loop_count; l++) holes += in->loop_hole[l];
    // As many stops as corners may be added.
    size_t v = 2 * (size_t)in->vert_count, t = v + 2 * (size_t)holes, n = 3 * t;
    if (n > INT32_MAX) return false;
    *m = (half_edges){.capacity = (int32_t)n, .vert_capacity = (int32_t)v, .free_list = -1, .free_face = -1};
    m->org = NAV_TAKE(arena, int32_t, n);
    m->next = NAV_TAKE(arena, int32_t, n);
    m->prev = NAV_TAKE(arena, int32_t, n);
    m->twin = NAV_TAKE(arena, int32_t, n);
    m->face = NAV_TAKE(arena, int32_t, n);
    // Faces that were joined keep their names, and cells that are cut need new ones.
    m->face_root = NAV_TAKE(arena, int32_t, 2 * t);
    m->face_edge = NAV_TAKE(arena, int32_t, 2 * t);
    m->face_size = NAV_TAKE(arena, int32_t, 2 * t);
    m->face_region = NAV_TAKE(arena, int32_t, 2 * t);
    m->face_area = NAV_TAKE(arena, uint8_t, 2 * t);
    m->at = NAV_TAKE(arena, nav_point, v);
    m->y = NAV_TAKE(arena, int32_t, v);
    m->joint = NAV_TAKE(arena, uint8_t, v);
    m->flags = NAV_TAKE(arena, uint8_t, n);
    m->cut = NAV_TAKE(arena, int32_t, t);
    m->ear = NAV_TAKE(arena, int64_t, n);
    m->heap = NAV_TAKE(arena, int32_t, n);
    m->heap_at = NAV_TAKE(arena, int32_t, n);
    m->watch_first = NAV_TAKE(arena, int32_t, n);
    m->watch_next = NAV_TAKE(arena, int32_t, n);
    m->watch_prev = NAV_TAKE(arena, int32_t, n);
    m->bucket = NAV_TAKE(arena, int32_t, n);
    m->near_next = NAV_TAKE(arena, int32_t, n);
    m->near_prev = NAV_TAKE(arena, int32_t, n);
    m->blocker = NAV_TAKE(arena, int32_t, n);
    m->key = NAV_TAKE(arena, uint64_t, n);
    return m->org && m->next && m->prev && m->twin && m->face && m->face_root && m->face_edge && m->face_size &&
           m->face_region && m->face_area && m->at && m->y && m->joint && m->flags && m->cut && m->ear && m->heap &&
           m->heap_at && m->watch_first && m->watch_next && m->watch_prev && m->bucket && m->near_next &&
           m->near_prev && m->blocker && m->key;
}

void nav_half_weld(half_edges *m, const nav_contours *in, int32_t *vert_of, int32_t *table, int32_t table_size)
{
    uint32_t mask = (uint32_t)table_size - 1;
    memset(table, 0xff, (size_t)table_size * sizeof *table);
    m->vert_count = 0;
    for (int32_t i = 0; i < in->vert_count; i++) {
        uint64_t hash = (uint64_t)(uint32_t)in->x[i] << 32 | (uint32_t)in->z[i];
        hash = (hash ^ (uint64_t)(uint32_t)in->y[i] * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
        uint32_t slot = (uint32_t)(hash >> 32) & mask;
        int32_t v;
        while ((v = table[slot]) >= 0) {
            if (m->at[v].x == in->x[i] && m->at[v].z == in->z[i] && m->y[v] == in->y[i]) break;
            slot = (slot + 1) & mask;
        }
        if (v < 0) {
            v = m->vert_count++;
            table[slot] = v;
            m->at[v] = (nav_point){in->x[i], in->z[i]};
            m->y[v] = in->y[i];
            m->joint[v] = 0;
        }
        m->joint[v] |= in->border_joint[i];
        vert_of[i] = v;
    }
    m->contour_verts = m->vert_count;
}
