// Corners on the grid. Triangles are sorted by their place first, so that all that follows is the same in whatever
// order they come. One whose corners fall together goes; one that has lost its area or was turned over stays: its
// neighbours hang together through it, and loops around it come out right as they are.
#include "core/surface/surface_work.h"

#include <math.h>
#include <string.h>

enum { PLACE_BITS = 20, KEY_BITS = 12, INDEX_BITS = 24, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

typedef struct snapped {
    int32_t at[9]; // x, y, z of each corner
    uint8_t area;
} snapped;

nav_status nav_surface_reserve(surface_mesh *m, int64_t more)
{
    int64_t count = m->vert_count + more;
    int32_t capacity = m->vert_capacity, **arrays[3] = {&m->x, &m->z, &m->y};
    for (int i = 0; i < 3; i++) {
        capacity = m->vert_capacity;
        nav_status s = nav_grow(m->arena, (void **)arrays[i], &capacity, count, sizeof(int32_t));
        if (s != NAV_OK) return s;
    }
    m->vert_capacity = capacity;
    if (2 * count <= m->table_size) return NAV_OK;
    int64_t size = 64;
    while (size < 2 * count) size *= 2;
    if (size > INT32_MAX) return NAV_ERR_LIMIT;
    m->table = NAV_TAKE(m->arena, int32_t, size);
    if (!m->table) return nav_arena_failure(m->arena);
    m->table_size = (int32_t)size;
    memset(m->table, 0xff, (size_t)size * sizeof *m->table);
    int32_t known = m->vert_count;
    m->vert_count = 0;
    for (int32_t v = 0; v < known; v++) (void)nav_surface_vert(m, m->x[v], m->z[v], m->y[v]);
    return NAV_OK;
}

int32_t nav_surface_vert(surface_mesh *m, int32_t x, int32_t z, int32_t y)
{
    uint32_t mask = (uint32_t)m->table_size - 1;
    uint64_t hash = (uint64_t)(uint32_t)x << 32 | (uint32_t)z;
    hash = (hash ^ (uint64_t)(uint32_t)y * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    uint32_t slot = (uint32_t)(hash >> 32) & mask;
    for (int32_t v; (v = m->table[slot]) >= 0; slot = (slot + 1) & mask)
        if (m->x[v] == x && m->z[v] == z && m->y[v] == y) return v;
    int32_t v = m->vert_count++;
    m->table[slot] = v;
    m->x[v] = x;
    m->z[v] = z;
    m->y[v] = y;
    return v;
}

// Of the nine numbers of a triangle.
typedef struct snapper {
    double origin[9], scale[9], shift[9];
} snapper;

static snapper snapper_of(const nav_config *cfg)
{
    snapper s;
    for (int i = 0; i < 9; i++) {
        s.origin[i] = cfg->origin_m[i % 3];
        s.scale[i] = i % 3 == 1 ? 1 / cfg->cell_height_m : 1 / cfg->unit_size_m;
        s.shift[i] = i % 3 == 1 ? 0 : (double)(i % 3 ? cfg->tile_z : cfg->tile_x) * cfg->tile_units;
    }
    return s;
}

// False: too far away.
static bool snap(const snapper *s, const float *v, int32_t at[9])
{
    const double most = NAV_SURFACE_REACH;
    int near = 1;
    for (int i = 0; i < 9; i++) {
        double p = floor(((double)v[i] - s->origin[i]) * s->scale[i] + 0.5) - s->shift[i];
        near &= (p > -most) & (p < most);
        p = p > most ? most : p < -most ? -most : p;
        at[i] = (int32_t)p;
    }
    return near;
}

static bool falls_together(const int32_t at[9])
{
    for (int k = 0; k < 9; k += 3)
        if (at[k] == at[(k + 3) % 9] && at[k + 2] == at[(k + 5) % 9]) return true;
    return false;
}

static uint64_t key_of(const int32_t at[9], int32_t index)
{
    uint64_t key = 0;
    for (int k = 0; k < 3; k += 2) {
        int64_t sum = (int64_t)at[k] + at[k + 3] + at[k + 6] + (1 << (PLACE_BITS - 1));
        sum = sum < 0 ? 0 : sum >= 1 << PLACE_BITS ? (1 << PLACE_BITS) - 1 : sum;
        key = key << KEY_BITS | (uint64_t)sum >> (PLACE_BITS - KEY_BITS);
    }
    return key << INDEX_BITS | (uint32_t)index;
}

// By everything but the index, least significant digit first.
static void sort_keys(uint64_t *keys, uint64_t *spare, int32_t count)
{
    uint32_t counts[2 * KEY_BITS / DIGIT_BITS][DIGITS] = {0};
    for (int32_t i = 0; i < count; i++)
        for (int d = 0; d < 2 * KEY_BITS / DIGIT_BITS; d++)
            counts[d][keys[i] >> (INDEX_BITS + DIGIT_BITS * d) & (DIGITS - 1)]++;
    for (int d = 0; d < 2 * KEY_BITS / DIGIT_BITS; d++) {
        uint32_t at = 0, *n = counts[d];
        if (n[keys[0] >> (INDEX_BITS + DIGIT_BITS * d) & (DIGITS - 1)] == (uint32_t)count) continue; // all the same
        for (int k = 0; k < DIGITS; k++) {
            uint32_t here = n[k];
            n[k] = at;
            at += here;
        }
        for (int32_t i = 0; i < count; i++)
            spare[n[keys[i] >> (INDEX_BITS + DIGIT_BITS * d) & (DIGITS - 1)]++] = keys[i];
        memcpy(keys, spare, (size_t)count * sizeof *keys);
    }
}

static int compare(const snapped *a, const snapped *b)
{
    for (int k = 0; k < 9; k++)
        if (a->at[k] != b->at[k]) return a->at[k] < b->at[k] ? -1 : 1;
    return (a->area > b->area) - (a->area < b->area);
}

// Orders those whose keys are the same but for the index, by Shell's sort: there may be many.
static void sort_same(uint64_t *keys, int32_t count, const snapped *all)
{
    const uint64_t index = ((uint64_t)1 << INDEX_BITS) - 1;
    for (int32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && keys[end] >> INDEX_BITS == keys[i] >> INDEX_BITS;) end++;
        int32_t n = end - i, gap = 1;
        uint64_t *run = keys + i;
        while (gap < n / 3) gap = 3 * gap + 1;
        for (; gap > 0; gap /= 3)
            for (int32_t k = gap; k < n; k++) {
                uint64_t key = run[k];
                int32_t j = k;
                for (; j >= gap && compare(&all[run[j - gap] & index], &all[key & index]) > 0; j -= gap)
                    run[j] = run[j - gap];
                run[j] = key;
            }
    }
}

// The same triangle again, whichever corner it begins with?
static bool is_same(const int32_t *a, const int32_t *b)
{
    for (int k = 0; k < 3; k++)
        if (a[0] == b[k] && a[1] == b[(k + 1) % 3] && a[2] == b[(k + 2) % 3]) return true;
    return false;
}

static void add_triangle(surface_mesh *m, const snapped *s)
{
    int32_t *v = m->vert + 3 * (size_t)m->tri_count;
    for (int k = 0; k < 3; k++) v[k] = nav_surface_vert(m, s->at[3 * k], s->at[3 * k + 2], s->at[3 * k + 1]);
    if (m->tri_count > 0 && is_same(v, v - 3)) return; // of two areas the lower one stays
    for (int k = 0; k < 3; k++) m->twin[3 * (size_t)m->tri_count + (size_t)k] = SURFACE_NONE;
    m->area[m->tri_count++] = s->area;
}

// Adds what may not be walked on and is near the tile, in any order. False: some of it is no part of a sheet.
static bool add_steep(surface_mesh *m, const nav_triangles *triangles, const snapper *how)
{
    for (uint32_t t = 0; t < triangles->count; t++) {
        int32_t at[9];
        nav_point p[3], low, high;
        if (triangles->areas[t] != NAV_AREA_NONE) continue;
        if (!snap(how, triangles->verts + 9 * (size_t)t, at)) return false;
        for (int k = 0; k < 3; k++) p[k] = (nav_point){at[3 * k], at[3 * k + 2]};
        nav_points_bound(p, 3, &low, &high);
        if (high.x < m->low || high.z < m->low || low.x > m->high || low.z > m->high) continue;
        if (!nav_surface_looks_up(p[0], p[1], p[2])) return false;
        size_t first = 3 * ((size_t)m->tri_count + (size_t)m->steep_count++);
        for (int k = 0; k < 3; k++) {
            m->vert[first + (size_t)k] = nav_surface_vert(m, p[k].x, p[k].z, at[3 * k + 1]);
            m->twin[first + (size_t)k] = SURFACE_NONE;
        }
    }
    return true;
}

nav_status nav_surface_snap(surface_mesh *m, const nav_triangles *triangles)
{
    const nav_config *cfg = m->cfg;
    const snapper how = snapper_of(cfg);
    uint32_t walkable = 0;
    for (uint32_t t = 0; t < triangles->count; t++) walkable += triangles->areas[t] != NAV_AREA_NONE;
    if (walkable >= SURFACE_MOST) return NAV_ERR_LIMIT;
    uint32_t most = triangles->count < SURFACE_MOST ? triangles->count : walkable; // with those that are steep
    snapped *all = NAV_TAKE(m->arena, snapped, walkable);
    uint64_t *keys = NAV_TAKE(m->arena, uint64_t, walkable), *spare = NAV_TAKE(m->arena, uint64_t, walkable);
    m->tri_capacity = (int32_t)most;
    m->vert = NAV_TAKE(m->arena, int32_t, 3 * (size_t)most);
    m->twin = NAV_TAKE(m->arena, int32_t, 3 * (size_t)most);
    m->area = NAV_TAKE(m->arena, uint8_t, most);
    if (!all || !keys || !spare || !m->vert || !m->twin || !m->area) return nav_arena_failure(m->arena);
    int32_t count = 0;
    for (uint32_t t = 0; t < triangles->count; t++) {
        if (triangles->areas[t] == NAV_AREA_NONE) continue;
        snapped *s = &all[count];
        s->area = triangles->areas[t];
        if (!snap(&how, triangles->verts + 9 * (size_t)t, s->at)) {
            m->skipped++;
            continue;
        }
        if (falls_together(s->at)) continue;
        keys[count] = key_of(s->at, count);
        count++;
    }
    if (count == 0) return NAV_OK;
    sort_keys(keys, spare, count);
    sort_same(keys, count, all);
    nav_status s = nav_surface_reserve(m, 3 * ((int64_t)count + most - walkable));
    for (int32_t i = 0; i < count && s == NAV_OK; i++)
        add_triangle(m, &all[keys[i] & (((uint64_t)1 << INDEX_BITS) - 1)]);
    m->sheet =
        s == NAV_OK && most == triangles->count && m->skipped == 0 && (most == walkable || add_steep(m, triangles, &how));
    return s;
}
