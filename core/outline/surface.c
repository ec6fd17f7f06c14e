// The walkable surface of a tile, made once for all sets: which of its edges are on no second triangle, and its
// triangles by bins of columns.
#include "core/outline/places.h"
#include "core/outline/sources_work.h"

enum { SURFACE_MOST = NAV_SOURCES_MOST_WORK / 4 }; // triangles

const float *nav_surface_corner(const nav_sources *s, int32_t which, int32_t corner)
{
    return s->triangles->verts + 9 * (size_t)s->surface.triangle[which] + 3 * (corner < 3 ? corner : 0);
}

// --- edges ---

// Enters the edges of a triangle. An entry is 4 * triangle + corner at which the edge begins, + 1; the edges of an
// entry are the same line, the first one found stands for all. Which directions they have: bits of `ways`.
static void enter_edges(const nav_sources *s, int32_t which, int32_t *table, uint8_t *ways, uint64_t mask)
{
    uint64_t hash[4];
    for (int32_t k = 0; k < 3; k++) hash[k] = nav_place_hash(nav_surface_corner(s, which, k));
    hash[3] = hash[0];
    for (int32_t k = 0; k < 3; k++) {
        const float *a = nav_surface_corner(s, which, k), *b = nav_surface_corner(s, which, k + 1);
        uint64_t sum = hash[k] + hash[k + 1], slot = (sum ^ sum >> 32) & mask;
        for (; table[slot]; slot = (slot + 1) & mask) {
            const int32_t other = (table[slot] - 1) >> 2, corner = (table[slot] - 1) & 3;
            const float *c = nav_surface_corner(s, other, corner), *e = nav_surface_corner(s, other, corner + 1);
            if ((nav_place_same(a, c) && nav_place_same(b, e)) || (nav_place_same(a, e) && nav_place_same(b, c))) break;
        }
        if (!table[slot]) table[slot] = 4 * which + k + 1;
        ways[slot] |= nav_place_before(a, b) ? 1 : 2;
    }
}

static nav_status find_edges(nav_sources *s)
{
    surface *f = &s->surface;
    f->edges = NAV_TAKE(s->arena, open_edge, 3 * (size_t)f->count);
    if (!f->edges) return nav_arena_failure(s->arena);
    const nav_arena_mark mark = nav_arena_get_mark(s->arena);
    size_t slots = 64;
    while (slots < 6 * (size_t)f->count) slots *= 2;
    int32_t *table = NAV_TAKE_ZERO(s->arena, int32_t, slots);
    uint8_t *ways = NAV_TAKE_ZERO(s->arena, uint8_t, slots);
    nav_status status = table && ways ? NAV_OK : nav_arena_failure(s->arena);
    for (int32_t i = 0; i < f->count && status == NAV_OK; i++) enter_edges(s, i, table, ways, slots - 1);
    for (size_t slot = 0; slot < slots && status == NAV_OK; slot++) {
        if (ways[slot] == 0 || ways[slot] == 3) continue;
        const int32_t entry = table[slot] - 1;
        const float *a = nav_surface_corner(s, entry >> 2, entry & 3);
        const float *b = nav_surface_corner(s, entry >> 2, (entry & 3) + 1);
        float least[3], most[3];
        for (int k = 0; k < 3; k++) {
            least[k] = a[k] < b[k] ? a[k] : b[k];
            most[k] = a[k] < b[k] ? b[k] : a[k];
        }
        f->edges[f->edge_count++] = (open_edge){nav_sources_bounds(s, least, most), entry};
    }
    nav_arena_release(s->arena, mark);
    return status;
}

// --- bins ---

static nav_status fill_bins(nav_sources *s)
{
    surface *f = &s->surface;
    const int32_t side = (s->cfg->width + SURFACE_BIN - 1) / SURFACE_BIN;
    int64_t total = 0;
    f->side = side;
    f->bin_first = NAV_TAKE_ZERO(s->arena, int32_t, (size_t)side * (size_t)side + 1);
    if (!f->bin_first) return nav_arena_failure(s->arena);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < f->count; i++) {
            const triangle_bounds b = s->bounds[f->triangle[i]];
            for (int32_t z = nav_surface_bin(s, b.z0); z <= nav_surface_bin(s, b.z1); z++)
                for (int32_t x = nav_surface_bin(s, b.x0); x <= nav_surface_bin(s, b.x1); x++) {
                    int32_t *first = &f->bin_first[z * side + x];
                    if (pass == 0)
                        ++*first, ++total;
                    else
                        f->binned[--*first] = i;
                }
        }
        if (pass == 1) break;
        f->crowded = total > NAV_SOURCES_MOST_WORK;
        if (f->crowded) return NAV_OK;
        f->binned = NAV_TAKE(s->arena, int32_t, total);
        if (!f->binned) return nav_arena_failure(s->arena);
        for (int32_t i = 0; i < side * side; i++) f->bin_first[i + 1] += f->bin_first[i];
    }
    return NAV_OK;
}

nav_status nav_surface_create(nav_sources *s)
{
    surface *f = &s->surface;
    const nav_triangles *t = s->triangles;
    for (uint32_t i = 0; i < t->count; i++) f->count += t->areas[i] != NAV_AREA_NONE;
    f->crowded = f->count > SURFACE_MOST;
    if (f->crowded) return NAV_OK;
    f->triangle = NAV_TAKE(s->arena, uint32_t, f->count);
    f->seen = NAV_TAKE_ZERO(s->arena, uint32_t, f->count);
    if (!f->triangle || !f->seen) return nav_arena_failure(s->arena);
    f->count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->areas[i] != NAV_AREA_NONE) f->triangle[f->count++] = i;
    nav_status status = fill_bins(s);
    return status == NAV_OK && !f->crowded ? find_edges(s) : status;
}
