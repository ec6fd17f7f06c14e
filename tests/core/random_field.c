#include "tests/core/random_field.h"
#include "core/voxel/spans/heightfield.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <math.h>
#include <string.h>

enum { FLOORS = 5, PATCHES = 40 };

typedef struct patch {
    float x, z, half_x, half_z;
} patch;

// Rectangles that cover about this share of the field. Returns their number.
static int make_patches(patch *p, float share, int32_t width, uint32_t *seed)
{
    int count = 0;
    for (float covered = 0; covered < share * (float)(width * width) && count < PATCHES; count++) {
        float side = 0.12f * (float)width;
        p[count] = (patch){scene_random_between(seed, 0, (float)width), scene_random_between(seed, 0, (float)width),
                           scene_random_between(seed, 0.4f, side), scene_random_between(seed, 0.4f, side)};
        covered += 4 * p[count].half_x * p[count].half_z;
    }
    return count;
}

static bool is_inside(const patch *p, int count, int32_t x, int32_t z)
{
    for (int k = 0; k < count; k++)
        if (fabsf((float)x - p[k].x) <= p[k].half_x && fabsf((float)z - p[k].z) <= p[k].half_z) return true;
    return false;
}

static void connect_columns(const nav_compact_heightfield *f, int32_t a, int32_t b, int d, int32_t climb)
{
    int32_t i = f->column_first[a], j = f->column_first[b];
    while (i < f->column_first[a + 1] && j < f->column_first[b + 1]) {
        int32_t step = f->floor[j] - f->floor[i];
        if (step > climb) {
            i++;
        } else if (step < -climb) {
            j++;
        } else {
            if (f->area[i] != NAV_AREA_NONE && f->area[j] != NAV_AREA_NONE) {
                f->connection[d][i] = j;
                f->connection[(d + 2) & 3][j] = i;
            }
            i++;
            j++;
        }
    }
}

static void *take(nav_arena *arena, int32_t count, size_t size)
{
    void *p = nav_arena_take(arena, (size_t)count, size);
    ck_assert_ptr_nonnull(p);
    return p;
}

nav_compact_heightfield random_field(const random_field_shape *shape, int32_t climb, uint32_t *seed, nav_arena *arena)
{
    int32_t w = shape->width, most = w * w * shape->floors;
    nav_compact_heightfield f = {.width = w, .border = shape->border};
    f.column_first = take(arena, w * w + 1, sizeof(int32_t));
    f.column = take(arena, most, sizeof(int32_t));
    f.floor = take(arena, most, sizeof(int32_t));
    for (int d = 0; d < 4; d++) f.connection[d] = take(arena, most, sizeof(int32_t));
    f.area = take(arena, most, 1);
    f.distance = take(arena, most, sizeof(uint16_t));
    patch holes[FLOORS][PATCHES], blocks[PATCHES], areas[PATCHES];
    int hole_count[FLOORS], block_count = make_patches(blocks, shape->blocked, w, seed);
    int area_count = make_patches(areas, shape->areas > 1 ? 0.3f : 0, w, seed);
    float slope[FLOORS][4];
    for (int k = 0; k < shape->floors; k++) {
        hole_count[k] = make_patches(holes[k], k == 0 ? shape->holes : 0.3f + shape->holes, w, seed);
        for (int i = 0; i < 4; i++) slope[k][i] = scene_random_between(seed, -1, 1);
    }
    for (int32_t c = 0; c < w * w; c++) {
        int32_t x = c % w, z = c / w, first = f.span_count;
        float fx = (float)x / (float)w, fz = (float)z / (float)w;
        f.column_first[c] = first;
        for (int k = 0; k < shape->floors; k++) {
            if (is_inside(holes[k], hole_count[k], x, z)) continue;
            float bend = slope[k][0] * fx + slope[k][1] * fz + slope[k][2] * sinf(9 * fx + 5 * fz * slope[k][3]);
            int32_t floor = 9 * k + (int32_t)floorf(shape->relief * bend), at = f.span_count++;
            for (; at > first && f.floor[at - 1] > floor; at--) f.floor[at] = f.floor[at - 1];
            f.floor[at] = floor;
        }
        int32_t end = first;
        for (int32_t s = first; s < f.span_count; s++) // one of those at the same voxel
            if (end == first || f.floor[end - 1] < f.floor[s]) f.floor[end++] = f.floor[s];
        f.span_count = end;
        for (int32_t s = first; s < end; s++) {
            f.column[s] = c;
            f.area[s] =
                (uint8_t)(NAV_AREA_DEFAULT - (is_inside(areas, area_count, x, z) ? 1 + s % (shape->areas - 1) : 0));
            if (is_inside(blocks, block_count, x, z) && scene_random(seed) % 8 != 0) f.area[s] = NAV_AREA_NONE;
            for (int d = 0; d < 4; d++) f.connection[d][s] = NAV_NOT_CONNECTED;
        }
    }
    f.column_first[w * w] = f.span_count;
    for (int32_t c = 0; c < w * w; c++) {
        if (c % w + 1 < w) connect_columns(&f, c, c + 1, 2, climb);
        if (c / w + 1 < w) connect_columns(&f, c, c + w, 1, climb);
    }
    if (shape->blocked == 0) ck_assert_int_eq(nav_compact_rows_build(&f, arena), NAV_OK);
    return f;
}

random_field_shape random_field_trial(int k)
{
    static const int32_t widths[] = {58, 17, 64, 33, 65, 130, 70, 129, 26};
    return (random_field_shape){
        .width = widths[k % 9],
        .border = 3 + k % 4,
        .floors = 1 + k % FLOORS,
        .areas = 1 + k / 3 % 3,
        .relief = (float)(k / 2 % 6 * 5),
        .holes = (float)(k / 4 % 4) * 0.15f,
        .blocked = k / 5 % 3 == 2 ? 0.1f : 0,
    };
}
