#include "core/outline/faces_work.h"

#include <string.h>

enum { NOBODY = -1 };

static const double PLANE = 1.0 / 8;   // units
static const double SLACK = 1.0 / 32;  // units: less than what widening has to spare for rounding
static const double NEAR_LEVEL = 1e-4; // voxels, as in sources_work.h

typedef struct pair_work {
    face_work face;
    const nav_triangles *triangles;
    uint32_t *id;
    uint8_t *longest;          // per triangle: the edge from that corner to the next
    uint8_t *lists;            // per triangle: the lists that it is in by itself
    int32_t *group;            // by hash of the longest edge and the class: a triangle, or NOBODY
    int32_t *next;             // per triangle: another of the same group, or NOBODY
    uint64_t mask, group_mask; // of the hash tables
} pair_work;

static bool is_walkable(const nav_triangles *t, int32_t triangle)
{
    return t->areas[triangle] != NAV_AREA_NONE;
}

// --- places ---

static void find_ids(pair_work *w, uint32_t *table)
{
    const float *verts = w->triangles->verts;
    for (uint32_t c = 0; c < 3 * w->triangles->count; c++) {
        const float *at = verts + 3 * (size_t)c;
        uint64_t slot = nav_place_hash(at) & w->mask;
        for (; table[slot]; slot = (slot + 1) & w->mask)
            if (nav_place_same(at, verts + 3 * (size_t)(table[slot] - 1))) break;
        if (!table[slot]) table[slot] = c + 1;
        w->id[c] = table[slot] - 1;
    }
}

// --- lists ---

// Which sides the triangles come near to, by world coordinates: both tiles of a border have the same. All of them are
// within the padding of both.
static void find_lists(pair_work *w, const nav_config *c)
{
    const double near = (c->border - 0.5) * c->cell_size_m;
    const double low[2] = {c->origin_m[0] + (double)((int64_t)c->tile_x * c->tile_columns) * c->cell_size_m,
                           c->origin_m[2] + (double)((int64_t)c->tile_z * c->tile_columns) * c->cell_size_m};
    const double high[2] = {c->origin_m[0] + (double)(((int64_t)c->tile_x + 1) * c->tile_columns) * c->cell_size_m,
                            c->origin_m[2] + (double)(((int64_t)c->tile_z + 1) * c->tile_columns) * c->cell_size_m};
    for (uint32_t t = 0; t < w->triangles->count; t++) {
        const float *v = w->triangles->verts + 9 * (size_t)t;
        bool at_low[2], at_high[2], beside[2];
        for (int k = 0; k < 2; k++) {
            const float a = v[2 * k], b = v[2 * k + 3], e = v[2 * k + 6];
            const float less = a < b ? a : b, more = a < b ? b : a;
            const double least = (double)(less < e ? less : e), most = (double)(more > e ? more : e);
            at_low[k] = least <= low[k] + near && most >= low[k] - near;
            at_high[k] = least <= high[k] + near && most >= high[k] - near;
            beside[k] = least <= high[k] + near && most >= low[k] - near;
        }
        w->lists[t] = (uint8_t)(NAV_FACE_OF_REGIONS | (at_low[0] & beside[1]) | (at_high[1] & beside[0]) << 1 |
                                (at_high[0] & beside[1]) << 2 | (at_low[1] & beside[0]) << 3);
    }
}

// --- pairs ---

static uint32_t corner_id(const pair_work *w, int32_t triangle, int32_t k)
{
    return w->id[3 * triangle + k % 3];
}

static uint32_t apex(const pair_work *w, int32_t triangle)
{
    return corner_id(w, triangle, w->longest[triangle] + 2);
}

// The ends of the longest edge, the lower number first.
static void ends(const pair_work *w, int32_t triangle, uint32_t out[2])
{
    const uint32_t a = corner_id(w, triangle, w->longest[triangle]);
    const uint32_t b = corner_id(w, triangle, w->longest[triangle] + 1);
    out[0] = a < b ? a : b;
    out[1] = a < b ? b : a;
}

static void enter_group(pair_work *w, int32_t triangle)
{
    uint32_t mine[2], other[2];
    const bool walkable = is_walkable(w->triangles, triangle);
    ends(w, triangle, mine);
    uint64_t slot = nav_place_mix((uint64_t)mine[0] << 32 | mine[1], walkable) & w->group_mask;
    for (; w->group[slot] != NOBODY; slot = (slot + 1) & w->group_mask) {
        ends(w, w->group[slot], other);
        if (mine[0] == other[0] && mine[1] == other[1] && walkable == is_walkable(w->triangles, w->group[slot])) break;
    }
    w->next[triangle] = w->group[slot];
    w->group[slot] = triangle;
}

static void find_groups(pair_work *w)
{
    for (int32_t t = 0; t < (int32_t)w->triangles->count; t++) {
        const float *v = w->triangles->verts + 9 * (size_t)t;
        const double length2[3] = {nav_place_distance2(v, v + 3), nav_place_distance2(v + 3, v + 6),
                                   nav_place_distance2(v + 6, v)};
        int32_t best = 0;
        for (int32_t k = 1; k < 3; k++)
            if (length2[k] > length2[best] ||
                (length2[k] == length2[best] &&
                 nav_face_compare_edges(&w->face, corner_id(w, t, k), corner_id(w, t, k + 1), corner_id(w, t, best),
                                        corner_id(w, t, best + 1)) < 0))
                best = k;
        w->longest[t] = (uint8_t)best;
        enter_group(w, t);
    }
}

// The two triangles of a group that are in the list, of which there may be several copies. False: there are more, or
// fewer.
static bool only_two(const pair_work *w, int32_t group, uint8_t list, int32_t out[2])
{
    int32_t count = 0;
    for (int32_t t = group; t != NOBODY; t = w->next[t]) {
        if (!(w->lists[t] & list)) continue;
        if (count > 0 && apex(w, t) == apex(w, out[0])) continue;
        if (count > 1 && apex(w, t) == apex(w, out[1])) continue;
        if (count == 2) return false;
        out[count++] = t;
    }
    return count == 2;
}

static const float *place_of(const pair_work *w, uint32_t corner)
{
    return nav_face_place(&w->face, corner);
}

// Always in the same order, so that the same two give the same face, to the last bit, in every tile.
static bool join_two(const pair_work *w, const int32_t two[2], face_polygon *out)
{
    face_polygon p[2];
    uint32_t end[2];
    ends(w, two[0], end);
    if (nav_place_before(place_of(w, end[1]), place_of(w, end[0]))) {
        const uint32_t swap = end[0];
        end[0] = end[1];
        end[1] = swap;
    }
    const bool turn = nav_place_before(place_of(w, apex(w, two[1])), place_of(w, apex(w, two[0])));
    p[0] = (face_polygon){.count = 3, .at = {end[0], end[1], apex(w, two[turn])}};
    p[1] = (face_polygon){.count = 3, .at = {end[1], end[0], apex(w, two[!turn])}};
    return nav_face_join(&w->face, &p[0], &p[1], out);
}

static void join_group(pair_work *w, int32_t group, nav_faces *out)
{
    const bool walkable = is_walkable(w->triangles, group);
    const int32_t other = w->next[group];
    if (w->next[other] == NOBODY) { // two, as a rule
        face_polygon joined;
        if (apex(w, group) == apex(w, other) || !join_two(w, (int32_t[2]){group, other}, &joined)) return;
        const uint8_t lists = w->lists[group] & w->lists[other];
        nav_faces_add(&w->face, out, &joined, lists, walkable);
        w->lists[group] &= (uint8_t)~lists;
        w->lists[other] &= (uint8_t)~lists;
        return;
    }
    for (uint8_t left = NAV_FACE_OF_REGIONS * 2 - 1, list = NAV_FACE_OF_REGIONS; left; list >>= 1) {
        int32_t two[2], also[2];
        face_polygon joined;
        if (!(left & list)) continue;
        left &= (uint8_t)~list;
        if (!only_two(w, group, list, two)) continue;
        uint8_t lists = list;
        for (uint8_t more = list >> 1; more; more >>= 1)
            if ((left & more) && only_two(w, group, more, also) && apex(w, also[0]) == apex(w, two[0]) &&
                apex(w, also[1]) == apex(w, two[1]))
                lists |= more;
        left &= (uint8_t)~lists;
        if (!join_two(w, two, &joined)) continue;
        nav_faces_add(&w->face, out, &joined, lists, walkable);
        for (int32_t t = group; t != NOBODY; t = w->next[t])
            if (apex(w, t) == apex(w, two[0]) || apex(w, t) == apex(w, two[1])) w->lists[t] &= (uint8_t)~lists;
    }
}

static void add_single(nav_faces *out, int32_t triangle, uint8_t lists, bool walkable)
{
    const int32_t first = out->count > 0 ? out->face[out->count - 1].first + out->face[out->count - 1].count : 0;
    for (int32_t k = 0; k < 3; k++) out->corner[first + k] = 3 * (uint32_t)triangle + (uint32_t)k;
    out->face[out->count++] = (nav_face){first, 3, lists, walkable};
}

static nav_status take_work(pair_work *w, nav_arena *arena, uint32_t **table)
{
    const uint32_t n = w->triangles->count;
    uint64_t slots = 64;
    while (slots < 6 * (uint64_t)n) slots *= 2;
    w->mask = slots - 1;
    w->group_mask = slots / 4 - 1;
    w->face.id = w->id = NAV_TAKE(arena, uint32_t, 3 * (size_t)n);
    w->longest = NAV_TAKE(arena, uint8_t, n);
    w->lists = NAV_TAKE(arena, uint8_t, n);
    w->next = NAV_TAKE(arena, int32_t, n);
    w->group = NAV_TAKE(arena, int32_t, slots / 4);
    *table = NAV_TAKE_ZERO(arena, uint32_t, slots);
    return w->id && w->longest && w->lists && w->next && w->group && *table ? NAV_OK : nav_arena_failure(arena);
}

nav_status nav_faces_build(const nav_triangles *triangles, const nav_config *cfg, int32_t unit, nav_arena *arena,
                           nav_faces *out)
{
    const size_t n = triangles->count;
    pair_work w = {.face = {.verts = triangles->verts,
                            .plane = PLANE * cfg->cell_size_m / unit,
                            .slack = SLACK * cfg->cell_size_m / unit,
                            .level = NEAR_LEVEL * cfg->cell_height_m},
                   .triangles = triangles};
    uint32_t *table;
    // A triangle by itself, at most one pair for each triangle (of three with the same edge), and half as many joined.
    *out = (nav_faces){.face = NAV_TAKE(arena, nav_face, 5 * n / 2 + 1), .corner = NAV_TAKE(arena, uint32_t, 10 * n)};
    if (!out->face || !out->corner) return nav_arena_failure(arena);
    nav_arena_mark mark = nav_arena_get_mark(arena);
    nav_status status = take_work(&w, arena, &table);
    if (status != NAV_OK) goto done;
    find_ids(&w, table);
    find_lists(&w, cfg);
    for (size_t i = 0; i <= w.group_mask; i++) w.group[i] = NOBODY;
    find_groups(&w);
    for (size_t i = 0; i <= w.group_mask; i++)
        if (w.group[i] != NOBODY && w.next[w.group[i]] != NOBODY) join_group(&w, w.group[i], out);
    for (int32_t t = 0; t < (int32_t)n; t++)
        if (w.lists[t]) add_single(out, t, w.lists[t], is_walkable(triangles, t));
    status = nav_faces_join_all(&w.face, arena, out);
done:
    nav_arena_release(arena, mark);
    return status;
}
