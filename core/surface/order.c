#include "core/surface/order.h"

#include "core/base/sort.h"

#include <string.h>

enum {
    PLACE_BITS = 8, // squares along each side of the tile, with its padding
    SQUARES = 1 << PLACE_BITS,
    INDEX_BITS = 32,
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    FEW = 32, // below, counting digits does not pay
};

static uint64_t square_of(double at, double min, double max)
{
    const double k = (at - min) / (max - min) * SQUARES;
    return k > 0 ? k < SQUARES ? (uint64_t)k : SQUARES - 1 : 0;
}

static bool is_less(const void *unused, const uint64_t *a, const uint64_t *b)
{
    (void)unused;
    return *a < *b;
}

NAV_DEFINE_SORT(sort_few, uint64_t, const void *, is_less)

// By the squares, least significant digit first.
static void sort_many(uint64_t *keys, uint64_t *spare, uint32_t count)
{
    for (int shift = INDEX_BITS; shift < INDEX_BITS + 2 * PLACE_BITS; shift += DIGIT_BITS) {
        uint32_t first[DIGITS] = {0}, at = 0;
        for (uint32_t i = 0; i < count; i++) first[keys[i] >> shift & (DIGITS - 1)]++;
        for (int k = 0; k < DIGITS; k++) {
            const uint32_t here = first[k];
            first[k] = at;
            at += here;
        }
        for (uint32_t i = 0; i < count; i++) spare[first[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
        memcpy(keys, spare, count * sizeof *keys);
    }
}

static bool is_before(const nav_triangles *t, const uint64_t *a, const uint64_t *b)
{
    const uint32_t i = (uint32_t)*a, k = (uint32_t)*b;
    const int by_place = memcmp(t->verts + 9 * (size_t)i, t->verts + 9 * (size_t)k, 9 * sizeof(float));
    return by_place != 0 ? by_place < 0 : t->areas[i] < t->areas[k];
}

NAV_DEFINE_SORT(sort_square, uint64_t, const nav_triangles *, is_before)

nav_status nav_surface_order(const nav_triangles *triangles, const nav_tile_source *source, nav_arena *arena,
                             nav_triangles *out)
{
    const uint32_t count = triangles->count;
    double min[2], max[2];
    uint64_t *keys = NAV_TAKE(arena, uint64_t, count), *spare = NAV_TAKE(arena, uint64_t, count);
    *out = *triangles;
    out->verts = NAV_TAKE(arena, float, 9 * (size_t)count);
    out->areas = NAV_TAKE(arena, uint8_t, count);
    if (!keys || !spare || !out->verts || !out->areas) return nav_arena_failure(arena);
    nav_tile_padded_bounds(source->settings, source->tile_x, source->tile_z, min, max);
    for (uint32_t t = 0; t < count; t++) {
        const float *v = triangles->verts + 9 * (size_t)t;
        const uint64_t x = square_of((double)v[0], min[0], max[0]), z = square_of((double)v[2], min[1], max[1]);
        keys[t] = (z << PLACE_BITS | x) << INDEX_BITS | t;
    }
    if (count < FEW)
        sort_few(keys, (int32_t)count, NULL);
    else
        sort_many(keys, spare, count);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && keys[end] >> INDEX_BITS == keys[i] >> INDEX_BITS;) end++;
        if (end - i > 1) sort_square(keys + i, (int32_t)(end - i), triangles);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = (uint32_t)keys[i];
        memcpy(out->verts + 9 * (size_t)i, triangles->verts + 9 * (size_t)t, 9 * sizeof(float));
        out->areas[i] = triangles->areas[t];
    }
    return NAV_OK;
}
