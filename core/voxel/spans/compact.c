// From the heightfield to the compact heightfield: walkable tops become spans, neighbouring columns are connected by
// one walk up both.
#include "core/voxel/spans/heightfield.h"

#include <limits.h>
#include <string.h>

// Connections the spans of two neighbouring columns, a on the lower side, both sorted upwards: the lower of two that do
// not fit together is passed by, so each span gets the lowest partner that is free.
static inline void connect_columns(const nav_compact_heightfield *f, const int32_t *ceiling, int32_t a, int32_t b,
                                   int32_t *there, int32_t *back, int32_t climb, int32_t height)
{
    const int32_t *first = f->column_first, *floor = f->floor;
    int32_t i = first[a], j = first[b], i_end = first[a + 1], j_end = first[b + 1];
    while (i < i_end && j < j_end) {
        int32_t step = floor[j] - floor[i];
        if (step > climb) {
            i++;
        } else if (step < -climb) {
            j++;
        } else {
            int32_t low = ceiling[i] < ceiling[j] ? ceiling[i] : ceiling[j];
            int32_t high = floor[i] > floor[j] ? floor[i] : floor[j];
            if ((int64_t)low - high >= height) {
                there[i] = j;
                back[j] = i;
                i++;
                j++;
            } else if (ceiling[i] < ceiling[j]) {
                i++;
            } else {
                j++;
            }
        }
    }
}

nav_status nav_compact_build(const nav_heightfield *solid, const nav_config *cfg, nav_arena *arena,
                             nav_compact_heightfield *out)
{
    int32_t w = solid->width, columns = w * w, count = 0;
    for (int32_t s = 0; s < solid->span_count; s++) count += solid->area[s] != NAV_AREA_NONE;
    *out = (nav_compact_heightfield){.width = w, .border = cfg->border, .span_count = count};
    out->column_first = NAV_TAKE(arena, int32_t, columns + 1);
    out->column = NAV_TAKE(arena, int32_t, count);
    out->floor = NAV_TAKE(arena, int32_t, count);
    for (int d = 0; d < 4; d++) out->connection[d] = NAV_TAKE(arena, int32_t, count);
    out->area = NAV_TAKE(arena, uint8_t, count);
    nav_arena_mark mark = nav_arena_get_mark(arena);
    int32_t *ceiling = NAV_TAKE(arena, int32_t, count);
    if (!out->column_first || !out->column || !out->floor || !out->connection[0] || !out->connection[1] ||
        !out->connection[2] || !out->connection[3] || !out->area || !ceiling)
        return nav_arena_failure(arena);

    int32_t at = 0, *floor = out->floor, *column = out->column;
    uint8_t *area = out->area;
    for (int d = 0; d < 4; d++) memset(out->connection[d], 0xff, (size_t)count * sizeof(int32_t)); // NAV_NOT_CONNECTED
    for (int32_t c = 0; c < columns; c++) {
        out->column_first[c] = at;
        int32_t end = solid->column_first[c + 1];
        for (int32_t s = solid->column_first[c]; s < end; s++) {
            if (solid->area[s] == NAV_AREA_NONE) continue;
            column[at] = c;
            floor[at] = solid->top[s];
            area[at] = solid->area[s];
            ceiling[at] = s + 1 < end ? solid->bottom[s + 1] : INT32_MAX;
            at++;
        }
    }
    out->column_first[columns] = at;
    for (int32_t z = 0; z < w; z++)
        for (int32_t x = 0; x < w; x++) {
            int32_t c = z * w + x;
            if (out->column_first[c] == out->column_first[c + 1]) continue;
            if (x + 1 < w)
                connect_columns(out, ceiling, c, c + 1, out->connection[2], out->connection[0], cfg->climb_vx,
                                cfg->height_vx);
            if (z + 1 < w)
                connect_columns(out, ceiling, c, c + w, out->connection[1], out->connection[3], cfg->climb_vx,
                                cfg->height_vx);
        }
    nav_arena_release(arena, mark);
    return NAV_OK;
}

static void cut_span(nav_compact_heightfield *f, int32_t i)
{
    for (int d = 0; d < 4; d++) {
        int32_t n = f->connection[d][i];
        if (n == NAV_NOT_CONNECTED) continue;
        f->connection[d][i] = NAV_NOT_CONNECTED;
        f->connection[(d + 2) & 3][n] = NAV_NOT_CONNECTED; // connections are symmetric
    }
}

void nav_compact_cut(nav_compact_heightfield *f)
{
    enum { BLOCK = 32 }; // most blocks have nothing to cut, which is seen at once
    const uint8_t *area = f->area;
    for (int32_t from = 0; from < f->span_count; from += BLOCK) {
        int32_t end = from + BLOCK < f->span_count ? from + BLOCK : f->span_count;
        uint8_t least = UINT8_MAX;
        for (int32_t i = from; i < end; i++) least = area[i] < least ? area[i] : least;
        if (least > NAV_AREA_NONE) continue;
        for (int32_t i = from; i < end; i++)
            if (area[i] == NAV_AREA_NONE) cut_span(f, i);
    }
}
