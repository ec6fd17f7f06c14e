#include "core/surface/buckets.h"

#include <string.h>

enum { SIDE_MOST = 256 };

static int32_t cell_of(const surface_buckets *b, int64_t at)
{
    int64_t c = (at - b->low) / b->cell;
    return at < b->low ? 0 : c >= b->side ? b->side - 1 : (int32_t)c;
}

void nav_buckets_rows(const surface_buckets *b, nav_point p, nav_point q, int32_t *from, int32_t *to)
{
    *from = cell_of(b, (int64_t)(p.z < q.z ? p.z : q.z) - 1);
    *to = cell_of(b, (int64_t)(p.z < q.z ? q.z : p.z) + 1);
}

bool nav_buckets_row(const surface_buckets *b, nav_point p, nav_point q, int32_t row, int32_t *from, int32_t *to)
{
    if (p.z > q.z) {
        nav_point t = p;
        p = q;
        q = t;
    }
    // The part of the edge between the row's ends, a unit more to each side. The outermost rows have no end.
    int64_t low = row == 0 ? INT32_MIN : (int64_t)b->low + (int64_t)row * b->cell - 2;
    int64_t high = row == b->side - 1 ? INT32_MAX : (int64_t)b->low + ((int64_t)row + 1) * b->cell + 2;
    if (q.z < low || p.z > high) return false;
    double x0 = p.x, x1 = q.x, dz = (double)q.z - p.z;
    if (p.z < low) x0 = p.x + ((double)low - p.z) / dz * ((double)q.x - p.x);
    if (q.z > high) x1 = p.x + ((double)high - p.z) / dz * ((double)q.x - p.x);
    double least = x0 < x1 ? x0 : x1, most = x0 < x1 ? x1 : x0;
    *from = cell_of(b, (int64_t)least - 2);
    *to = cell_of(b, (int64_t)most + 2);
    return true;
}

nav_status nav_buckets_build(const nav_point *from, const nav_point *to, int32_t count, int32_t low, int32_t high,
                             nav_arena *arena, surface_buckets *out)
{
    int32_t side = 1;
    while (side < SIDE_MOST && side * side < count) side *= 2;
    *out = (surface_buckets){.low = low, .side = side, .cell = (int32_t)(((int64_t)high - low) / side + 1)};
    size_t cells = (size_t)side * (size_t)side;
    out->first = NAV_TAKE_ZERO(arena, int32_t, cells + 2);
    if (!out->first) return nav_arena_failure(arena);
    for (int turn = 0; turn < 2; turn++) {
        int64_t sum = 0;
        for (int32_t i = 0; i < count; i++) {
            int32_t row, last, a, b;
            nav_buckets_rows(out, from[i], to[i], &row, &last);
            for (; row <= last; row++) {
                if (!nav_buckets_row(out, from[i], to[i], row, &a, &b)) continue;
                int32_t *at = out->first + (size_t)row * (size_t)side;
                sum += b - a + 1;
                for (; a <= b; a++) {
                    if (turn == 0)
                        at[a + 2]++;
                    else
                        out->item[at[a + 1]++] = i;
                }
            }
            if (sum > INT32_MAX) return NAV_ERR_LIMIT;
        }
        if (turn == 1) break;
        for (size_t c = 2; c < cells + 2; c++) out->first[c] += out->first[c - 1];
        out->item = NAV_TAKE(arena, int32_t, sum);
        if (!out->item) return nav_arena_failure(arena);
    }
    return NAV_OK;
}
