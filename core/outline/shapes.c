#include "core/outline/shapes.h"

#include "core/base/grow.h"

#include <string.h>

int64_t nav_loop_area2(const nav_point *at, int32_t corners)
{
    int64_t sum = 0;
    for (int32_t k = 2; k < corners; k++) sum += nav_right(at[0], at[k - 1], at[k]);
    return sum;
}

nav_status nav_shapes_grow(nav_shapes *s, nav_arena *arena, int32_t corners)
{
    nav_status status = nav_grow(arena, (void **)&s->first, &s->capacity, (int64_t)s->count + 2, sizeof *s->first);
    if (status != NAV_OK) return status;
    if (s->count == 0) s->first[0] = 0;
    return nav_grow(arena, (void **)&s->at, &s->corner_capacity, (int64_t)s->first[s->count] + corners, sizeof *s->at);
}

nav_status nav_shapes_add(nav_shapes *s, nav_arena *arena, const nav_point *at, int32_t corners)
{
    nav_status status = nav_shapes_grow(s, arena, corners);
    if (status != NAV_OK) return status;
    memcpy(s->at + s->first[s->count], at, (size_t)corners * sizeof *at);
    s->first[s->count + 1] = s->first[s->count] + corners;
    s->count++;
    return NAV_OK;
}

// Source: A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions (1979).
int32_t nav_convex_hull(nav_point *at, int32_t count, nav_point *to)
{
    int32_t kept = 0;
    for (int32_t i = 1; i < count; i++) {
        nav_point p = at[i];
        int32_t k = i;
        for (; k > 0 && nav_point_before(p, at[k - 1]); k--) at[k] = at[k - 1];
        at[k] = p;
    }
    for (int32_t i = 0; i < count; i++) {
        if (kept > 0 && nav_point_same(to[kept - 1], at[i])) continue;
        while (kept > 1 && nav_right(to[kept - 2], to[kept - 1], at[i]) >= 0) kept--;
        to[kept++] = at[i];
    }
    if (kept <= 1) return kept;
    const int32_t lower_count = kept;
    for (int32_t i = count - 2; i >= 0; i--) {
        if (nav_point_same(to[kept - 1], at[i])) continue;
        while (kept > lower_count && nav_right(to[kept - 2], to[kept - 1], at[i]) >= 0) kept--;
        to[kept++] = at[i];
    }
    return kept - 1; // the last is the first once more
}

nav_status nav_shapes_add_hull(nav_shapes *s, nav_arena *arena, nav_point *at, int32_t count)
{
    nav_point hull[4 * NAV_SHAPE_MAX_CORNERS];
    int32_t n = nav_convex_hull(at, count, hull);
    return n < 3 ? NAV_OK : nav_shapes_add(s, arena, hull, n);
}
