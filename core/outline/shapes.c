#include "core/outline/shapes.h"

#include "core/base/grow.h"

nav_status nav_shapes_grow(nav_shapes *s, nav_arena *arena, int32_t corners)
{
    nav_status status = nav_grow(arena, (void **)&s->first, &s->capacity, (int64_t)s->count + 2, sizeof *s->first);
    if (status != NAV_OK) return status;
    if (s->count == 0) s->first[0] = 0;
    return nav_grow(arena, (void **)&s->at, &s->corner_capacity, (int64_t)s->first[s->count] + corners, sizeof *s->at);
}
