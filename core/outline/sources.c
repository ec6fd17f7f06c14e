#include "core/outline/sources_work.h"

#include "core/base/sort.h"

#include <math.h>
#include <string.h>

enum {
    BOX_STEP = 1 << 18, // units, of the grid that the box of all sources is put on: most neighbours share it
    COORDINATE_BITS = 22,
    INDEX_BITS = 64 - 2 * COORDINATE_BITS,
};
_Static_assert(NAV_SOURCES_MOST <= 1 << INDEX_BITS, "a source's number fits its key");
_Static_assert(NAV_FACE_OF_REGIONS == 1 << (LISTS - 1), "the regions' list is the last");

static int16_t clamp_to_grid(double column, int32_t width)
{
    return (int16_t)(column < -1 ? -1 : column > width ? width : floor_of(column));
}

// A quarter of a column is added on all sides.
triangle_bounds nav_sources_bounds(const nav_sources *s, const float least[3], const float most[3])
{
    const nav_config *c = s->cfg;
    const double inv = 1 / c->cell_size_m, margin = 0.25;
    const double shift_x = -c->origin_m[0] * inv - (double)c->first_column_x;
    const double shift_z = -c->origin_m[2] * inv - (double)c->first_column_z;
    return (triangle_bounds){clamp_to_grid((double)least[0] * inv + shift_x - margin, c->width),
                             clamp_to_grid((double)least[2] * inv + shift_z - margin, c->width),
                             clamp_to_grid((double)most[0] * inv + shift_x + margin, c->width),
                             clamp_to_grid((double)most[2] * inv + shift_z + margin, c->width),
                             least[1],
                             most[1]};
}

static void find_bounds(nav_sources *s)
{
    for (uint32_t i = 0; i < s->triangles->count; i++) {
        const float *v = s->triangles->verts + 9 * (size_t)i;
        float least[3], most[3];
        for (int k = 0; k < 3; k++) {
            const float a = v[k], b = v[3 + k], c2 = v[6 + k];
            const float low = a < b ? a : b, high = a < b ? b : a;
            least[k] = low < c2 ? low : c2;
            most[k] = high > c2 ? high : c2;
        }
        s->bounds[i] = nav_sources_bounds(s, least, most);
    }
}

static void find_face_bounds(nav_sources *s)
{
    for (int32_t i = 0; i < s->faces.count; i++) {
        const float *a = nav_face_corner(&s->faces, s->triangles, i, 0);
        float least[3] = {a[0], a[1], a[2]}, most[3] = {a[0], a[1], a[2]};
        for (int32_t k = 1; k < s->faces.face[i].count; k++) {
            const float *b = nav_face_corner(&s->faces, s->triangles, i, k);
            for (int d = 0; d < 3; d++) {
                least[d] = least[d] < b[d] ? least[d] : b[d];
                most[d] = most[d] > b[d] ? most[d] : b[d];
            }
        }
        s->face_bounds[i] = nav_sources_bounds(s, least, most);
    }
}

// Which faces are in which list.
static nav_status sort_faces(nav_sources *s)
{
    int32_t total = 0;
    for (int32_t i = 0; i < s->faces.count; i++) total += __builtin_popcount(s->faces.face[i].lists);
    s->listed = NAV_TAKE(s->arena, int32_t, total);
    if (!s->listed) return nav_arena_failure(s->arena);
    total = 0;
    for (int list = 0; list < LISTS; list++) {
        for (int32_t i = 0; i < s->faces.count; i++)
            if (s->faces.face[i].lists >> list & 1) s->listed[total++] = i;
        s->listed_first[list + 1] = total;
    }
    return NAV_OK;
}

nav_status nav_sources_create(const nav_triangles *triangles, const nav_volume *volumes, uint32_t volume_count,
                              const nav_config *cfg, int32_t unit, nav_arena *arena, nav_sources **out)
{
    nav_sources *s = *out = NAV_TAKE_ZERO(arena, nav_sources, 1);
    if (!s) return nav_arena_failure(arena);
    *s = (nav_sources){.triangles = triangles,
                       .volumes = volumes,
                       .volume_count = volume_count,
                       .cfg = cfg,
                       .arena = arena,
                       .unit = unit,
                       .per_unit = 1.0 / unit,
                       .climb = cfg->climb_vx,
                       .height = cfg->height_vx};
    const double corner_x = (double)cfg->tile_x * cfg->tile_columns * unit;
    const double corner_z = (double)cfg->tile_z * cfg->tile_columns * unit;
    s->first_x = 16 * corner_x;
    s->first_z = 16 * corner_z;
    s->box_x0 = (floor(corner_x / BOX_STEP) - 1) * BOX_STEP - corner_x;
    s->box_z0 = (floor(corner_z / BOX_STEP) - 1) * BOX_STEP - corner_z;
    s->box_x1 = s->box_x0 + 3.0 * BOX_STEP;
    s->box_z1 = s->box_z0 + 3.0 * BOX_STEP;
    s->bounds = NAV_TAKE(arena, triangle_bounds, triangles->count);
    s->slabs = NAV_TAKE(arena, slab, cfg->width);
    s->drops.verdicts = NAV_TAKE(arena, verdict, cfg->width);
    if (!s->bounds || !s->slabs || !s->drops.verdicts) return nav_arena_failure(arena);
    nav_status status = nav_floors_create(&s->floors, cfg->width, arena);
    if (status != NAV_OK) return status;
    s->floors.climb = s->climb;
    status = nav_faces_build(triangles, cfg, unit, arena, &s->faces);
    if (status != NAV_OK) return status;
    s->face_bounds = NAV_TAKE(arena, triangle_bounds, s->faces.count);
    s->walls = NAV_TAKE_ZERO(arena, wall *, s->faces.count);
    if (!s->face_bounds || !s->walls) return nav_arena_failure(arena);
    find_bounds(s);
    find_face_bounds(s);
    status = sort_faces(s);
    if (status != NAV_OK) return status;
    status = nav_surface_create(s);
    if (status != NAV_OK) return status;
    s->drops.known = NAV_TAKE_ZERO(arena, drop_edge *, s->surface.edge_count);
    return s->drops.known ? NAV_OK : nav_arena_failure(arena);
}

double nav_sources_metres(const nav_sources *s, double voxels)
{
    return s->cfg->origin_m[1] + voxels * s->cfg->cell_height_m;
}

// --- what comes out ---

// Order of two sources, by their corners and then by how many there are.
static int compare_sources(const nav_shapes *f, int32_t a, int32_t b)
{
    const int32_t count_a = f->first[a + 1] - f->first[a], count_b = f->first[b + 1] - f->first[b];
    for (int32_t i = 0; i < count_a && i < count_b; i++) {
        const nav_point p = f->at[f->first[a] + i], q = f->at[f->first[b] + i];
        if (!nav_point_same(p, q)) return nav_point_before(p, q) ? -1 : 1;
    }
    return count_a - count_b;
}

// Sources in order, each once. The first corner of a source, the least of them, is the upper part of its key; those
// that share it, few, are put in order one by one.
static nav_status put_out(nav_sources *s, nav_shapes *out)
{
    const nav_shapes *f = &s->found;
    const int32_t half = 1 << (COORDINATE_BITS - 1);
    uint64_t *keys = NAV_TAKE(s->arena, uint64_t, f->count);
    if (!keys) return nav_arena_failure(s->arena);
    for (int32_t i = 0; i < f->count; i++) {
        const nav_point p = f->at[f->first[i]];
        keys[i] = (uint64_t)(uint32_t)(p.x + half) << (64 - COORDINATE_BITS) |
                  (uint64_t)(uint32_t)(p.z + half) << INDEX_BITS | (uint64_t)i;
    }
    nav_sort_u64(keys, f->count);
    const int32_t mask = (1 << INDEX_BITS) - 1;
    int32_t kept = 0;
    for (int32_t i = 0; i < f->count; i++) {
        const int32_t source = (int32_t)(keys[i] & (uint64_t)mask);
        int32_t k = kept, order = 1;
        while (k > 0 && keys[k - 1] >> INDEX_BITS == keys[i] >> INDEX_BITS &&
               (order = compare_sources(f, (int32_t)(keys[k - 1] & (uint64_t)mask), source)) > 0)
            k--;
        if (k > 0 && order == 0) continue;
        const uint64_t key = keys[i];
        memmove(keys + k + 1, keys + k, (size_t)(kept - k) * sizeof *keys);
        keys[k] = key;
        kept++;
    }
    nav_status status = nav_shapes_grow(out, s->arena, 0);
    const int32_t before = out->count;
    for (int32_t i = 0; i < kept && status == NAV_OK; i++) {
        const int32_t source = (int32_t)(keys[i] & (uint64_t)mask), corners = f->first[source + 1] - f->first[source];
        status = nav_shapes_grow(out, s->arena, corners);
        if (status != NAV_OK) break;
        memcpy(out->at + out->first[out->count], f->at + f->first[source], (size_t)corners * sizeof *out->at);
        out->first[out->count + 1] = out->first[out->count] + corners;
        out->count++;
    }
    if (status != NAV_OK) out->count = before;
    return status;
}

nav_status nav_sources_find(nav_sources *s, const nav_floor_set *set, nav_shapes *out)
{
    s->set = set;
    s->found.count = 0;
    for (int32_t i = 0; i < s->line_count; i++) s->line_table[s->lines[i].slot] = 0;
    s->line_count = s->interval_count = s->work = 0;
    nav_floors_find(&s->floors, set, s->cfg->radius_columns + 2);
    if (s->floors.empty || s->floors.reach.x0 > s->floors.reach.x1) return NAV_OK;
    nav_status status = nav_sources_walls(s);
    if (status == NAV_OK) status = nav_sources_drops(s);
    if (status == NAV_OK) status = nav_sources_blocks(s);
    if (status == NAV_OK) status = nav_sources_add_lines(s);
    if (status == NAV_OK) status = put_out(s, out);
    return status;
}
