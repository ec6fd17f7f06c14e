// From planes to the finished compact heightfield. The gaps that are left get new ranks: those of the spans in their
// columns. The connections move to these ranks as bits, which gives the rows of the compact heightfield. Then the spans
// are written, row by row.
#include "core/voxel/planes/planes_finish.h"
#include "core/lanes/x8.h"

#include <string.h>

static bool rank_gaps(const nav_planes *p, nav_arena *scratch, plane_ranks *k)
{
    size_t n = (size_t)p->width * (size_t)p->words, sets = (size_t)p->ranks * (size_t)(p->ranks + 1) / 2;
    *k = (plane_ranks){.ranks = 1};
    uint64_t *at = NAV_TAKE(scratch, uint64_t, n * sets);
    uint64_t *below = NAV_TAKE_ZERO(scratch, uint64_t, n * (size_t)(p->ranks + 1)); // columns with `rank` spans so far
    if (!at || !below) return false;
    memset(below, 0xff, n * sizeof *below);
    for (int r = 0; r < p->ranks; r++) {
        const uint64_t *open = p->open[r];
        for (int s = r; s >= 0; s--, at += n) {
            uint64_t any = 0, *count = below + (size_t)s * n, *one_more = count + n;
            k->is[r][s] = at;
            for (size_t i = 0; i < n; i++) {
                uint64_t is = open[i] & count[i];
                at[i] = is;
                any |= is;
                one_more[i] |= is;
                count[i] &= ~open[i];
            }
            if (any && s >= k->ranks) k->ranks = s + 1;
        }
    }
    return true;
}

static bool is_one_area(const nav_planes *p)
{
    size_t n = (size_t)p->width * (size_t)p->words;
    int used = 0;
    for (int a = 0; a < p->area_count; a++) {
        uint64_t any = 0;
        for (int r = 0; r < p->ranks; r++)
            for (size_t i = 0; i < n; i++) any |= p->of_area[a][r][i] & p->open[r][i];
        used += any != 0;
    }
    return used < 2;
}

// Gaps of one rank: what has their span's rank, and what of that counts.
typedef struct gap_rows {
    const uint64_t *is, *counts;
} gap_rows;

// out |= the connections from a gap of `from` to one of `to`. d: 2 to the next column, 1 to the next row.
static void add_connections(uint64_t *restrict out, const uint64_t *restrict connection, gap_rows from, gap_rows to,
                            size_t n, int d, size_t row)
{
    if (!connection) return;
    if (d == 2)
        for (size_t i = 0; i + 1 < n; i++) {
            uint64_t here = to.is[i] & to.counts[i], next = to.is[i + 1] & to.counts[i + 1];
            out[i] |= connection[i] & from.is[i] & from.counts[i] & (here >> 1 | next << 63);
        }
    else
        for (size_t i = 0; i + row < n; i++)
            out[i] |= connection[i] & from.is[i] & from.counts[i] & to.is[i + row] & to.counts[i + row];
}

// The connections from spans of rank s to those of rank t.
static void rank_connections(const nav_planes *p, const plane_ranks *k, nav_compact_rows *rows, int s, int t)
{
    size_t row = (size_t)p->words, n = (size_t)p->width * row;
    for (int r = s; r < p->ranks; r++)
        for (int q = t; q < p->ranks; q++) {
            gap_rows from = {k->is[r][s], p->open[r]}, to = {k->is[q][t], p->open[q]};
            add_connections(rows->x_connected[s][t], p->x_connected[r][q], from, to, n, 2, row);
            add_connections(rows->z_connected[s][t], p->z_connected[r][q], from, to, n, 1, row);
            for (int a = 0; a < p->area_count && !rows->one_area; a++) {
                from.counts = p->of_area[a][r];
                to.counts = p->of_area[a][q];
                add_connections(rows->x_same[s][t], p->x_connected[r][q], from, to, n, 2, row);
                add_connections(rows->z_same[s][t], p->z_connected[r][q], from, to, n, 1, row);
            }
        }
}

// Fills column_first. Eight columns at a time: bits become bytes, and a product sums them up.
static void count_spans(const nav_planes *p, const nav_compact_rows *rows, int32_t *first)
{
    const uint64_t each = 0x0101010101010101u;
    int32_t at = 0;
    for (int32_t z = 0; z < p->width; z++)
        for (int32_t x = 0; x < p->width; x += 8) {
            uint64_t sum = 0;
            for (int k = 0; k < rows->ranks; k++) {
                uint64_t eight = rows->has[k][(size_t)z * (size_t)p->words + (size_t)(x >> 6)] >> (x & 63) & 0xff;
                sum += (((eight * each) & 0x8040201008040201u) + 0x7f7f7f7f7f7f7f7fu) >> 7 & each;
            }
            // Beyond the row's end: written again.
            i32x8_store_sums(first + (size_t)z * (size_t)p->width + (size_t)x, at, sum * (each << 8));
            at += (int32_t)(sum * each >> 56);
        }
    first[(size_t)p->width * (size_t)p->width] = at;
}

static void write_spans(const nav_planes *p, const plane_ranks *order, nav_compact_heightfield *out)
{
    const nav_compact_rows *rows = &out->rows;
    const int32_t *first = out->column_first;
    size_t n = (size_t)p->width * (size_t)p->words;
    for (int d = 0; d < 4; d++)
        memset(out->connection[d], 0xff, (size_t)out->span_count * sizeof(int32_t)); // NAV_NOT_CONNECTED
    for (size_t i = 0; i < n; i++) {
        int32_t z = (int32_t)(i / (size_t)p->words), x = 64 * (int32_t)(i % (size_t)p->words), c = z * p->width + x;
        for (int k = 0; k < rows->ranks; k++) {
            if (!rows->has[k][i]) break;
            for (int r = k; r < p->row_ranks[z]; r++) {
                const int16_t *floor = p->floor[r] + (size_t)z * (size_t)p->stride + (size_t)x;
                for (uint64_t bits = order->is[r][k][i]; bits; bits &= bits - 1) {
                    int b = __builtin_ctzll(bits);
                    int32_t s = first[c + b] + k;
                    out->column[s] = c + b;
                    out->floor[s] = p->base + floor[b];
                }
            }
            for (int t = 0; t < rows->ranks; t++) {
                for (uint64_t bits = rows->x_connected[k][t][i]; bits; bits &= bits - 1) {
                    int b = __builtin_ctzll(bits);
                    int32_t s = first[c + b] + k, other = first[c + b + 1] + t;
                    out->connection[2][s] = other;
                    out->connection[0][other] = s;
                }
                for (uint64_t bits = rows->z_connected[k][t][i]; bits; bits &= bits - 1) {
                    int b = __builtin_ctzll(bits);
                    int32_t s = first[c + b] + k, other = first[c + b + p->width] + t;
                    out->connection[1][s] = other;
                    out->connection[3][other] = s;
                }
            }
        }
    }
}

static void write_areas(const nav_planes *p, const plane_ranks *order, nav_compact_heightfield *out)
{
    size_t n = (size_t)p->width * (size_t)p->words;
    for (int a = 0; a < p->area_count; a++)
        for (int r = 0; r < p->ranks; r++)
            for (int k = 0; k <= r; k++)
                for (size_t i = 0; i < n; i++) {
                    int32_t c = (int32_t)(i / (size_t)p->words) * p->width + 64 * (int32_t)(i % (size_t)p->words);
                    for (uint64_t bits = order->is[r][k][i] & p->of_area[a][r][i]; bits; bits &= bits - 1)
                        out->area[out->column_first[c + __builtin_ctzll(bits)] + k] = p->areas[a];
                }
}

int32_t nav_planes_count(const nav_planes *p)
{
    size_t n = (size_t)p->width * (size_t)p->words;
    int64_t count = 0;
    for (int r = 0; r < p->ranks; r++)
        for (size_t i = 0; i < n; i++) count += __builtin_popcountll(p->open[r][i]);
    return (int32_t)count;
}

nav_status nav_planes_finish(const nav_planes *p, const nav_config *cfg, nav_arena *arena, nav_compact_heightfield *out)
{
    // A register's numbers are written at once, and read beside the first and the last columns.
    enum { BEYOND = 16 };
    int32_t w = p->width, count = nav_planes_count(p);
    *out = (nav_compact_heightfield){.width = w, .border = cfg->border, .span_count = count};
    size_t columns = (size_t)w * (size_t)w, n = (size_t)w * (size_t)p->words;
    out->column_first = NAV_TAKE(arena, int32_t, columns + 1 + 2 * BEYOND);
    out->column = NAV_TAKE(arena, int32_t, count + BEYOND);
    out->floor = NAV_TAKE(arena, int32_t, count + BEYOND);
    for (int d = 0; d < 4; d++) out->connection[d] = NAV_TAKE(arena, int32_t, count + BEYOND);
    out->area = NAV_TAKE(arena, uint8_t, count);
    if (!out->column_first || !out->column || !out->floor || !out->connection[0] || !out->connection[1] ||
        !out->connection[2] || !out->connection[3] || !out->area)
        return nav_arena_failure(arena);

    plane_ranks order;
    if (!rank_gaps(p, arena, &order)) return nav_arena_failure(arena);
    nav_compact_rows *rows = &out->rows;
    nav_status status = nav_compact_rows_init(rows, w, order.ranks, is_one_area(p), arena);
    if (status != NAV_OK) return status;
    for (int s = 0; s < order.ranks; s++) {
        for (int r = s; r < p->ranks; r++)
            for (size_t i = 0; i < n; i++) rows->has[s][i] |= order.is[r][s][i];
        for (int t = 0; t < order.ranks; t++) rank_connections(p, &order, rows, s, t);
    }
    count_spans(p, rows, out->column_first);
    if (NAV_SIMD_BYTES == 64)
        nav_planes_write_spans(p, &order, out);
    else
        write_spans(p, &order, out);
    if (p->area_count == 1)
        memset(out->area, p->areas[0], (size_t)count);
    else
        write_areas(p, &order, out);
    return NAV_OK;
}
