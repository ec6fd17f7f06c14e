#include "tests/core/sources_fixture.h"
#include "tests/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

nav_shapes found;
nav_floor_set floor_set;
static nav_config cfg;

enum { SPREAD = 4 }; // columns around the boundary that are near

static int32_t nearest_span(const nav_compact_heightfield *f, const float place[3])
{
    double x = ((double)place[0] - cfg.origin_m[0]) / cfg.cell_size_m - (double)cfg.first_column_x;
    double z = ((double)place[2] - cfg.origin_m[2]) / cfg.cell_size_m - (double)cfg.first_column_z;
    int32_t c = (int32_t)floor(z) * f->width + (int32_t)floor(x), best = -1;
    double least = INFINITY;
    for (int32_t i = f->column_first[c]; i < f->column_first[c + 1]; i++) {
        double off = fabs(f->floor[i] * cfg.cell_height_m + cfg.origin_m[1] - (double)place[1]);
        if (off < least) {
            least = off;
            best = i;
        }
    }
    ck_assert_int_ge(best, 0);
    return best;
}

// Breadth first, one span a column: as a layer.
static void flood(const nav_compact_heightfield *f, int32_t from, int32_t *owner)
{
    int32_t *queue = NAV_TAKE(&arena, int32_t, f->span_count), first = 0, last = 0;
    bool *taken = NAV_TAKE_ZERO(&arena, bool, (size_t)f->width *(size_t)f->width);
    ck_assert_ptr_nonnull(queue);
    ck_assert_ptr_nonnull(taken);
    for (queue[last++] = from, owner[from] = 1, taken[f->column[from]] = true; first < last; first++)
        for (int d = 0; d < 4; d++) {
            int32_t n = f->connection[d][queue[first]];
            if (n == NAV_NOT_CONNECTED || owner[n] || taken[f->column[n]]) continue;
            owner[n] = 1;
            taken[f->column[n]] = true;
            queue[last++] = n;
        }
}

static void mark_near(const nav_compact_heightfield *f, const int32_t *owner, uint64_t *near, int32_t words)
{
    for (int32_t i = 0; i < f->span_count; i++) {
        bool ends = false;
        for (int d = 0; d < 4; d++) ends |= f->connection[d][i] == NAV_NOT_CONNECTED;
        if (!owner[i] || !ends) continue;
        int32_t x = f->column[i] % f->width, z = f->column[i] / f->width;
        if (x < 2 || z < 2 || x > f->width - 3 || z > f->width - 3) continue;
        for (int32_t k = z - SPREAD; k <= z + SPREAD; k++)
            for (int32_t m = x - SPREAD; m <= x + SPREAD; m++)
                if (k >= 0 && m >= 0 && k < f->width && m < f->width)
                    near[k * words + (m >> 6)] |= UINT64_C(1) << (m & 63);
    }
}

void find_sources(const scene *s, const nav_volume *volumes, uint32_t volume_count, int32_t tile_x, int32_t tile_z,
                  const float place[3])
{
    static nav_compact_heightfield field;
    nav_mesh *m = scene_mesh(s);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    nav_tile_source src = {
        .settings = &settings, .tile_x = tile_x, .tile_z = tile_z, .instances = &in, .instance_count = 1};
    cfg = config(tile_x, tile_z);
    nav_triangles *triangles = NAV_TAKE(&arena, nav_triangles, 1);
    ck_assert_int_eq(nav_triangles_gather(&src, &cfg, &arena, triangles), NAV_OK);
    field = compact_heightfield(m, tile_x, tile_z);
    ck_assert_int_eq(nav_volumes_apply(&field, volumes, volume_count, true, &cfg, &arena), NAV_OK);
    int32_t *owner = NAV_TAKE_ZERO(&arena, int32_t, field.span_count), words = (field.width + 63) / 64;
    uint64_t *near = NAV_TAKE_ZERO(&arena, uint64_t, words * field.width);
    flood(&field, nearest_span(&field, place), owner);
    mark_near(&field, owner, near, words);
    int32_t *span = NAV_TAKE(&arena, int32_t, field.span_count), count = 0;
    for (int32_t i = 0; i < field.span_count; i++)
        if (owner[i]) span[count++] = i;
    floor_set = (nav_floor_set){&field, span, count, near, words, {1, 1, field.width - 1, field.width - 1}, 0};
    nav_sources *sources;
    found = (nav_shapes){0};
    ck_assert_int_eq(nav_sources_create(triangles, volumes, volume_count, &cfg, SOURCES_UNIT, &arena, &sources),
                     NAV_OK);
    ck_assert_int_eq(nav_sources_find(sources, &floor_set, &found), NAV_OK);
    nav_mesh_destroy(m);
}

static nav_point to_units(float x, float z)
{
    return (nav_point){(int32_t)floor(((double)x - cfg.origin_m[0]) / cfg.cell_size_m * SOURCES_UNIT + 0.5) -
                           cfg.tile_x * cfg.tile_columns * SOURCES_UNIT,
                       (int32_t)floor(((double)z - cfg.origin_m[2]) / cfg.cell_size_m * SOURCES_UNIT + 0.5) -
                           cfg.tile_z * cfg.tile_columns * SOURCES_UNIT};
}

bool has_source(int32_t corners, const float *at)
{
    for (int32_t i = 0; i < found.count; i++) {
        if (found.first[i + 1] - found.first[i] != corners) continue;
        for (int32_t turn = 0; turn < corners; turn++) {
            bool same = true;
            for (int32_t k = 0; k < corners; k++)
                same &=
                    nav_point_same(found.at[found.first[i] + (turn + k) % corners], to_units(at[2 * k], at[2 * k + 1]));
            if (same) return true;
        }
    }
    return false;
}

int32_t sources_near(float x, float z, float distance)
{
    nav_point p = to_units(x, z);
    double units = (double)distance / cfg.cell_size_m * SOURCES_UNIT;
    int32_t count = 0;
    for (int32_t i = 0; i < found.count; i++) {
        const nav_point *at = found.at + found.first[i];
        int32_t n = found.first[i + 1] - found.first[i];
        bool inside = n > 2;
        double least = INFINITY;
        for (int32_t k = 0; k < n; k++) {
            nav_point a = at[k], b = at[(k + 1) % n];
            double dx = b.x - a.x, dz = b.z - a.z, px = p.x - a.x, pz = p.z - a.z, l = dx * dx + dz * dz;
            double t = l > 0 ? fmin(fmax((px * dx + pz * dz) / l, 0), 1) : 0;
            least = fmin(least, hypot(px - t * dx, pz - t * dz));
            inside = inside && nav_right(a, b, p) <= 0;
        }
        count += inside || least <= units;
    }
    return count;
}

void print_sources(void)
{
    for (int32_t i = 0; i < found.count; i++) {
        for (int32_t k = found.first[i]; k < found.first[i + 1]; k++)
            printf(" (%.3f %.3f)",
                   (found.at[k].x / (double)SOURCES_UNIT + cfg.tile_x * cfg.tile_columns) * cfg.cell_size_m,
                   (found.at[k].z / (double)SOURCES_UNIT + cfg.tile_z * cfg.tile_columns) * cfg.cell_size_m);
        printf("\n");
    }
}
