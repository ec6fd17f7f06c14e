// Writes the spans of the finished compact heightfield with the mask registers of level v4.
#include "core/lanes/width.h"
#include "core/voxel/planes/planes_finish.h"

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
static inline void find_numbers(const nav_planes *p, const plane_ranks *order, const nav_compact_heightfield *out,
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
void nav_planes_write_spans(const nav_planes *p, const plane_ranks *order, nav_compact_heightfield *out)
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
void nav_planes_write_spans(const nav_planes *p, const plane_ranks *order, nav_compact_heightfield *out)
{
    (void)p, (void)order, (void)out; // planes_finish.c does not ask below v4
}
#endif
