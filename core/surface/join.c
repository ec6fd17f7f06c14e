// Joining triangles across their edges.
//
//      o---------o      1. Two half-edges between the same two corners, one to and one fro, are joined.
//      |         |      2. A corner (x) on an edge that has no partner, within the grid's rounding, cuts its triangle
//      x----x----x         there (T-junctions), and then:
//      |    |    |      3. half-edges over the same line are joined where their heights differ by no more than what
//      o----o----o         rounding makes, and then by no more than the climb: steps.
//
// Where more than two could be joined at an edge the first ones are, in the order of their triangles' places; over the
// same line those whose heights differ least. The others are the end of the floor.
#include "core/surface/buckets.h"
#include "core/surface/surface_work.h"

#include <string.h>

static uint32_t slot_of(uint32_t a, uint32_t b, uint32_t mask)
{
    uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & mask;
}

static nav_status take_table(surface_mesh *m, int64_t count, int32_t **table, uint32_t *mask)
{
    int64_t size = 64;
    while (size < 2 * count) size *= 2;
    if (size > INT32_MAX) return NAV_ERR_LIMIT;
    *table = NAV_TAKE(m->arena, int32_t, size);
    if (!*table) return nav_arena_failure(m->arena);
    memset(*table, 0xff, (size_t)size * sizeof **table);
    *mask = (uint32_t)size - 1;
    return NAV_OK;
}

static nav_status join_edges(surface_mesh *m)
{
    int32_t *table, halves = 3 * m->tri_count;
    uint32_t mask = 0;
    nav_arena_mark mark = nav_arena_get_mark(m->arena);
    nav_status s = take_table(m, halves, &table, &mask);
    for (int32_t h = 0; h < halves && s == NAV_OK; h++) {
        int32_t a = m->vert[h], b = m->vert[surface_next(h)], k;
        uint32_t least = (uint32_t)(a < b ? a : b), most = (uint32_t)(a < b ? b : a), slot;
        for (slot = slot_of(least, most, mask); (k = table[slot]) >= 0; slot = (slot + 1) & mask)
            if (m->twin[k] == SURFACE_NONE && m->vert[k] == b && m->vert[surface_next(k)] == a) break;
        if (k >= 0) {
            m->twin[h] = k;
            m->twin[k] = h;
        } else {
            table[slot] = h;
        }
    }
    nav_arena_release(m->arena, mark);
    return s;
}

// May the edge change the tile: does its box meet what can?
static bool is_near(const surface_mesh *m, int32_t half)
{
    nav_point p = surface_at(m, m->vert[half]), q = surface_at(m, m->vert[surface_next(half)]);
    return !((p.x < m->low && q.x < m->low) || (p.z < m->low && q.z < m->low) || (p.x > m->high && q.x > m->high) ||
             (p.z > m->high && q.z > m->high));
}

// The half-edges near the tile that have no partner, in order.
static nav_status find_open(surface_mesh *m, int32_t **open, int32_t *count)
{
    int32_t n = 0, halves = 3 * m->tri_count;
    for (int32_t h = 0; h < halves; h++) n += m->twin[h] == SURFACE_NONE && is_near(m, h);
    *open = NAV_TAKE(m->arena, int32_t, n);
    if (!*open) return nav_arena_failure(m->arena);
    *count = 0;
    for (int32_t h = 0; h < halves; h++)
        if (m->twin[h] == SURFACE_NONE && is_near(m, h)) (*open)[(*count)++] = h;
    return NAV_OK;
}

// --- corners on edges

typedef struct on_edge {
    int64_t along; // times the edge's length
    int32_t x, z;
} on_edge;

typedef struct splitter {
    surface_mesh *m;
    surface_buckets buckets; // of the corners of open edges
    nav_point *at;
    int32_t *corner; // their vertices
    int32_t count;
    on_edge *found; // of the edge at work
    int32_t found_count, found_capacity;
} splitter;

// Where a place is along the edge, times its length: 0 where it is none of its inner ones.
static int64_t along_edge(nav_point p, nav_point q, nav_point c)
{
    double dx = (double)q.x - p.x, dz = (double)q.z - p.z, right = (double)nav_right(p, q, c);
    if (right * right > dx * dx + dz * dz) return 0; // farther than a unit
    int64_t along = (int64_t)(c.x - p.x) * (q.x - p.x) + (int64_t)(c.z - p.z) * (q.z - p.z);
    int64_t whole = (int64_t)(q.x - p.x) * (q.x - p.x) + (int64_t)(q.z - p.z) * (q.z - p.z);
    return along > 0 && along < whole ? along : 0;
}

static int32_t height_along(const surface_mesh *m, int32_t a, int32_t b, nav_point c)
{
    int64_t dx = (int64_t)m->x[b] - m->x[a], dz = (int64_t)m->z[b] - m->z[a];
    bool by_x = (dx < 0 ? -dx : dx) >= (dz < 0 ? -dz : dz);
    int32_t height;
    (void)nav_surface_cross(m, a, b, by_x ? 0 : 1, by_x ? c.x : c.z, &height);
    return height;
}

static nav_status note_corner(splitter *s, int32_t a, int32_t b, int32_t i)
{
    surface_mesh *m = s->m;
    nav_point p = surface_at(m, a), q = surface_at(m, b), c = s->at[i];
    if (nav_point_same(p, c) || nav_point_same(q, c)) return NAV_OK;
    int64_t along = along_edge(p, q, c), apart = along ? (int64_t)height_along(m, a, b, c) - m->y[s->corner[i]] : 0;
    if (along == 0 || apart > m->cfg->climb_vx + SURFACE_ROUNDING || apart < -m->cfg->climb_vx - SURFACE_ROUNDING)
        return NAV_OK;
    for (int32_t k = 0; k < s->found_count; k++)
        if (s->found[k].x == c.x && s->found[k].z == c.z) return NAV_OK;
    nav_status status =
        nav_grow(m->arena, (void **)&s->found, &s->found_capacity, (int64_t)s->found_count + 1, sizeof *s->found);
    if (status != NAV_OK) return status;
    int32_t k = s->found_count++;
    for (; k > 0 && s->found[k - 1].along > along; k--) s->found[k] = s->found[k - 1];
    s->found[k] = (on_edge){along, c.x, c.z};
    return NAV_OK;
}

static nav_status find_corners(splitter *s, int32_t half)
{
    surface_mesh *m = s->m;
    int32_t a = m->vert[half], b = m->vert[surface_next(half)], row, last, from, to;
    nav_point p = surface_at(m, a), q = surface_at(m, b);
    nav_status status = NAV_OK;
    s->found_count = 0;
    nav_buckets_rows(&s->buckets, p, q, &row, &last);
    for (; row <= last; row++) {
        if (!nav_buckets_row(&s->buckets, p, q, row, &from, &to)) continue;
        const int32_t *first = s->buckets.first + (size_t)row * (size_t)s->buckets.side;
        for (int32_t k = first[from]; k < first[to + 1] && status == NAV_OK; k++)
            status = note_corner(s, a, b, s->buckets.item[k]);
    }
    return status;
}

static void set_triangle(surface_mesh *m, int32_t t, const int32_t vert[3], const int32_t twin[3])
{
    for (int k = 0; k < 3; k++) {
        m->vert[3 * t + k] = vert[k];
        m->twin[3 * t + k] = twin[k];
        if (twin[k] >= 0) m->twin[twin[k]] = 3 * t + k;
    }
}

nav_status nav_surface_grow_triangles(surface_mesh *m, int64_t more)
{
    int64_t count = m->tri_count + more;
    int32_t capacity = m->tri_capacity, area_capacity = capacity;
    if (count >= SURFACE_MOST) return NAV_ERR_LIMIT;
    if (count <= capacity) return NAV_OK;
    nav_status s = nav_grow(m->arena, (void **)&m->area, &area_capacity, count, 1);
    if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->vert, &capacity, count, 3 * sizeof(int32_t));
    capacity = m->tri_capacity;
    if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->whole, &capacity, count, 3 * sizeof(int32_t));
    capacity = m->tri_capacity;
    if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->uncut, &capacity, count, 3 * sizeof(int32_t));
    capacity = m->tri_capacity;
    if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->twin, &capacity, count, 3 * sizeof(int32_t));
    if (s == NAV_OK) m->tri_capacity = capacity < area_capacity ? capacity : area_capacity;
    return s;
}

nav_status nav_surface_note_whole(surface_mesh *m, int32_t half, int32_t *whole)
{
    if (!m->whole) {
        m->whole = NAV_TAKE(m->arena, int32_t, 3 * (size_t)m->tri_capacity);
        if (!m->whole) return nav_arena_failure(m->arena);
        memset(m->whole, 0xff, 3 * (size_t)m->tri_capacity * sizeof *m->whole);
        m->uncut = NAV_TAKE(m->arena, int32_t, 3 * (size_t)m->tri_capacity);
        if (!m->uncut) return nav_arena_failure(m->arena);
        memcpy(m->uncut, m->vert, 3 * (size_t)m->tri_count * sizeof *m->uncut);
    }
    *whole = m->whole[half];
    if (*whole >= 0) return NAV_OK;
    nav_status s =
        nav_grow(m->arena, (void **)&m->ends, &m->end_capacity, (int64_t)m->end_count + 1, 2 * sizeof(int32_t));
    if (s != NAV_OK) return s;
    m->ends[2 * m->end_count] = m->vert[half];
    m->ends[2 * m->end_count + 1] = m->vert[surface_next(half)];
    *whole = m->whole[half] = m->end_count++;
    return NAV_OK;
}

// Cuts the triangle of an open half-edge at the corners found on it. The last piece keeps the triangle's number and the
// edge behind the one cut; *first: the piece that has the edge before it.
static nav_status split(splitter *s, int32_t half, int32_t *first)
{
    surface_mesh *m = s->m;
    int32_t t = half / 3, n = s->found_count, b = m->vert[surface_next(half)];
    int32_t apex = m->vert[surface_next(surface_next(half))], from = m->vert[half];
    int32_t before = surface_next(surface_next(half)), inner = m->twin[before];
    int32_t whole = SURFACE_NONE, whole_before = SURFACE_NONE;
    nav_status status = nav_surface_note_whole(m, half, &whole);
    if (status == NAV_OK) whole_before = m->whole[before];
    if (status == NAV_OK) status = nav_surface_grow_triangles(m, n);
    if (status == NAV_OK) status = nav_surface_reserve(m, n);
    *first = t;
    int32_t start = from;
    for (int32_t i = 0; i < n && status == NAV_OK; i++) {
        nav_point c = {s->found[i].x, s->found[i].z};
        int32_t mid = nav_surface_vert(m, c.x, c.z, height_along(m, from, b, c)), piece = m->tri_count++;
        m->area[piece] = m->area[t];
        memcpy(m->uncut + 3 * (size_t)piece, m->uncut + 3 * (size_t)t, 3 * sizeof *m->uncut);
        set_triangle(m, piece, (int32_t[3]){start, mid, apex}, (int32_t[3]){SURFACE_NONE, SURFACE_NONE, inner});
        m->whole[3 * piece] = whole;
        m->whole[3 * piece + 1] = SURFACE_NONE;
        m->whole[3 * piece + 2] = whole_before;
        whole_before = SURFACE_NONE; // the next piece has an edge inside of the triangle there
        if (i == 0) *first = piece;
        inner = 3 * piece + 1;
        start = mid;
    }
    if (status != NAV_OK) return status;
    m->vert[half] = start;
    m->whole[before] = SURFACE_NONE;
    m->twin[before] = inner;
    m->twin[inner] = before;
    return NAV_OK;
}

static nav_status split_edges(surface_mesh *m, const int32_t *open, int32_t count)
{
    splitter s = {.m = m, .count = count};
    s.at = NAV_TAKE(m->arena, nav_point, count);
    s.corner = NAV_TAKE(m->arena, int32_t, count);
    if (!s.at || !s.corner) return nav_arena_failure(m->arena);
    for (int32_t i = 0; i < count; i++) {
        s.corner[i] = m->vert[open[i]];
        s.at[i] = surface_at(m, s.corner[i]);
    }
    nav_status status = nav_buckets_build(s.at, s.at, count, m->low, m->high, m->arena, &s.buckets);
    int32_t moved[3] = {0}, triangle = -1; // where the edges of a triangle are by now
    for (int32_t i = 0; i < count && status == NAV_OK; i++) {
        if (open[i] / 3 != triangle) {
            triangle = open[i] / 3;
            for (int k = 0; k < 3; k++) moved[k] = 3 * triangle + k;
        }
        int k = open[i] % 3, before = (k + 2) % 3;
        int32_t half = moved[k], first;
        status = find_corners(&s, half);
        if (status != NAV_OK || s.found_count == 0) continue;
        status = split(&s, half, &first);
        if (status == NAV_OK && first != half / 3) moved[before] = 3 * first + 2;
    }
    return status;
}

// --- edges over the same line

// The half-edge's ends as seen from above: the lower one first.
static void ends_of(const surface_mesh *m, int32_t half, int32_t *low, int32_t *high)
{
    int32_t a = m->vert[half], b = m->vert[surface_next(half)];
    bool forward = nav_point_before(surface_at(m, a), surface_at(m, b));
    *low = forward ? a : b;
    *high = forward ? b : a;
}

static int64_t apart(int32_t a, int32_t b)
{
    int64_t d = (int64_t)a - b;
    return d < 0 ? -d : d;
}

// How far two half-edges over the same line, one to and one fro, are from each other; -1: they are none.
static int64_t gap_between(const surface_mesh *m, int32_t h, int32_t k, int32_t most)
{
    int32_t low, high, low2, high2;
    ends_of(m, h, &low, &high);
    ends_of(m, k, &low2, &high2);
    if (!nav_point_same(surface_at(m, low), surface_at(m, low2)) ||
        !nav_point_same(surface_at(m, high), surface_at(m, high2)) || (m->vert[h] == low) == (m->vert[k] == low2))
        return -1;
    int64_t a = apart(m->y[low], m->y[low2]), b = apart(m->y[high], m->y[high2]);
    return a > most || b > most ? -1 : a + b;
}

static nav_status join_over(surface_mesh *m, const int32_t *open, int32_t count, int32_t most)
{
    int32_t *table;
    uint32_t mask = 0;
    nav_arena_mark mark = nav_arena_get_mark(m->arena);
    nav_status s = take_table(m, count, &table, &mask);
    for (int32_t i = 0; i < count && s == NAV_OK; i++) {
        int32_t h = open[i], low, high, best = -1;
        int64_t least = INT64_MAX;
        if (m->twin[h] != SURFACE_NONE) continue;
        ends_of(m, h, &low, &high);
        uint32_t slot = slot_of((uint32_t)m->x[low] * 31u + (uint32_t)m->z[low],
                                (uint32_t)m->x[high] * 31u + (uint32_t)m->z[high], mask);
        for (int32_t k; (k = table[slot]) >= 0; slot = (slot + 1) & mask) {
            int64_t gap = m->twin[k] == SURFACE_NONE && k / 3 != h / 3 ? gap_between(m, h, k, most) : -1;
            if (gap < 0 || gap >= least) continue;
            least = gap;
            best = k;
        }
        if (best >= 0) {
            m->twin[h] = best;
            m->twin[best] = h;
        } else {
            table[slot] = h;
        }
    }
    nav_arena_release(m->arena, mark);
    return s;
}

nav_status nav_surface_join(surface_mesh *m)
{
    int32_t *open, count;
    nav_status s = join_edges(m);
    if (s == NAV_OK) s = find_open(m, &open, &count);
    if (s != NAV_OK || count == 0) return s;
    s = split_edges(m, open, count);
    if (s == NAV_OK) s = find_open(m, &open, &count);
    if (s == NAV_OK) s = join_over(m, open, count, SURFACE_ROUNDING);
    if (s == NAV_OK && m->cfg->climb_vx > SURFACE_ROUNDING) s = join_over(m, open, count, m->cfg->climb_vx);
    for (int32_t i = 0; i < count && s == NAV_OK; i++) m->open += m->twin[open[i]] == SURFACE_NONE;
    return s;
}
