// Where the floor of a sheet ends, but the surface goes on.
//
//      floor      \ other         The turn between two triangles at an edge decides. A smooth one is no edge to the
//     -----------.-'  sheet       agent, and over the rim of an outer one it may go round: there the tile has a seam,
//     away:   <-->                and nothing is kept away from it. Into an inner edge the agent does not fit: it stays
//                                 its radius times tan(turn / 2) away on both sides, which is where it touches both.
//
// Both sides see the same two triangles, so they say the same of an edge, whatever their frames are.
#include "core/surface/seams.h"

#include <math.h>

static const double LAST_COS = -0.5; // of 120 degrees: what turns more is kept away from as if it turned so

static const float *corners_of(const surface_mesh *m, uint32_t triangle)
{
    return m->sheets->triangles->verts + 9 * (size_t)triangle;
}

// From one gathered triangle to another at an edge that they share.
static nav_surface_turn turn_between(const surface_mesh *m, uint32_t from, uint32_t to, const float shared[3])
{
    double n[2][3], middle[3] = {0, 0, 0}, at[3], dot = 0, length2[2] = {0, 0}, above = 0;
    const nav_sheet sheet = m->cfg->sheet;
    nav_surface_world_normal(sheet, corners_of(m, from), n[0]);
    nav_surface_world_normal(sheet, corners_of(m, to), n[1]);
    for (int k = 0; k < 9; k++) middle[k % 3] += (double)corners_of(m, to)[k] - (double)shared[k % 3];
    nav_sheet_to_world(sheet, middle, at);
    for (int a = 0; a < 3; a++) {
        dot += n[0][a] * n[1][a];
        length2[0] += n[0][a] * n[0][a];
        length2[1] += n[1][a] * n[1][a];
        above += n[0][a] * at[a];
    }
    return (nav_surface_turn){dot / sqrt(length2[0] * length2[1]), above > 0};
}

nav_surface_turn nav_surface_turn_between(const surface_mesh *m, uint32_t from, uint32_t to, uint32_t corner)
{
    return turn_between(m, from, to, corners_of(m, from) + 3 * (size_t)corner);
}

static float away_from(const nav_config *cfg, nav_surface_turn t, bool member)
{
    if (member && t.cos >= cfg->seam_smooth_cos) return SURFACE_SEAM;
    if (!t.inner) return member && t.cos >= cfg->seam_outer_cos ? SURFACE_SEAM : (float)cfg->radius_m;
    if (member && cfg->radius <= 0 && t.cos >= cfg->seam_inner_cos) return SURFACE_SEAM;
    const double c = t.cos > 1 ? 1 : t.cos > LAST_COS ? t.cos : LAST_COS; // rounding
    return (float)(cfg->radius_m * sqrt((1 - c) / (1 + c)));
}

float nav_surface_away(const surface_mesh *m, uint32_t from, uint32_t to, const float shared[3])
{
    if (m->sheets->triangles->areas[to] == SURFACE_EXCLUDED) return 0; // no wall stands there
    const bool member = nav_surface_is_ground(m->sheets, m->cfg, to);
    return away_from(m->cfg, turn_between(m, from, to, shared), member);
}

// Floors of one sheet that are joined at an edge which is none to go over.
static void part_sharp_edges(surface_mesh *m)
{
    for (int32_t h = 0; h < 3 * m->tri_count; h++) {
        const int32_t twin = m->twin[h];
        if (twin < h) continue;
        const uint32_t own = (uint32_t)m->source[h / 3], other = (uint32_t)m->source[twin / 3];
        // The same vertex of the world: the gathered triangle's corner is the surface's.
        const float away = nav_surface_away(m, own, other, corners_of(m, own) + 3 * (h % 3));
        if (away == SURFACE_SEAM) continue;
        m->twin[h] = m->twin[twin] = SURFACE_NONE;
        m->away[h] = m->away[twin] = away;
    }
}

// Open half-edges by their two vertices.
typedef struct open_edges {
    int32_t *table, *next;
    uint8_t *met;          // per half-edge: something was found behind it
    float low[3], high[3]; // metres: of their ends, in the frame
    uint32_t mask;
} open_edges;

static uint32_t slot_of(const open_edges *e, int32_t from, int32_t to)
{
    uint64_t h = ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & e->mask;
}

static bool near_tile(const surface_mesh *m, int32_t half)
{
    return surface_is_near(m, surface_at(m, m->vert[half]), surface_at(m, m->vert[surface_next(half)]));
}

// The box of open edges, with a grid's square around.
static void widen(const surface_mesh *m, open_edges *e, int32_t half)
{
    const float *own = corners_of(m, (uint32_t)m->source[half / 3]), around = (float)(2 * m->cfg->unit_size_m);
    for (int k = 0; k < 9; k++) {
        const int a = k % 3;
        if (own[k] - around < e->low[a]) e->low[a] = own[k] - around;
        if (own[k] + around > e->high[a]) e->high[a] = own[k] + around;
    }
}

static nav_status list_open(const surface_mesh *m, open_edges *e)
{
    int64_t size = 64;
    while (size < 4 * (int64_t)m->tri_count) size *= 2;
    if (size > INT32_MAX) return NAV_ERR_LIMIT;
    e->mask = (uint32_t)size - 1;
    e->table = NAV_TAKE(m->arena, int32_t, size);
    e->next = NAV_TAKE(m->arena, int32_t, 3 * (size_t)m->tri_count);
    if (!e->table || !e->next) return nav_arena_failure(m->arena);
    for (int64_t i = 0; i < size; i++) e->table[i] = SURFACE_NONE;
    for (int a = 0; a < 3; a++) {
        e->low[a] = INFINITY;
        e->high[a] = -INFINITY;
    }
    for (int32_t h = 0; h < 3 * m->tri_count; h++) {
        if (m->twin[h] != SURFACE_NONE || !near_tile(m, h)) continue;
        widen(m, e, h);
        const uint32_t slot = slot_of(e, m->vert[h], m->vert[surface_next(h)]);
        e->next[h] = e->table[slot];
        e->table[slot] = h;
    }
    return NAV_OK;
}

// May the triangle have an edge in common with an open one?
static bool is_near(const open_edges *e, const float *v)
{
    for (int a = 0; a < 3; a++)
        if ((v[a] < e->low[a] && v[3 + a] < e->low[a] && v[6 + a] < e->low[a]) ||
            (v[a] > e->high[a] && v[3 + a] > e->high[a] && v[6 + a] > e->high[a]))
            return false;
    return true;
}

// A triangle of another sheet, or of none, may go on behind open edges.
static void look_behind(surface_mesh *m, const open_edges *e, uint32_t triangle)
{
    const float *at = corners_of(m, triangle);
    int32_t vert[3];
    nav_surface_known_verts(m, at, vert);
    for (int k = 0; k < 3; k++) {
        const int32_t from = vert[k], to = vert[(k + 1) % 3];
        if (from < 0 || to < 0) continue;
        for (int32_t h = e->table[slot_of(e, to, from)]; h >= 0; h = e->next[h]) {
            if (m->vert[h] != to || m->vert[surface_next(h)] != from) continue;
            const float away = nav_surface_away(m, (uint32_t)m->source[h / 3], triangle, at + 3 * k);
            // Of several the one that leaves most: what stands on an edge is in the way besides.
            if (!m->met[h] || away < m->away[h]) m->away[h] = away;
            m->met[h] = 1;
        }
    }
}

nav_status nav_surface_find_seams(surface_mesh *m)
{
    open_edges e = {0};
    const size_t halves = 3 * (size_t)m->tri_capacity;
    m->away = NAV_TAKE(m->arena, float, halves);
    m->met = NAV_TAKE_ZERO(m->arena, uint8_t, halves);
    if (!m->away || !m->met) return nav_arena_failure(m->arena);
    for (size_t h = 0; h < halves; h++) m->away[h] = (float)m->cfg->radius_m;
    if (m->cfg->radius > 0) part_sharp_edges(m);
    nav_status s = list_open(m, &e);
    for (uint32_t t = 0; t < m->sheets->triangles->count && s == NAV_OK; t++)
        if (!m->sheets->mine[t] && is_near(&e, corners_of(m, t))) look_behind(m, &e, t);
    return s == NAV_OK ? nav_surface_find_strangers(m) : s;
}
