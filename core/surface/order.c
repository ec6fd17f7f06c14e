#include "core/surface/order.h"

#include <stdlib.h>
#include <string.h>

typedef struct record {
    float verts[9];
    uint32_t area; // a whole word, so that all bytes count
} record;

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(record));
}

nav_status nav_surface_order(const nav_triangles *triangles, nav_arena *arena, nav_triangles *out)
{
    const size_t count = triangles->count;
    record *list = NAV_TAKE(arena, record, count);
    *out = *triangles;
    out->verts = NAV_TAKE(arena, float, 9 * count);
    out->areas = NAV_TAKE(arena, uint8_t, count);
    if (!list || !out->verts || !out->areas) return nav_arena_failure(arena);
    for (size_t t = 0; t < count; t++) {
        memcpy(list[t].verts, triangles->verts + 9 * t, sizeof list[t].verts);
        list[t].area = triangles->areas[t];
    }
    if (count > 1) qsort(list, count, sizeof *list, compare);
    for (size_t t = 0; t < count; t++) {
        memcpy(out->verts + 9 * t, list[t].verts, sizeof list[t].verts);
        out->areas[t] = (uint8_t)list[t].area;
    }
    return NAV_OK;
}
