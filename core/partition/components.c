// Components: floor of one area type that is connected. Where no floor lies above itself, which is nearly everywhere,
// the components are the layers, in whatever order their pieces are joined. So a row is processed as a few words of
// bits: runs are chains of connected columns, and where a run of one row touches a run of the row before, only the
// first column of the stretch that they share is looked at.
//
//      row z + 1   .aaaaaaa..bbb.      starts   .1........1...
//      row z       ccc..dddddd...      contacts .1...1........   a on c, a on d
//
// A run has one rank (its place in the column, from below). Connections between ranks are contacts within the row, and
// so are connections across words, where runs are cut. A run takes the piece that it meets first, so few pieces arise.
// Source: A. Rosenfeld and J. Pfaltz, Sequential Operations in Digital Picture Processing (1966), on runs.
#include "core/partition/layers_work.h"

typedef struct place {
    int32_t z, word; // of a row
    int32_t at;      // of nav_components: that of rank 0
    int32_t ranks;   // that some column of the word has
    uint64_t own;    // the tile's own columns of the word
} place;

static int32_t new_piece(nav_components *fl, int32_t first)
{
    nav_layers_work *w = fl->w;
    int32_t k = ++w->piece_count;
    w->pieces[k] = (nav_layer_piece){.root = k, .first = first};
    return k;
}

static inline uint64_t up_to(int32_t x)
{
    return ~UINT64_C(0) >> (63 - x);
}

// The run over bit x of a word's rank.
static inline int32_t run_at(const nav_components *fl, int32_t at, int32_t x)
{
    return fl->first_run[at] + __builtin_popcountll(fl->starts[at] & up_to(x)) - 1;
}

static inline int32_t span_at(const nav_components *fl, const place *p, int32_t rank, int32_t x)
{
    const nav_compact_heightfield *f = fl->w->f;
    return f->column_first[p->z * f->width + 64 * p->word + x] + rank;
}

static void join(nav_components *fl, int32_t a, int32_t b)
{
    nav_layer_piece *p = fl->w->pieces;
    a = nav_layer_root(p, a);
    b = nav_layer_root(p, b);
    p[a > b ? a : b].root = a < b ? a : b;
}

// Of columns in a row that a contact is told of bit by bit, the first of each stretch in which both runs go on.
static inline uint64_t first_of_stretches(uint64_t bits, uint64_t starts_a, uint64_t starts_b)
{
    return bits & (~(bits << 1) | starts_a | starts_b);
}

static inline uint64_t row_word(const uint64_t *row, const nav_components *fl, int32_t z, int32_t word)
{
    return row[(size_t)z * (size_t)fl->w->words + (size_t)word];
}

// The runs of a word, without pieces yet.
static void find_runs(nav_components *fl, const place *p)
{
    const nav_compact_rows *rows = &fl->w->f->rows;
    for (int32_t r = 0; r < p->ranks; r++) {
        uint64_t has = row_word(rows->has[r], fl, p->z, p->word) & p->own;
        uint64_t starts = has & ~((row_word(rows->x_same[r][r], fl, p->z, p->word) & p->own) << 1);
        fl->starts[p->at + r] = starts;
        fl->first_run[p->at + r] = fl->run_count;
        for (int32_t count = __builtin_popcountll(starts); count > 0; count--) fl->piece[fl->run_count++] = 0;
    }
}

// Runs that lie on runs of the row before take their pieces.
static void join_rows(nav_components *fl, const place *p, const place *before)
{
    const nav_compact_rows *rows = &fl->w->f->rows;
    for (int32_t q = 0; q < before->ranks; q++) {
        for (int32_t r = 0; r < p->ranks; r++) {
            uint64_t same = row_word(rows->z_same[q][r], fl, p->z - 1, p->word) & p->own;
            same = first_of_stretches(same, fl->starts[p->at + r], fl->starts[before->at + q]);
            for (; same; same &= same - 1) {
                int32_t x = __builtin_ctzll(same);
                int32_t *piece = &fl->piece[run_at(fl, p->at + r, x)], other = fl->piece[run_at(fl, before->at + q, x)];
                if (*piece == 0)
                    *piece = other;
                else if (*piece != other)
                    join(fl, *piece, other);
            }
        }
    }
}

// Runs a and b of one row are connected. first_a, first_b: a span of each in the row, none after the run's first one.
static void join_beside(nav_components *fl, int32_t a, int32_t first_a, int32_t b, int32_t first_b)
{
    int32_t *piece = fl->piece, first = first_a < first_b ? first_a : first_b;
    if (piece[a] == 0 && piece[b] == 0)
        piece[a] = piece[b] = new_piece(fl, first);
    else if (piece[a] == 0)
        piece[a] = piece[b];
    else if (piece[b] == 0)
        piece[b] = piece[a];
    else if (piece[a] != piece[b])
        join(fl, piece[a], piece[b]);
    nav_layer_piece *p = &fl->w->pieces[piece[a]];
    p->first = first < p->first ? first : p->first;
}

static int32_t first_span(const nav_components *fl, const place *p, int32_t rank, int32_t x)
{
    return span_at(fl, p, rank, 63 - __builtin_clzll(fl->starts[p->at + rank] & up_to(x)));
}

// Joins runs of different ranks.
static void join_ranks(nav_components *fl, const place *p)
{
    const nav_compact_rows *rows = &fl->w->f->rows;
    for (int32_t q = 0; q < p->ranks; q++) {
        for (int32_t r = 0; r < p->ranks; r++) {
            if (r == q) continue;
            uint64_t same = (row_word(rows->x_same[q][r], fl, p->z, p->word) & p->own) << 1 & p->own;
            for (; same; same &= same - 1) {
                int32_t x = __builtin_ctzll(same);
                join_beside(fl, run_at(fl, p->at + q, x - 1), first_span(fl, p, q, x - 1), run_at(fl, p->at + r, x),
                            first_span(fl, p, r, x));
            }
        }
    }
}

// Joins runs that go on across words.
static void join_words(nav_components *fl, const place *p, const place *left)
{
    const nav_compact_rows *rows = &fl->w->f->rows;
    if (!(p->own & 1)) return;
    for (int32_t q = 0; q < left->ranks; q++)
        for (int32_t r = 0; r < p->ranks; r++)
            if ((row_word(rows->x_same[q][r], fl, p->z, left->word) & left->own) >> 63)
                join_beside(fl, run_at(fl, left->at + q, 63), first_span(fl, left, q, 63), run_at(fl, p->at + r, 0),
                            first_span(fl, p, r, 0));
}

// Columns of a run that begins at x: up to the next start, or the next column without a span of the rank.
static inline int32_t run_length(uint64_t starts, uint64_t has, int32_t x)
{
    uint64_t stops = (starts | ~has) >> x >> 1;
    return stops ? __builtin_ctzll(stops) + 1 : 64 - x;
}

// Gives runs that met nothing a piece of their own, and adds all to their pieces.
static void finish_runs(nav_components *fl, const place *p)
{
    const nav_compact_rows *rows = &fl->w->f->rows;
    for (int32_t r = 0; r < p->ranks; r++) {
        uint64_t has = row_word(rows->has[r], fl, p->z, p->word) & p->own, starts = fl->starts[p->at + r];
        int32_t run = fl->first_run[p->at + r];
        for (uint64_t set = starts; set; set &= set - 1, run++) {
            int32_t x = __builtin_ctzll(set);
            if (fl->piece[run] == 0) fl->piece[run] = new_piece(fl, span_at(fl, p, r, x));
            fl->w->pieces[fl->piece[run]].spans += run_length(starts, has, x);
        }
    }
}

// Marks the pieces of column x with a connection in direction d.
static void mark_border(nav_components *fl, const place *p, int32_t x, int d)
{
    const nav_compact_heightfield *f = fl->w->f;
    if (x < 0 || x > 63 || !(p->own >> x & 1)) return;
    int32_t c = p->z * f->width + 64 * p->word + x;
    for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
        if (f->connection[d][s] != NAV_NOT_CONNECTED)
            fl->w->pieces[fl->piece[run_at(fl, p->at + s - f->column_first[c], x)]].border = true;
}

// Which floor goes on in the padding?
static void find_border(nav_components *fl, const place *p)
{
    const nav_compact_heightfield *f = fl->w->f;
    int32_t low = f->border, high = f->width - f->border - 1;
    mark_border(fl, p, low - 64 * p->word, 0);
    mark_border(fl, p, high - 64 * p->word, 2);
    if (p->z == low)
        for (int32_t x = 0; x < 64; x++) mark_border(fl, p, x, 3);
    if (p->z == high)
        for (int32_t x = 0; x < 64; x++) mark_border(fl, p, x, 1);
}

static void add_apart(nav_components *fl, int32_t run_a, int32_t run_b)
{
    fl->w->apart[fl->w->apart_count++] = (nav_layer_pair){fl->piece[run_a], fl->piece[run_b]};
}

// Notes the contacts between different areas. left, below: the words beside it, NULL where there is none.
static void find_apart(nav_components *fl, const place *p, const place *left, const place *below)
{
    const nav_compact_rows *rows = &fl->w->f->rows;
    for (int32_t q = 0; q < rows->ranks; q++) {
        for (int32_t r = 0; r < p->ranks; r++) {
            const uint64_t *x_connected = rows->x_connected[q][r], *x_same = rows->x_same[q][r];
            uint64_t other = row_word(x_connected, fl, p->z, p->word) & ~row_word(x_same, fl, p->z, p->word);
            for (uint64_t set = (other & p->own) << 1 & p->own; set; set &= set - 1) {
                int32_t x = __builtin_ctzll(set);
                add_apart(fl, run_at(fl, p->at + q, x - 1), run_at(fl, p->at + r, x));
            }
            if (left && p->own & 1) {
                other = row_word(x_connected, fl, p->z, left->word) & ~row_word(x_same, fl, p->z, left->word);
                if ((other & left->own) >> 63) add_apart(fl, run_at(fl, left->at + q, 63), run_at(fl, p->at + r, 0));
            }
            if (!below) continue;
            other = row_word(rows->z_connected[q][r], fl, p->z - 1, p->word) &
                    ~row_word(rows->z_same[q][r], fl, p->z - 1, p->word) & p->own;
            if (other) other = first_of_stretches(other, fl->starts[p->at + r], fl->starts[below->at + q]);
            for (; other; other &= other - 1) {
                int32_t x = __builtin_ctzll(other);
                add_apart(fl, run_at(fl, p->at + r, x), run_at(fl, below->at + q, x));
            }
        }
    }
}

static place place_of(const nav_components *fl, int32_t z, int32_t word)
{
    const nav_compact_heightfield *f = fl->w->f;
    int32_t low = f->border - 64 * word, high = f->width - f->border - 64 * word; // own columns of the word
    int32_t from = low > 0 ? low : 0, end = high < 64 ? high : 64;
    place p = {
        .z = z,
        .word = word,
        .at = ((z - f->border) * fl->w->words + word) * f->rows.ranks,
        .own = from < end ? up_to(end - 1) & ~UINT64_C(0) << from : 0,
    };
    while (p.ranks < f->rows.ranks && row_word(f->rows.has[p.ranks], fl, z, word) & p.own) p.ranks++;
    return p;
}

// Has a column two spans of one layer?
static bool overlaps(const nav_components *fl, const place *p)
{
    const nav_compact_rows *rows = &fl->w->f->rows;
    nav_layer_piece *pieces = fl->w->pieces;
    for (int32_t r = 1; r < p->ranks; r++) {
        uint64_t both = row_word(rows->has[r], fl, p->z, p->word) & p->own;
        for (int32_t q = 0; q < r && both; q++) {
            uint64_t set = first_of_stretches(both, fl->starts[p->at + q], fl->starts[p->at + r]);
            for (; set; set &= set - 1) {
                int32_t x = __builtin_ctzll(set);
                int32_t a = fl->piece[run_at(fl, p->at + q, x)], b = fl->piece[run_at(fl, p->at + r, x)];
                if (nav_layer_root(pieces, a) == nav_layer_root(pieces, b)) return true;
            }
        }
    }
    return false;
}

nav_status nav_components_join(nav_layers_work *w, nav_arena *arena, nav_components *out, bool *joined)
{
    const nav_compact_heightfield *f = w->f;
    size_t side = (size_t)(f->width - 2 * f->border), count = side * (size_t)w->words * (size_t)f->rows.ranks;
    *joined = false;
    if (f->rows.ranks == 0) return NAV_OK;
    nav_components *fl = out;
    *fl = (nav_components){
        .w = w,
        .starts = NAV_TAKE(arena, uint64_t, count),
        .first_run = NAV_TAKE(arena, int32_t, count),
        .piece = NAV_TAKE(arena, int32_t, f->span_count),
    };
    if (!fl->starts || !fl->first_run || !fl->piece) return nav_arena_failure(arena);
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        for (int32_t word = 0; word < w->words; word++) {
            place p = place_of(fl, z, word), left, below;
            if (word > 0) left = place_of(fl, z, word - 1);
            if (z > f->border) below = place_of(fl, z - 1, word);
            find_runs(fl, &p);
            if (z > f->border) join_rows(fl, &p, &below);
            if (p.ranks > 1) join_ranks(fl, &p);
            if (word > 0) join_words(fl, &p, &left);
            finish_runs(fl, &p);
            find_border(fl, &p);
            if (!f->rows.one_area) find_apart(fl, &p, word > 0 ? &left : NULL, z > f->border ? &below : NULL);
        }
    }
    *joined = true;
    for (int32_t z = f->border; z < f->width - f->border && f->rows.ranks > 1 && *joined; z++) {
        for (int32_t word = 0; word < w->words && *joined; word++) {
            place p = place_of(fl, z, word);
            *joined = !overlaps(fl, &p);
        }
    }
    return NAV_OK;
}

// The ids of a word in which no column has several spans, from span `at` on. The longest run is written for every run:
// what is too much is written over by what comes behind, and no branch has to guess the lengths.
static void write_alone(const nav_components *fl, const place *p, int32_t at, uint64_t *cover)
{
    uint64_t has = row_word(fl->w->f->rows.has[0], fl, p->z, p->word) & p->own, starts = fl->starts[p->at];
    int32_t run = fl->first_run[p->at];
    for (uint64_t set = starts; set; set &= set - 1, run++) {
        int32_t x = __builtin_ctzll(set), layer = fl->w->number[fl->piece[run]], length = run_length(starts, has, x);
        for (int32_t k = 0; k < 64; k++) fl->w->id[at + k] = layer;
        at += length;
        if (layer != NAV_REGION_NONE) *cover |= up_to(length - 1) << x;
    }
}

static void write_crowded(const nav_components *fl, const place *p, uint64_t *cover)
{
    for (int32_t r = 0; r < p->ranks; r++) {
        uint64_t has = row_word(fl->w->f->rows.has[r], fl, p->z, p->word) & p->own, starts = fl->starts[p->at + r];
        int32_t run = fl->first_run[p->at + r];
        for (uint64_t set = starts; set; set &= set - 1, run++) {
            int32_t x = __builtin_ctzll(set), layer = fl->w->number[fl->piece[run]];
            int32_t length = run_length(starts, has, x);
            for (int32_t k = x; k < x + length; k++) fl->w->id[span_at(fl, p, r, k)] = layer;
            if (layer != NAV_REGION_NONE) *cover |= up_to(length - 1) << x;
        }
    }
}

static void write_outside(const nav_components *fl, int32_t column, int32_t end)
{
    const int32_t *first = fl->w->f->column_first;
    for (int32_t s = first[column]; s < first[end]; s++) fl->w->id[s] = NAV_REGION_OUTSIDE;
}

void nav_components_write(const nav_components *fl)
{
    const nav_compact_heightfield *f = fl->w->f;
    int32_t w = f->width, low = f->border, high = w - f->border;
    uint64_t *cover = fl->w->cover;
    write_outside(fl, 0, low * w + low);
    for (int32_t z = low; z < high; z++) {
        for (int32_t word = 0; word < fl->w->words; word++, cover++) {
            place p = place_of(fl, z, word);
            *cover = 0;
            if (p.ranks == 1)
                write_alone(fl, &p, span_at(fl, &p, 0, __builtin_ctzll(p.own)), cover);
            else
                write_crowded(fl, &p, cover);
        }
        write_outside(fl, z * w + high, z + 1 < high ? (z + 1) * w + low : w * w);
    }
}
