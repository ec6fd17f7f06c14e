// The finished compact heightfield: without eroded spans, and as rows of bits.
#include "core/voxel/spans/heightfield.h"

// Moves the spans that have an area to the front; moved: where each goes.
static void take_out_spans(nav_compact_heightfield *f, int32_t *moved)
{
    int32_t at = 0, columns = f->width * f->width;
    for (int32_t i = 0; i < f->span_count; i++) {
        moved[i] = f->area[i] == NAV_AREA_NONE ? NAV_NOT_CONNECTED : at;
        at += f->area[i] != NAV_AREA_NONE;
    }
    int32_t first = 0;
    for (int32_t c = 0; c < columns; c++) {
        int32_t end = f->column_first[c + 1], left = 0;
        for (int32_t i = first; i < end; i++) {
            int32_t to = moved[i];
            if (to == NAV_NOT_CONNECTED) continue;
            left++;
            f->column[to] = c;
            f->floor[to] = f->floor[i];
            f->area[to] = f->area[i];
            for (int d = 0; d < 4; d++) {
                int32_t n = f->connection[d][i];
                f->connection[d][to] = n == NAV_NOT_CONNECTED ? NAV_NOT_CONNECTED : moved[n];
            }
        }
        first = end;
        f->column_first[c + 1] = f->column_first[c] + left;
    }
    f->span_count = at;
}

nav_status nav_compact_finish(nav_compact_heightfield *f, nav_arena *arena)
{
    nav_arena_mark mark = nav_arena_get_mark(arena);
    int32_t *moved = NAV_TAKE(arena, int32_t, f->span_count);
    if (!moved) return nav_arena_failure(arena);
    take_out_spans(f, moved);
    nav_arena_release(arena, mark);
    return nav_compact_rows_build(f, arena);
}

nav_status nav_compact_rows_init(nav_compact_rows *rows, int32_t width, int32_t ranks, bool one_area, nav_arena *arena)
{
    *rows = (nav_compact_rows){.words = (width + 63) / 64, .ranks = ranks, .one_area = one_area};
    size_t words = (size_t)rows->words * (size_t)width;
    int32_t sets = ranks + (one_area ? 2 : 4) * ranks * ranks;
    uint64_t *at = NAV_TAKE_ZERO(arena, uint64_t, words * (size_t)sets);
    if (!at) return nav_arena_failure(arena);
    for (int32_t r = 0; r < ranks; r++, at += words) rows->has[r] = at;
    for (int32_t r = 0; r < ranks; r++)
        for (int32_t q = 0; q < ranks; q++) {
            rows->x_connected[r][q] = rows->x_same[r][q] = at, at += words;
            rows->z_connected[r][q] = rows->z_same[r][q] = at, at += words;
            if (one_area) continue;
            rows->x_same[r][q] = at, at += words;
            rows->z_same[r][q] = at, at += words;
        }
    return NAV_OK;
}

nav_status nav_compact_rows_build(nav_compact_heightfield *f, nav_arena *arena)
{
    const int32_t *first = f->column_first;
    int32_t w = f->width, ranks = 1;
    bool one_area = true;
    f->rows = (nav_compact_rows){0};
    for (int32_t c = 0; c < w * w; c++)
        if (first[c + 1] - first[c] > ranks) ranks = first[c + 1] - first[c];
    if (ranks > NAV_ROW_RANKS) return NAV_OK;
    for (int32_t i = 1; i < f->span_count; i++) one_area &= f->area[i] == f->area[0];
    nav_compact_rows *rows = &f->rows;
    nav_status status = nav_compact_rows_init(rows, w, ranks, one_area, arena);
    if (status != NAV_OK) return status;
    for (int32_t c = 0; c < w * w; c++) {
        size_t word = (size_t)(c / w) * (size_t)rows->words + (size_t)(c % w >> 6);
        uint64_t bit = UINT64_C(1) << (c % w & 63);
        for (int32_t i = first[c]; i < first[c + 1]; i++) {
            int32_t r = i - first[c], x = f->connection[2][i], z = f->connection[1][i];
            rows->has[r][word] |= bit;
            if (x != NAV_NOT_CONNECTED) {
                int32_t q = x - first[c + 1];
                rows->x_connected[r][q][word] |= bit;
                if (f->area[x] == f->area[i]) rows->x_same[r][q][word] |= bit;
            }
            if (z != NAV_NOT_CONNECTED) {
                int32_t q = z - first[c + w];
                rows->z_connected[r][q][word] |= bit;
                if (f->area[z] == f->area[i]) rows->z_same[r][q][word] |= bit;
            }
        }
    }
    return NAV_OK;
}
