// Fuzz target: convex shapes from bytes. Their union keeps its promises, wherever they are and in whatever order.
// First byte: how large the grid is, so that corners and edges coincide often.
#include "tests/core/union_judge.h"

#include <stdio.h>
#include <stdlib.h>

static void fail_on(const char *fault)
{
    if (!fault) return;
    fprintf(stderr, "%s\n", fault);
    abort();
}

// The shapes backwards and moved.
static nav_shapes moved_backwards(const nav_shapes *s, nav_point by, nav_arena *arena)
{
    nav_shapes out = {0};
    for (int32_t i = s->count - 1; i >= 0; i--) {
        nav_point p[NAV_SHAPE_MAX_CORNERS];
        int32_t n = 0;
        for (int32_t k = s->first[i]; k < s->first[i + 1]; k++)
            p[n++] = (nav_point){s->at[k].x + by.x, s->at[k].z + by.z};
        if (!union_add_hull(&out, arena, p, n)) abort();
    }
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_SHAPES = 200, MAX_POINTS = 8 };
    if (size < 2) return 0;
    const uint8_t *at = data + 2, *end = data + size;
    int32_t scale = 1 + data[0] % 4 * 37, cells = 3 + data[1];
    nav_arena arena;
    nav_arena_init(&arena, 64 << 20);
    nav_shapes s = {0};
    while (s.count < MAX_SHAPES && at < end) {
        nav_point p[MAX_POINTS];
        int32_t n = 3 + *at++ % (MAX_POINTS - 2);
        if (end - at < 2 * n) break;
        for (int32_t k = 0; k < n; k++, at += 2)
            p[k] = (nav_point){at[0] % cells * scale + at[1] % (scale > 1 ? 3 : 1), at[1] % cells * scale};
        union_add_hull(&s, &arena, p, n);
    }
    nav_loops loops, again;
    nav_point by = {-(1 << 19) + data[0], 12345 + data[1]};
    if (nav_union_build(&s, &arena, &loops) != NAV_OK) abort();
    fail_on(union_loops_fault(&loops));
    fail_on(union_state_fault(&s, &loops, 100, size));
    nav_shapes other = moved_backwards(&s, by, &arena);
    if (nav_union_build(&other, &arena, &again) != NAV_OK) abort();
    if (!union_same_moved(&loops, &again, by, false)) fail_on("place or order matters");
    nav_arena_deinit(&arena);
    return 0;
}
