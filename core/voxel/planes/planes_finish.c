// From planes to the finished compact heightfield. The gaps that are left get new ranks, those of the spans in their
// columns; the connections are moved to these ranks as bits, which gives the field's rows. Then the spans are written,
// row by row.
#include "core/base/simd.h"
#include "core/voxel/planes/planes.h"

#include <string.h>

#if NAV_SIMD_BYTES >= 32
#include <immintrin.h>
#endif

// Which gaps have which rank among those that are left: rows of bits.
typedef struct ranking {
    uint64_t *is[NAV_PLANE_RANKS][NAV_PLANE_RANKS]; // [gap][rank of the span], from the gap's own rank down
    int32_t ranks;
} ranking;

static bool rank_gaps(const nav_planes *p, nav_arena *scratch, ranking *k)
{
    size_t n = (size_t)p->width * (size_t)p->words, sets = (size_t)p->ranks * (size_t)(p->ranks + 1) / 2;
    *k = (ranking){.ranks = 1};
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
static void rank_connections(const nav_planes *p, const ranking *k, nav_compact_rows *rows, int s, int t)
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

// Stores the eight bytes of `bytes`, lowest first, each added to `to_all`.
static inline void store_sums(int32_t *to, int32_t to_all, uint64_t bytes)
{
#if NAV_SIMD_BYTES >= 32
    __m256i wide = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)bytes));
    _mm256_storeu_si256((__m256i *)to, _mm256_add_epi32(wide, _mm256_set1_epi32(to_all)));
#else
    for (int k = 0; k < 8; k++) to[k] = to_all + (int32_t)(bytes >> 8 * k & 0xff);
#endif
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
            store_sums(first + (size_t)z * (size_t)p->width + (size_t)x, at, sum * (each << 8));
            at += (int32_t)(sum * each >> 56);
        }
    first[(size_t)p->width * (size_t)p->width] = at;
}

#if NAV_SIMD_BYTES == 64
// Bits [x, x + 16) of row z.
static inline uint32_t sixteen(const uint64_t *rows, const nav_planes *p, int32_t z, int32_t x)
{
    return (uint32_t)(rows[(size_t)z * (size_t)p->words + (size_t)(x >> 6)] >> (x & 63) & 0xffff);
}

// The same of the columns to the left of each.
static inline uint32_t sixteen_left(const uint64_t *rows, const nav_planes *p, int32_t z, int32_t x)
{
    uint32_t bits = sixteen(rows, p, z, x) << 1 & 0xffff;
    return x > 0 ? bits | sixteen(rows, p, z, x - 16) >> 15 : bits;
}

// The numbers of a span: its column, its floor and its connections.
enum { COLUMN, FLOOR, CONNECTIONS, NUMBERS = CONNECTIONS + 4 };

// The numbers of the spans of rank k in columns [x, x + 16) of row z, wherever there is one.
static inline void find_numbers(const nav_planes *p, const ranking *order, const nav_compact_heightfield *out,
                                int32_t z, int32_t x, int k, __m512i *v)
{
    const nav_compact_rows *rows = &out->rows;
    int32_t w = p->width, c = z * w + x;
    const int32_t *first = out->column_first + c;
    v[COLUMN] =
        _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(c));
    size_t at = (size_t)z * (size_t)p->stride + (size_t)x;
    v[FLOOR] = _mm512_setzero_si512();
    for (int r = k; r < p->row_ranks[z]; r++) {
        __m256i low = _mm256_loadu_si256((const __m256i *)(p->floor[r] + at));
        v[FLOOR] = _mm512_mask_cvtepi16_epi32(v[FLOOR], (__mmask16)sixteen(order->is[r][k], p, z, x), low);
    }
    v[FLOOR] = _mm512_add_epi32(v[FLOOR], _mm512_set1_epi32(p->base));
    for (int d = 0; d < 4; d++) v[CONNECTIONS + d] = _mm512_set1_epi32(NAV_NOT_CONNECTED);
    const __m512i beside[4] = {_mm512_loadu_si512(first - 1), _mm512_loadu_si512(first + w),
                               _mm512_loadu_si512(first + 1), _mm512_loadu_si512(first - w)};
    for (int t = 0; t < rows->ranks; t++) {
        const uint32_t connected[4] = {
            sixteen_left(rows->x_connected[t][k], p, z, x), sixteen(rows->z_connected[k][t], p, z, x),
            sixteen(rows->x_connected[k][t], p, z, x), sixteen(rows->z_connected[t][k], p, z - 1, x)};
        for (int d = 0; d < 4; d++)
            v[CONNECTIONS + d] =
                _mm512_mask_add_epi32(v[CONNECTIONS + d], (__mmask16)connected[d], beside[d], _mm512_set1_epi32(t));
    }
}

// Eight columns with spans of ranks 0 and 1: a and b of each column become neighbours, and what is there is moved
// together.
static inline void put_pairs(int32_t *to, uint32_t has_a, uint32_t has_b, __m512i a, __m512i b, int half)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    __m512i pairs = _mm512_permutex2var_epi32(a, _mm512_add_epi32(order, _mm512_set1_epi32(8 * half)), b);
    uint32_t has = _pdep_u32(has_a >> 8 * half, 0x5555) | _pdep_u32(has_b >> 8 * half, 0xaaaa);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)has, pairs));
}

// Sixteen columns at a time. Where they have one span each, or two, the numbers are moved together and stored at once;
// what is written beyond them is written again.
static void write_spans(const nav_planes *p, const ranking *order, nav_compact_heightfield *out)
{
    const nav_compact_rows *rows = &out->rows;
    int32_t *const to[NUMBERS] = {out->column,        out->floor,         out->connection[0],
                                  out->connection[1], out->connection[2], out->connection[3]};
    for (int32_t z = 1; z < p->width - 1; z++)
        for (int32_t x = 0; x < p->width; x += 16) {
            const int32_t *first = out->column_first + z * p->width + x;
            uint32_t has = sixteen(rows->has[0], p, z, x);
            uint32_t two = rows->ranks > 1 ? sixteen(rows->has[1], p, z, x) : 0;
            uint32_t three = rows->ranks > 2 ? sixteen(rows->has[2], p, z, x) : 0;
            __m512i a[NUMBERS], b[NUMBERS];
            if (!has) continue;
            find_numbers(p, order, out, z, x, 0, a);
            if (!two) {
                for (int k = 0; k < NUMBERS; k++)
                    _mm512_storeu_si512(to[k] + *first, _mm512_maskz_compress_epi32((__mmask16)has, a[k]));
            } else if (!three) {
                find_numbers(p, order, out, z, x, 1, b);
                int32_t second = *first + __builtin_popcount(has & 0xff) + __builtin_popcount(two & 0xff);
                for (int k = 0; k < NUMBERS; k++) {
                    put_pairs(to[k] + *first, has, two, a[k], b[k], 0);
                    put_pairs(to[k] + second, has, two, a[k], b[k], 1);
                }
            } else {
                for (int rank = 0; rank < rows->ranks; rank++) {
                    __m512i at = _mm512_add_epi32(_mm512_loadu_si512(first), _mm512_set1_epi32(rank));
                    has = sixteen(rows->has[rank], p, z, x);
                    find_numbers(p, order, out, z, x, rank, a);
                    for (int k = 0; k < NUMBERS; k++) _mm512_mask_i32scatter_epi32(to[k], (__mmask16)has, at, a[k], 4);
                }
            }
        }
}
#else
static void write_spans(const nav_planes *p, const ranking *order, nav_compact_heightfield *out)
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
#endif

static void write_areas(const nav_planes *p, const ranking *order, nav_compact_heightfield *out)
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

    ranking order;
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
    write_spans(p, &order, out);
    if (p->area_count == 1)
        memset(out->area, p->areas[0], (size_t)count);
    else
        write_areas(p, &order, out);
    return NAV_OK;
}
