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
#include "core/base/sort.h"
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

// An edge between two corners, and the half-edges there that wait for one in the other direction: first come, first
// served.
typedef struct edge {
    int32_t least, most; // corners
    int32_t first, last; // SURFACE_NONE: nobody waits
    bool forward;        // those that wait run from least to most
} edge;

static void join_or_wait(surface_mesh *m, edge *e, int32_t half, bool forward, int32_t *next)
{
    int32_t first = e->first;
    if (first != SURFACE_NONE && e->forward != forward) {
        e->first = next[first];
        m->twin[half] = first;
        m->twin[first] = half;
        return;
    }
    if (first == SURFACE_NONE)
        e->first = half;
    else
        next[e->last] = half;
    e->last = half;
    e->forward = forward;
    next[half] = SURFACE_NONE;
}

// Of the steep ones too, after all others.
static nav_status join_edges(surface_mesh *m)
{
    int32_t *table = NULL, count = 0, triangles = m->tri_count + (m->single ? m->steep_count : 0);
    uint32_t mask = 0;
    nav_arena_mark mark = nav_arena_get_mark(m->arena);
    edge *edges = NAV_TAKE(m->arena, edge, 3 * (size_t)triangles);
    int32_t *next = NAV_TAKE(m->arena, int32_t, 3 * (size_t)triangles);
    nav_status s = edges && next ? take_table(m, 3 * (int64_t)triangles, &table, &mask) : nav_arena_failure(m->arena);
    for (int32_t t = 0; t < triangles && s == NAV_OK; t++)
        for (int32_t k = 0; k < 3; k++) {
            int32_t a = m->vert[3 * t + k], b = m->vert[3 * t + (k < 2 ? k + 1 : 0)], i;
            int32_t least = a < b ? a : b, most = a < b ? b : a;
            uint32_t slot = slot_of((uint32_t)least, (uint32_t)most, mask);
            for (; (i = table[slot]) >= 0; slot = (slot + 1) & mask)
                if (edges[i].least == least && edges[i].most == most) break;
            if (i < 0) {
                table[slot] = i = count++;
                edges[i] = (edge){least, most, SURFACE_NONE, SURFACE_NONE, false};
            }
            join_or_wait(m, &edges[i], 3 * t + k, a == least, next);
        }
    nav_arena_release(m->arena, mark);
    return s;
}

// What is known once the steep ones are joined; they are not needed any more.
static void look_at_single(surface_mesh *m)
{
    m->single = m->single && nav_surface_is_single(m);
    for (int32_t h = 0; h < 3 * m->tri_count && m->steep_count > 0; h++)
        if (m->twin[h] >= 3 * m->tri_count) m->twin[h] = SURFACE_NONE;
    m->steep_count = 0;
    if (m->uncut_count == 0) m->uncut_count = m->tri_count; // no volume has cut any
}

static bool is_near(const surface_mesh *m, int32_t half)
{
    return surface_is_near(m, surface_at(m, m->vert[half]), surface_at(m, m->vert[surface_next(half)]));
}

// Near the tile, without a partner, and no seam?
static bool is_open(const surface_mesh *m, int32_t half)
{
    return m->twin[half] == SURFACE_NONE && !(m->away && m->away[half] < 0) && is_near(m, half);
}

// The open half-edges, in order.
static nav_status find_open(surface_mesh *m, int32_t **open, int32_t *count)
{
    int32_t n = 0, halves = 3 * m->tri_count;
    for (int32_t h = 0; h < halves; h++) n += is_open(m, h);
    *open = NAV_TAKE(m->arena, int32_t, n);
    if (!*open) return nav_arena_failure(m->arena);
    *count = 0;
    for (int32_t h = 0; h < halves; h++)
        if (is_open(m, h)) (*open)[(*count)++] = h;
    return NAV_OK;
}

// --- corners on edges

typedef struct on_edge {
    int64_t along; // times the edge's length
    int32_t x, z;
} on_edge;

typedef struct splitter {
    surface_mesh *m;
    surface_buckets buckets; // of the places of open edges' corners
    nav_point *at;           // the places
    int32_t *corner;         // per place: the first vertex there that an open edge has
    int32_t *next;           // per vertex: another one in its place, or SURFACE_NONE
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
    int64_t along = along_edge(p, q, c);
    if (along == 0) return NAV_OK;
    int64_t height = height_along(m, a, b, c), most = m->cfg->climb_vx + SURFACE_ROUNDING;
    int32_t v = s->corner[i];
    while (v >= 0 && (height - m->y[v] > most || height - m->y[v] < -most)) v = s->next[v];
    if (v < 0) return NAV_OK;
    nav_status status =
        nav_grow(m->arena, (void **)&s->found, &s->found_capacity, (int64_t)s->found_count + 1, sizeof *s->found);
    if (status == NAV_OK) s->found[s->found_count++] = (on_edge){along, c.x, c.z};
    return status;
}

static bool is_before(const void *none, const on_edge *a, const on_edge *b)
{
    (void)none;
    if (a->along != b->along) return a->along < b->along;
    return nav_point_before((nav_point){a->x, a->z}, (nav_point){b->x, b->z});
}

NAV_DEFINE_SORT(sort_found, on_edge, const void *, is_before)

// Along the edge, and each place once.
static void order_found(splitter *s)
{
    int32_t n = s->found_count, kept = 0;
    sort_found(s->found, n, NULL);
    for (int32_t i = 0; i < n; i++)
        if (kept == 0 || s->found[i].x != s->found[kept - 1].x || s->found[i].z != s->found[kept - 1].z)
            s->found[kept++] = s->found[i];
    s->found_count = kept;
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
    order_found(s);
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
    if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->piece, &capacity, count, sizeof(int32_t));
    capacity = m->tri_capacity;
    if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->twin, &capacity, count, 3 * sizeof(int32_t));
    if (s == NAV_OK && m->away) {
        capacity = m->tri_capacity;
        s = nav_grow(m->arena, (void **)&m->away, &capacity, count, 3 * sizeof(float));
        capacity = m->tri_capacity;
        if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->met, &capacity, count, 3);
        capacity = m->tri_capacity;
        if (s == NAV_OK) s = nav_grow(m->arena, (void **)&m->source, &capacity, count, sizeof(int32_t));
    }
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
        m->piece = NAV_TAKE(m->arena, int32_t, m->tri_capacity);
        if (!m->uncut || !m->piece) return nav_arena_failure(m->arena);
        memset(m->piece, 0xff, (size_t)m->tri_capacity * sizeof *m->piece);
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
        m->piece[piece] = m->piece[t];
        m->piece[t] = piece;
        memcpy(m->uncut + 3 * (size_t)piece, m->uncut + 3 * (size_t)t, 3 * sizeof *m->uncut);
        set_triangle(m, piece, (int32_t[3]){start, mid, apex}, (int32_t[3]){SURFACE_NONE, SURFACE_NONE, inner});
        m->whole[3 * piece] = whole;
        m->whole[3 * piece + 1] = SURFACE_NONE;
        m->whole[3 * piece + 2] = whole_before;
        if (m->away) {
            m->source[piece] = m->source[t];
            m->away[3 * piece] = m->away[half];
            m->away[3 * piece + 2] = m->away[before];
            m->met[3 * piece] = m->met[half];
            m->met[3 * piece + 2] = m->met[before];
        }
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

static uint32_t place_slot(const splitter *s, const int32_t *table, uint32_t mask, nav_point p)
{
    uint32_t slot = slot_of((uint32_t)p.x, (uint32_t)p.z, mask);
    for (int32_t k; (k = table[slot]) >= 0 && !nav_point_same(s->at[k], p);) slot = (slot + 1) & mask;
    return slot;
}

// Thousands of edges may begin at a corner, and thousands of corners may stand above each other. more: vertices to look
// at besides.
static nav_status find_places(splitter *s, const int32_t *open, int32_t count, const int32_t *more, int32_t more_count)
{
    surface_mesh *m = s->m;
    int32_t *table = NULL, all = count + more_count;
    uint32_t mask = 0;
    s->at = NAV_TAKE(m->arena, nav_point, all);
    s->corner = NAV_TAKE(m->arena, int32_t, all);
    s->next = NAV_TAKE(m->arena, int32_t, m->vert_count);
    if (!s->at || !s->corner || !s->next) return nav_arena_failure(m->arena);
    nav_arena_mark mark = nav_arena_get_mark(m->arena);
    uint8_t *seen = NAV_TAKE_ZERO(m->arena, uint8_t, m->vert_count);
    nav_status status = seen ? take_table(m, all, &table, &mask) : nav_arena_failure(m->arena);
    for (int32_t i = 0; i < all && status == NAV_OK; i++) {
        int32_t v = i < count ? m->vert[open[i]] : more[i - count];
        if (seen[v]) continue;
        seen[v] = 1;
        uint32_t slot = place_slot(s, table, mask, surface_at(m, v));
        int32_t k = table[slot];
        s->next[v] = k >= 0 ? s->corner[k] : SURFACE_NONE;
        if (k < 0) {
            table[slot] = k = s->count++;
            s->at[k] = surface_at(m, v);
        }
        s->corner[k] = v;
    }
    nav_arena_release(m->arena, mark);
    return status;
}

static nav_status split_edges(surface_mesh *m, const int32_t *open, int32_t count)
{
    splitter s = {.m = m};
    int32_t *strange = NULL, strange_count = 0;
    nav_status status = NAV_OK;
    if (m->sheets) status = nav_surface_add_strange_corners(m, &strange, &strange_count);
    if (status == NAV_OK) status = find_places(&s, open, count, strange, strange_count);
    if (status == NAV_OK) status = nav_buckets_build(s.at, s.at, s.count, m->low, m->high, m->arena, &s.buckets);
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

// How far two half-edges over the same line are from each other; -1: farther than `most`.
static int64_t gap_between(const surface_mesh *m, int32_t h, int32_t k, int32_t most)
{
    int32_t low, high, low2, high2;
    ends_of(m, h, &low, &high);
    ends_of(m, k, &low2, &high2);
    int64_t a = apart(m->y[low], m->y[low2]), b = apart(m->y[high], m->y[high2]);
    return a > most || b > most ? -1 : a + b;
}

// A line as seen from above, and the half-edges over it that nothing is joined to, by where they run: up or down it.
typedef struct line {
    nav_point low, high;
    int32_t first[2], last[2];
} line;

typedef struct over {
    surface_mesh *m;
    int32_t *table;
    uint32_t mask;
    line *lines;
    int32_t count;
    int32_t *next; // per half-edge of `open`, by its place there
} over;

static line *line_at(over *w, nav_point low, nav_point high)
{
    uint32_t slot =
        slot_of((uint32_t)low.x * 31u + (uint32_t)low.z, (uint32_t)high.x * 31u + (uint32_t)high.z, w->mask);
    for (int32_t i; (i = w->table[slot]) >= 0; slot = (slot + 1) & w->mask)
        if (nav_point_same(w->lines[i].low, low) && nav_point_same(w->lines[i].high, high)) return &w->lines[i];
    line *l = &w->lines[w->count];
    w->table[slot] = w->count++;
    *l = (line){low, high, {SURFACE_NONE, SURFACE_NONE}, {SURFACE_NONE, SURFACE_NONE}};
    return l;
}

// Joins a half-edge to the one that runs the other way nearest to it, or lets it wait.
static void join_nearest(over *w, const int32_t *open, int32_t i, int32_t most)
{
    surface_mesh *m = w->m;
    int32_t h = open[i], low, high, best = -1, before_best = -1;
    int64_t least = INT64_MAX;
    ends_of(m, h, &low, &high);
    line *l = line_at(w, surface_at(m, low), surface_at(m, high));
    int own = m->vert[h] == low, other = !own;
    for (int32_t k = l->first[other], before = -1; k >= 0; before = k, k = w->next[k]) {
        int64_t gap = open[k] / 3 != h / 3 ? gap_between(m, h, open[k], most) : -1;
        if (gap < 0 || gap >= least) continue;
        least = gap;
        best = k;
        before_best = before;
    }
    if (best < 0) {
        if (l->first[own] < 0)
            l->first[own] = i;
        else
            w->next[l->last[own]] = i;
        l->last[own] = i;
        w->next[i] = SURFACE_NONE;
        return;
    }
    m->twin[h] = open[best];
    m->twin[open[best]] = h;
    if (before_best < 0)
        l->first[other] = w->next[best];
    else
        w->next[before_best] = w->next[best];
    if (l->last[other] == best) l->last[other] = before_best;
}

static nav_status join_over(surface_mesh *m, const int32_t *open, int32_t count, int32_t most)
{
    nav_arena_mark mark = nav_arena_get_mark(m->arena);
    over w = {.m = m, .lines = NAV_TAKE(m->arena, line, count), .next = NAV_TAKE(m->arena, int32_t, count)};
    nav_status s = w.lines && w.next ? take_table(m, count, &w.table, &w.mask) : nav_arena_failure(m->arena);
    for (int32_t i = 0; i < count && s == NAV_OK; i++)
        if (m->twin[open[i]] == SURFACE_NONE) join_nearest(&w, open, i, most);
    nav_arena_release(m->arena, mark);
    return s;
}

nav_status nav_surface_join(surface_mesh *m)
{
    int32_t *open, count;
    nav_status s = join_edges(m);
    look_at_single(m);
    if (s == NAV_OK && m->sheets) s = nav_surface_find_seams(m);
    if (s == NAV_OK && m->single) {
        for (int32_t h = 0; h < 3 * m->tri_count; h++) m->open += m->twin[h] == SURFACE_NONE && is_near(m, h);
        return NAV_OK;
    }
    if (s == NAV_OK) s = find_open(m, &open, &count);
    if (s != NAV_OK || count == 0) return s;
    s = split_edges(m, open, count);
    if (s == NAV_OK) s = find_open(m, &open, &count);
    if (s == NAV_OK) s = join_over(m, open, count, SURFACE_ROUNDING);
    if (s == NAV_OK && m->sheets) {
        nav_surface_meet_strangers(m, open, count);
        s = find_open(m, &open, &count);
    }
    if (s == NAV_OK && m->cfg->climb_vx > SURFACE_ROUNDING) s = join_over(m, open, count, m->cfg->climb_vx);
    for (int32_t i = 0; i < count && s == NAV_OK; i++) m->open += m->twin[open[i]] == SURFACE_NONE;
    return s;
}
