// Corners on the grid. Triangles are sorted by their place first, so that all that follows is the same in whatever
// order they come. One whose corners fall together goes; one that has lost its area or was turned over stays: its
// neighbours hang together through it, and loops around it come out right as they are.
#include "core/base/sort.h"
#include "core/surface/surface_work.h"

#include <math.h>
#include <string.h>

enum { PLACE_BITS = 20, KEY_BITS = 12, INDEX_BITS = 24, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

typedef struct placed {
    int32_t vert[3], source;
    uint8_t area;
} placed;

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

static uint32_t slot_of(const surface_mesh *m, int32_t x, int32_t z, int32_t y)
{
    uint64_t hash = (uint64_t)(uint32_t)x << 32 | (uint32_t)z;
    hash = (hash ^ (uint64_t)(uint32_t)y * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32) & ((uint32_t)m->table_size - 1);
}

// Or SURFACE_NONE, and the slot that it would have.
static int32_t look_up(const surface_mesh *m, int32_t x, int32_t z, int32_t y, uint32_t *slot)
{
    const uint32_t mask = (uint32_t)m->table_size - 1;
    *slot = slot_of(m, x, z, y);
    for (int32_t v; (v = m->table[*slot]) >= 0; *slot = (*slot + 1) & mask)
        if (m->x[v] == x && m->z[v] == z && m->y[v] == y) return v;
    return SURFACE_NONE;
}

int32_t nav_surface_vert(surface_mesh *m, int32_t x, int32_t z, int32_t y)
{
    uint32_t slot;
    int32_t v = look_up(m, x, z, y, &slot);
    if (v != SURFACE_NONE) return v;
    v = m->vert_count++;
    m->table[slot] = v;
    m->x[v] = x;
    m->z[v] = z;
    m->y[v] = y;
    return v;
}

// How the three numbers of a corner are counted.
typedef struct snapper {
    double origin[3], scale[3], shift[3];
} snapper;

static snapper snapper_of(const nav_config *cfg)
{
    snapper s;
    for (int i = 0; i < 3; i++) {
        s.origin[i] = cfg->origin_m[i];
        s.scale[i] = i == 1 ? 1 / cfg->cell_height_m : 1 / cfg->unit_size_m;
        s.shift[i] = i == 1 ? 0 : (double)(i ? cfg->tile_z : cfg->tile_x) * cfg->tile_units;
    }
    return s;
}

// False: too far away.
static bool snap(const snapper *s, const float *v, int32_t at[3])
{
    const double most = NAV_SURFACE_REACH;
    for (int i = 0; i < 3; i++) {
        double p = floor(((double)v[i] - s->origin[i]) * s->scale[i] + 0.5) - s->shift[i];
        if (!(p > -most && p < most)) return false;
        at[i] = (int32_t)p;
    }
    return true;
}

void nav_surface_known_verts(const surface_mesh *m, const float corner[9], int32_t vert[3])
{
    const snapper how = snapper_of(m->cfg);
    for (int k = 0; k < 3; k++) {
        int32_t at[3];
        uint32_t slot;
        vert[k] = snap(&how, corner + 3 * k, at) ? look_up(m, at[0], at[2], at[1], &slot) : SURFACE_NONE;
    }
}

bool nav_surface_snap_corners(const surface_mesh *m, const float corner[9], int32_t at[3][3])
{
    const snapper how = snapper_of(m->cfg);
    bool near = true;
    for (int k = 0; k < 3 && near; k++) near = snap(&how, corner + 3 * k, at[k]);
    return near;
}

typedef struct seen_corner {
    float at[3];
    int32_t vert;
} seen_corner;

// Corners that were seen: most are those of several triangles, and need no second look.
typedef struct corners {
    surface_mesh *m;
    snapper how;
    int32_t *table;
    uint32_t mask;
    seen_corner *seen;
    int32_t count, capacity;
} corners;

static nav_status corners_init(corners *c, surface_mesh *m, uint32_t triangles)
{
    int64_t size = 64;
    while (size < 6 * (int64_t)triangles) size *= 2;
    *c = (corners){.m = m, .how = snapper_of(m->cfg), .mask = (uint32_t)size - 1};
    c->table = NAV_TAKE(m->arena, int32_t, size);
    if (!c->table) return nav_arena_failure(m->arena);
    memset(c->table, 0xff, (size_t)size * sizeof *c->table);
    return nav_grow(m->arena, (void **)&c->seen, &c->capacity, triangles, sizeof *c->seen);
}

// *vert: SURFACE_NONE where the corner is too far away.
static nav_status find_vert(corners *c, const float *v, int32_t *vert)
{
    uint32_t bits[3];
    memcpy(bits, v, sizeof bits);
    uint64_t hash = (((uint64_t)bits[0] << 32 | bits[2]) ^ bits[1] * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    uint32_t slot = (uint32_t)(hash >> 32) & c->mask;
    for (int32_t i; (i = c->table[slot]) >= 0; slot = (slot + 1) & c->mask)
        if (!memcmp(c->seen[i].at, bits, sizeof bits)) {
            *vert = c->seen[i].vert;
            return NAV_OK;
        }
    int32_t at[3];
    nav_status s = nav_grow(c->m->arena, (void **)&c->seen, &c->capacity, (int64_t)c->count + 1, sizeof *c->seen);
    if (s != NAV_OK) return s;
    *vert = snap(&c->how, v, at) ? nav_surface_vert(c->m, at[0], at[2], at[1]) : SURFACE_NONE;
    memcpy(c->seen[c->count].at, v, sizeof bits);
    c->seen[c->count].vert = *vert;
    c->table[slot] = c->count++;
    return NAV_OK;
}

// *near: none of its corners is too far away.
static nav_status find_verts(corners *c, const float *v, int32_t vert[3], bool *near)
{
    nav_status s = NAV_OK;
    *near = true;
    for (int k = 0; k < 3 && s == NAV_OK; k++) {
        s = find_vert(c, v + 3 * k, &vert[k]);
        *near &= s == NAV_OK && vert[k] != SURFACE_NONE;
    }
    return s;
}

static bool falls_together(const surface_mesh *m, const int32_t vert[3])
{
    for (int k = 0; k < 3; k++)
        if (nav_point_same(surface_at(m, vert[k]), surface_at(m, vert[k < 2 ? k + 1 : 0]))) return true;
    return false;
}

// Squares of the keys lie where they lie in the world: the order is the same in each tile.
static uint64_t key_of(const surface_mesh *m, const int32_t v[3], int32_t index)
{
    int64_t sums[2] = {(int64_t)m->x[v[0]] + m->x[v[1]] + m->x[v[2]], (int64_t)m->z[v[0]] + m->z[v[1]] + m->z[v[2]]};
    const int64_t tile[2] = {m->cfg->tile_x, m->cfg->tile_z}, square = 1 << (PLACE_BITS - KEY_BITS);
    uint64_t key = 0;
    for (int k = 0; k < 2; k++) {
        int64_t sum = sums[k] + (1 << (PLACE_BITS - 1)) + (3 * tile[k] * m->cfg->tile_units & (square - 1));
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

static int compare(const surface_mesh *m, const placed *a, const placed *b)
{
    for (int k = 0; k < 3; k++) {
        int32_t p = a->vert[k], q = b->vert[k];
        if (m->x[p] != m->x[q]) return m->x[p] < m->x[q] ? -1 : 1;
        if (m->y[p] != m->y[q]) return m->y[p] < m->y[q] ? -1 : 1;
        if (m->z[p] != m->z[q]) return m->z[p] < m->z[q] ? -1 : 1;
    }
    return (a->area > b->area) - (a->area < b->area);
}

// Whose keys' indices are of these.
typedef struct keyed {
    const surface_mesh *m;
    const placed *all;
} keyed;

static bool is_before(const keyed *k, const uint64_t *a, const uint64_t *b)
{
    const uint64_t index = ((uint64_t)1 << INDEX_BITS) - 1;
    return compare(k->m, &k->all[*a & index], &k->all[*b & index]) < 0;
}

NAV_DEFINE_SORT(sort_run, uint64_t, const keyed *, is_before)

// Orders those whose keys are the same but for the index.
static void sort_same(const surface_mesh *m, uint64_t *keys, int32_t count, const placed *all)
{
    const keyed of = {m, all};
    for (int32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && keys[end] >> INDEX_BITS == keys[i] >> INDEX_BITS;) end++;
        sort_run(keys + i, end - i, &of);
    }
}

// The same triangle again, whichever corner it begins with?
static bool is_same(const int32_t *a, const int32_t *b)
{
    for (int k = 0; k < 3; k++)
        if (a[0] == b[k] && a[1] == b[(k + 1) % 3] && a[2] == b[(k + 2) % 3]) return true;
    return false;
}

static void add_triangle(surface_mesh *m, const placed *p)
{
    int32_t *v = m->vert + 3 * (size_t)m->tri_count;
    memcpy(v, p->vert, sizeof p->vert);
    if (m->tri_count > 0 && is_same(v, v - 3)) return; // of two areas the lower one stays
    for (int k = 0; k < 3; k++) m->twin[3 * (size_t)m->tri_count + (size_t)k] = SURFACE_NONE;
    if (m->source) m->source[m->tri_count] = p->source;
    m->area[m->tri_count++] = p->area;
}

// Adds what may not be walked on and is near the tile, in any order, as long as the ground may be single.
static nav_status add_steep(surface_mesh *m, const nav_triangles *triangles, corners *c)
{
    nav_status s = NAV_OK;
    for (uint32_t t = 0; t < triangles->count && m->single && s == NAV_OK; t++) {
        int32_t *v = m->vert + 3 * ((size_t)m->tri_count + (size_t)m->steep_count);
        nav_point p[3], low, high;
        if (triangles->areas[t] != NAV_AREA_NONE) continue;
        s = find_verts(c, triangles->verts + 9 * (size_t)t, v, &m->single);
        if (s != NAV_OK || !m->single) break;
        for (int k = 0; k < 3; k++) p[k] = surface_at(m, v[k]);
        nav_points_bound(p, 3, &low, &high);
        if (high.x < m->low || high.z < m->low || low.x > m->high || low.z > m->high) continue;
        m->single = nav_surface_looks_up(p[0], p[1], p[2]);
        for (int k = 0; k < 3; k++) m->twin[v - m->vert + k] = SURFACE_NONE;
        m->steep_count++;
    }
    return s;
}

nav_status nav_surface_snap(surface_mesh *m, const nav_triangles *triangles)
{
    uint32_t walkable = 0;
    for (uint32_t t = 0; t < triangles->count; t++) walkable += triangles->areas[t] != NAV_AREA_NONE;
    if (walkable >= SURFACE_MOST) return NAV_ERR_LIMIT;
    uint32_t most = triangles->count < SURFACE_MOST ? triangles->count : walkable; // with those that are steep
    placed *all = NAV_TAKE(m->arena, placed, walkable);
    uint64_t *keys = NAV_TAKE(m->arena, uint64_t, walkable), *spare = NAV_TAKE(m->arena, uint64_t, walkable);
    m->tri_capacity = (int32_t)most;
    m->vert = NAV_TAKE(m->arena, int32_t, 3 * (size_t)most);
    m->twin = NAV_TAKE(m->arena, int32_t, 3 * (size_t)most);
    m->area = NAV_TAKE(m->arena, uint8_t, most);
    if (m->sheets) m->source = NAV_TAKE(m->arena, int32_t, most);
    if (!all || !keys || !spare || !m->vert || !m->twin || !m->area || (m->sheets && !m->source))
        return nav_arena_failure(m->arena);
    corners c;
    nav_status s = corners_init(&c, m, most);
    if (s == NAV_OK) s = nav_surface_reserve(m, 3 * (int64_t)most); // with those on the tile's sides
    int32_t count = 0;
    for (uint32_t t = 0; t < triangles->count && s == NAV_OK; t++) {
        if (triangles->areas[t] == NAV_AREA_NONE) continue;
        placed *p = &all[count];
        bool near;
        s = find_verts(&c, triangles->verts + 9 * (size_t)t, p->vert, &near);
        if (s != NAV_OK) return s;
        m->skipped += !near;
        if (!near || falls_together(m, p->vert)) continue;
        p->area = triangles->areas[t];
        p->source = (int32_t)t;
        keys[count] = key_of(m, p->vert, count);
        count++;
    }
    if (count == 0 || s != NAV_OK) return s;
    sort_keys(keys, spare, count);
    sort_same(m, keys, count, all);
    for (int32_t i = 0; i < count; i++) add_triangle(m, &all[keys[i] & (((uint64_t)1 << INDEX_BITS) - 1)]);
    m->single = !m->cfg->plain && !m->sheets && most == triangles->count && m->skipped == 0;
    return most == walkable ? NAV_OK : add_steep(m, triangles, &c);
}
