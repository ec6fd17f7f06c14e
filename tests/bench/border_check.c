#include "tests/bench/border_check.h"
#include "tests/bench/tile_builder.h"
#include "tests/core/borders.h"

#include <stdio.h>
#include <stdlib.h>

static void compare(border_report *out, border_line *low_side, border_line *high_side)
{
    out->pairs++;
    out->points += (uint64_t)(low_side->count + high_side->count);
    out->different += (uint64_t)border_difference(low_side, high_side);
    border_line_free(low_side);
    border_line_free(high_side);
}

// Row by row; what a later tile will be compared with is kept: the right side of the tile before, and the far sides of
// the row before.
static void walk(tile_builder *b, border_line *above, border_report *out)
{
    for (int32_t z = 0; z < b->count[1]; z++) {
        border_line left = {0};
        for (int32_t x = 0; x < b->count[0]; x++) {
            nav_tile tile = {0};
            if (tile_builder_build(b, x, z, NULL, &tile) != NAV_OK) {
                out->failed_tiles++;
                tile = (nav_tile){0};
            }
            border_line xmin = border_line_of(&tile, NAV_EDGE_PORTAL_XMIN);
            border_line zmin = border_line_of(&tile, NAV_EDGE_PORTAL_ZMIN);
            if (x)
                compare(out, &left, &xmin);
            else
                border_line_free(&xmin);
            if (z)
                compare(out, &above[x], &zmin);
            else
                border_line_free(&zmin);
            left = border_line_of(&tile, NAV_EDGE_PORTAL_XMAX);
            above[x] = border_line_of(&tile, NAV_EDGE_PORTAL_ZMAX);
        }
        border_line_free(&left);
    }
    out->arena_peak_bytes = b->arena.peak_bytes;
}

bool border_check(const scene *s, const nav_settings *settings, border_report *out)
{
    tile_builder b;
    border_line *above = NULL;
    *out = (border_report){0};
    bool ok = tile_builder_init(&b, s, settings);
    if (ok && !(above = calloc((size_t)b.count[0], sizeof *above))) {
        fprintf(stderr, "bench: no memory for borders\n");
        ok = false;
    }
    if (ok) walk(&b, above, out);
    for (int32_t x = 0; above && x < b.count[0]; x++) border_line_free(&above[x]);
    free(above);
    tile_builder_deinit(&b);
    return ok;
}
