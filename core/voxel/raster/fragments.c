// Fragments arrive in the order of triangles. They are counted by column, put in the order of columns in one pass, and
// then each column is sorted upwards and fragments that touch are joined.
#include "core/voxel/raster/fragments.h"

#include <limits.h>
#include <string.h>

enum { MAX_HEIGHT = (1 << 25) - 1, VX_BIAS = 1 << 30 };

static inline nav_fragment make_fragment(int32_t bottom, int32_t top, uint32_t area)
{
    return (nav_fragment)(uint32_t)(bottom + VX_BIAS) << 33 | (nav_fragment)(uint32_t)(top - bottom) << 8 | area;
}

static inline int32_t bottom_of(nav_fragment f)
{
    return (int32_t)(f >> 33) - VX_BIAS;
}

static inline int32_t top_of(nav_fragment f)
{
    return bottom_of(f) + (int32_t)(f >> 8 & MAX_HEIGHT);
}

static inline uint32_t area_of(nav_fragment f)
{
    return (uint32_t)(f & 0xff);
}

nav_status nav_fragments_init(nav_fragments *f, int32_t width, nav_arena *arena)
{
    int32_t columns = width * width;
    *f = (nav_fragments){.arena = arena, .capacity = 4 * columns, .width = width};
    f->column_count = NAV_TAKE_ZERO(arena, int32_t, columns);
    f->fragments = NAV_TAKE(arena, nav_fragment, f->capacity);
    f->columns = NAV_TAKE(arena, int32_t, f->capacity);
    return f->column_count && f->fragments && f->columns ? NAV_OK : nav_arena_failure(arena);
}

static bool reserve(nav_fragments *f, int32_t more)
{
    if (f->status != NAV_OK) return false;
    if (more <= f->capacity - f->count) return true;
    if (f->capacity > INT32_MAX / 2 - more) {
        f->status = NAV_ERR_LIMIT;
        return false;
    }
    int32_t capacity = 2 * f->capacity + more;
    nav_fragment *fragments = NAV_TAKE(f->arena, nav_fragment, capacity);
    int32_t *columns = NAV_TAKE(f->arena, int32_t, capacity);
    if (!fragments || !columns) {
        f->status = nav_arena_failure(f->arena);
        return false;
    }
    if (f->count) memcpy(fragments, f->fragments, (size_t)f->count * sizeof *fragments);
    if (f->count) memcpy(columns, f->columns, (size_t)f->count * sizeof *columns);
    f->fragments = fragments;
    f->columns = columns;
    f->capacity = capacity;
    return true;
}

static inline void put(nav_fragments *f, int32_t column, int32_t count, nav_fragment value)
{
    nav_fragment *restrict fragments = f->fragments + f->count;
    int32_t *restrict columns = f->columns + f->count, *restrict column_count = f->column_count + column;
    for (int32_t k = 0; k < count; k++) {
        fragments[k] = value;
        columns[k] = column + k;
        column_count[k]++;
    }
    f->count += count;
}

void nav_fragments_put(nav_fragments *f, int32_t column, int32_t count, int32_t bottom, int32_t top, uint32_t area)
{
    for (; top - bottom > MAX_HEIGHT; bottom += MAX_HEIGHT) {
        if (!reserve(f, count)) return;
        put(f, column, count, make_fragment(bottom, bottom + MAX_HEIGHT, NAV_AREA_NONE));
    }
    if (reserve(f, count)) put(f, column, count, make_fragment(bottom, top, area));
}

static inline void sort_pair(nav_fragment *a, nav_fragment *b)
{
    nav_fragment low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static void sift_down(nav_fragment *f, int32_t at, int32_t n)
{
    nav_fragment moved = f[at];
    for (int32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && f[child + 1] > f[child]) child++;
        if (f[child] <= moved) break;
        f[at] = f[child];
    }
    f[at] = moved;
}

// For a column that thousands of triangles crowd: n log n, in place.
static void sort_heap(nav_fragment *f, int32_t n)
{
    for (int32_t i = n / 2; i-- > 0;) sift_down(f, i, n);
    for (int32_t end = n - 1; end > 0; end--) {
        nav_fragment largest = f[0];
        f[0] = f[end];
        f[end] = largest;
        sift_down(f, 0, end);
    }
}

// Few fragments are the rule, and their order is random: networks without branches.
static inline void sort_column(nav_fragment *f, int32_t n)
{
    if (n == 2) {
        sort_pair(&f[0], &f[1]);
    } else if (n == 3) {
        sort_pair(&f[0], &f[2]);
        sort_pair(&f[0], &f[1]);
        sort_pair(&f[1], &f[2]);
    } else if (n == 4) {
        sort_pair(&f[0], &f[2]);
        sort_pair(&f[1], &f[3]);
        sort_pair(&f[0], &f[1]);
        sort_pair(&f[2], &f[3]);
        sort_pair(&f[1], &f[2]);
    } else if (n > 64) {
        sort_heap(f, n);
    } else {
        for (int32_t i = 1; i < n; i++) {
            nav_fragment key = f[i];
            int32_t j = i;
            for (; j > 0 && f[j - 1] > key; j--) f[j] = f[j - 1];
            f[j] = key;
        }
    }
}

// Joins the touching fragments of one column. The outcome is a function of the set, not of the order.
static inline int32_t join_column(const nav_fragment *f, int32_t n, int32_t climb, const nav_heightfield *out,
                                  int32_t at)
{
    for (int32_t i = 0; i < n;) {
        int32_t bottom = bottom_of(f[i]), top = top_of(f[i]), end = i + 1;
        for (; end < n && bottom_of(f[end]) <= top; end++) {
            int32_t t = top_of(f[end]);
            top = t > top ? t : top;
        }
        uint32_t area = 0;
        for (; i < end; i++) {
            uint32_t a = top_of(f[i]) >= top - climb ? area_of(f[i]) : 0;
            area = a > area ? a : area;
        }
        out->bottom[at] = bottom;
        out->top[at] = top;
        out->area[at++] = (uint8_t)area;
    }
    return at;
}

nav_status nav_fragments_join(const nav_fragments *f, int32_t climb, nav_heightfield *out)
{
    if (f->status != NAV_OK) return f->status;
    int32_t columns = f->width * f->width;
    nav_fragment *sorted = NAV_TAKE(f->arena, nav_fragment, f->count);
    out->column_first = NAV_TAKE(f->arena, int32_t, columns + 1);
    out->bottom = NAV_TAKE(f->arena, int32_t, f->count);
    out->top = NAV_TAKE(f->arena, int32_t, f->count);
    out->area = NAV_TAKE(f->arena, uint8_t, f->count);
    out->crowded = NAV_TAKE(f->arena, int32_t, f->count / 2);
    if (!sorted || !out->column_first || !out->bottom || !out->top || !out->area || !out->crowded)
        return nav_arena_failure(f->arena);
    int32_t total = 0;
    int32_t *next = out->column_first; // first as the place of each column's next fragment
    for (int32_t c = 0; c < columns; c++) {
        next[c] = total;
        total += f->column_count[c];
    }
    for (int32_t i = 0; i < f->count; i++) sorted[next[f->columns[i]]++] = f->fragments[i];
    const nav_heightfield spans = *out; // the arrays in locals: a store of bytes may alias all else
    int32_t from = 0, at = 0;
    for (int32_t c = 0; c < columns; c++) {
        int32_t n = f->column_count[c];
        spans.column_first[c] = at;
        if (n > 1) sort_column(sorted + from, n);
        at = join_column(sorted + from, n, climb, &spans, at);
        from += n;
        if (at - spans.column_first[c] > 1) out->crowded[out->crowded_count++] = c;
    }
    out->column_first[columns] = out->span_count = at;
    return NAV_OK;
}
