// Marking with the mask registers of level v4, 64 columns at a time. The regions of a row are laid out by column, one
// list per rank. A side is no edge if the bit of its connection is set and both regions are the same.
#include "core/contour/contour_work.h"
#include "core/lanes/width.h"

#include <string.h>

#if NAV_SIMD_BYTES == 64
// One word of a row of columns, and what is known of it: bits by side, for each rank.
typedef struct row_word {
    uint64_t floor[NAV_ROW_RANKS];   // columns of the tile itself that have a span of a region
    uint64_t same[NAV_ROW_RANKS][4]; // sides that are connected to a span of the same region
} row_word;

typedef struct mark_rows {
    contour_work *w;
    const nav_compact_rows *rows;
    int32_t *id[2][NAV_ROW_RANKS]; // of the row before and of this one: regions by column, 0 where there is none
    row_word *word[2];             // likewise
    int64_t count;
} mark_rows;

static uint64_t same_word(const int32_t *a, const int32_t *b)
{
    uint64_t same = 0;
    for (int k = 0; k < 4; k++)
        same |= (uint64_t)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(a + 16 * k), _mm512_loadu_si512(b + 16 * k))
                << 16 * k;
    return same;
}

static uint64_t floor_word(const int32_t *id)
{
    uint64_t floor = 0;
    for (int k = 0; k < 4; k++)
        floor |= (uint64_t)_mm512_cmpgt_epi32_mask(_mm512_loadu_si512(id + 16 * k), _mm512_setzero_si512()) << 16 * k;
    return floor;
}

// Lays out the regions of 64 columns.
static void lay_out(const mark_rows *m, int32_t *const *id, size_t word, int32_t column, int32_t x)
{
    const nav_compact_rows *rows = m->rows;
    const int32_t *first = m->w->f->column_first + column, *region = m->w->region;
    bool many = rows->ranks > 1 && rows->has[1][word];
    for (int r = 0; r < rows->ranks; r++) {
        uint64_t has = rows->has[r][word];
        const int32_t *from = region + first[0];
        for (int k = 0; k < 4; k++, has >>= 16) {
            __mmask16 some = (__mmask16)has;
            __m512i id_16 = _mm512_setzero_si512();
            if (some && many) {
                __m512i at = _mm512_add_epi32(_mm512_maskz_loadu_epi32(some, first + 16 * k), _mm512_set1_epi32(r));
                id_16 = _mm512_mask_i32gather_epi32(id_16, some, at, region, 4);
            } else if (some) { // one span in each: they stand side by side
                id_16 = _mm512_maskz_expandloadu_epi32(some, from);
                from += __builtin_popcount(some);
            }
            _mm512_storeu_si512(id[r] + x + 16 * k, id_16);
        }
    }
}

// Writes the sides of the spans in 64 columns.
static void write_sides(mark_rows *m, const row_word *b, size_t word, int32_t column)
{
    const nav_compact_rows *rows = m->rows;
    const int32_t *first = m->w->f->column_first + column;
    uint8_t *sides = m->w->sides, by_column[64];
    bool many = rows->ranks > 1 && rows->has[1][word];
    for (int r = 0; r < rows->ranks; r++) {
        uint64_t has = rows->has[r][word];
        __m512i marks = _mm512_setzero_si512();
        if (!has) break;
        for (int d = 0; d < 4; d++) {
            uint64_t edges = b->floor[r] & ~b->same[r][d];
            m->count += __builtin_popcountll(edges);
            if (!many) edges = _pext_u64(edges, has);
            marks = _mm512_or_si512(marks, _mm512_maskz_set1_epi8(edges, (char)(0x11 << d)));
        }
        if (many) {
            _mm512_storeu_si512(by_column, marks);
            for (uint64_t floor = b->floor[r]; floor; floor &= floor - 1) {
                int k = __builtin_ctzll(floor);
                sides[first[k] + r] = by_column[k];
            }
        } else { // behind the last of these spans are those of the next columns, to be written yet
            _mm512_storeu_si512(sides + first[0], marks);
        }
    }
}

// The columns of the tile itself among 64 from x on.
static uint64_t own_columns(const nav_compact_heightfield *f, int32_t x)
{
    int32_t low = f->border - x, high = f->width - f->border - x;
    if (low >= 64 || high <= 0) return 0;
    uint64_t up_to = high < 64 ? (UINT64_C(1) << high) - 1 : UINT64_MAX;
    return low > 0 ? up_to & UINT64_MAX << low : up_to;
}

// Finds the sides along x of row z, and those between it and the row before it, where there is one.
static void compare_row(mark_rows *m, int32_t z, bool has_before)
{
    const nav_compact_heightfield *f = m->w->f;
    const nav_compact_rows *rows = m->rows;
    int32_t *const *before = m->id[0], *const *id = m->id[1];
    size_t row = (size_t)z * (size_t)rows->words, row_before = row - (size_t)rows->words;
    memset(m->word[1], 0, (size_t)rows->words * sizeof *m->word[1]);
    for (int32_t k = 0; k < rows->words; k++) lay_out(m, id, row + (size_t)k, z * f->width + 64 * k, 64 * k);
    for (int32_t k = 0; k < rows->words; k++) {
        row_word *b = &m->word[1][k], *below = &m->word[0][k];
        int32_t x = 64 * k;
        uint64_t own = own_columns(f, x);
        for (int r = 0; r < rows->ranks; r++) b->floor[r] = floor_word(id[r] + x) & own;
        for (int r = 0; r < rows->ranks; r++) {
            for (int q = 0; q < rows->ranks; q++) {
                uint64_t connection = rows->x_connected[r][q][row + (size_t)k] & b->floor[r];
                if (connection) {
                    connection &= same_word(id[r] + x, id[q] + x + 1);
                    b->same[r][2] |= connection;
                    b->same[q][0] |= connection << 1;
                    if (connection >> 63) b[1].same[q][0] |= 1; // a tile's last column has no such connection
                }
                connection = has_before ? rows->z_connected[r][q][row_before + (size_t)k] & below->floor[r] : 0;
                if (connection) {
                    connection &= same_word(before[r] + x, id[q] + x);
                    below->same[r][1] |= connection;
                    b->same[q][3] |= connection;
                }
            }
        }
    }
}

static void write_row(mark_rows *m, const row_word *words, int32_t z)
{
    for (int32_t k = 0; k < m->rows->words; k++)
        write_sides(m, &words[k], (size_t)(z * m->rows->words + k), z * m->w->f->width + 64 * k);
}

nav_status nav_contour_mark_rows(contour_work *w, nav_arena *arena)
{
    const nav_compact_heightfield *f = w->f;
    mark_rows m = {.w = w, .rows = &f->rows};
    nav_arena_mark scratch = nav_arena_get_mark(arena);
    size_t words = (size_t)f->rows.words, columns = 64 * words + 16;
    for (int k = 0; k < 2; k++) {
        for (int r = 0; r < f->rows.ranks; r++) {
            m.id[k][r] = NAV_TAKE(arena, int32_t, columns);
            if (!m.id[k][r]) return nav_arena_failure(arena);
            m.id[k][r][columns - 16] = 0; // behind the last column
        }
        m.word[k] = NAV_TAKE(arena, row_word, words);
        if (!m.word[k]) return nav_arena_failure(arena);
    }
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        compare_row(&m, z, z > f->border);
        if (z > f->border) write_row(&m, m.word[0], z - 1);
        if (z == f->width - f->border - 1) write_row(&m, m.word[1], z);
        for (int r = 0; r < f->rows.ranks; r++) {
            int32_t *id = m.id[0][r];
            m.id[0][r] = m.id[1][r];
            m.id[1][r] = id;
        }
        row_word *word = m.word[0];
        m.word[0] = m.word[1];
        m.word[1] = word;
    }
    nav_arena_release(arena, scratch);
    w->edge_count = m.count;
    return NAV_OK;
}
#else
nav_status nav_contour_mark_rows(contour_work *w, nav_arena *arena)
{
    (void)w, (void)arena;
    return NAV_ERR_ARGUMENT; // mark.c does not ask below v4
}
#endif
