#include "core/outline/union.h"

#include "core/outline/union_work.h"

#include <assert.h>

static nav_status take_loops(nav_arena *arena, int32_t corners, nav_loops *out)
{
    *out = (nav_loops){.first = NAV_TAKE(arena, int32_t, corners / 3 + 1),
                       .at = NAV_TAKE(arena, nav_point, corners),
                       .shape = NAV_TAKE(arena, int32_t, corners)};
    return out->first && out->at && out->shape ? NAV_OK : nav_arena_failure(arena);
}

nav_status nav_union_build(const nav_shapes *shapes, nav_arena *arena, nav_loops *out)
{
    return nav_union_build_inside(shapes, (nav_point){INT32_MIN, INT32_MIN}, (nav_point){INT32_MAX, INT32_MAX}, arena,
                                  out);
}

nav_status nav_union_build_inside(const nav_shapes *shapes, nav_point low, nav_point high, nav_arena *arena,
                                  nav_loops *out)
{
    *out = (nav_loops){0};
    int32_t corners = shapes->count > 0 ? shapes->first[shapes->count] : 0;
    for (int32_t i = 0; i < shapes->count; i++) {
        assert(shapes->first[i + 1] - shapes->first[i] >= 3);
        assert(shapes->first[i + 1] - shapes->first[i] <= NAV_SHAPE_MAX_CORNERS);
    }
    nav_status st = take_loops(arena, corners + 64, out);
    nav_arena_mark scratch = nav_arena_get_mark(arena);
    if (st != NAV_OK) return st;
    union_work w = {.shapes = shapes, .arena = arena, .inside = {low, high}};
    bool fits = true;
    out->first[0] = 0;
    if (corners == 0) goto done;
    w.few = shapes->count <= UNION_FEW && corners <= UNION_FEW_CORNERS;
    st = w.few ? nav_union_find_few(&w) : nav_union_find_cells(&w);
    if (st != NAV_OK) goto done;
    st = nav_union_find_parts(&w);
    if (st != NAV_OK) goto done;
    st = nav_union_snap(&w);
    if (st != NAV_OK) goto done;
    fits = w.piece_count <= corners + 64;
    if (!fits) st = take_loops(arena, w.piece_count, out); // scratch then stays, below the loops
    if (st != NAV_OK) goto done;
    st = nav_union_link(&w, out);
done:
    if (st != NAV_OK) *out = (nav_loops){0};
    if (st != NAV_OK || fits) nav_arena_release(arena, scratch);
    return st;
}
