// Layers: connected floor with at most one span in a column, as large as they get, from the lowest floor up.
//
//      side view      2222222222      The floor is cut into pieces: runs of linked spans along x, cut again where
//                    1    .           columns become crowded (several spans). Pieces that touch are joined, lowest
//         111111111.1     .           contact first, unless the two layers meet in a column: there a layer ends (the
//         1111111111111111111         stairs belong to the ground floor up to where they reach the upper one).
//
// Where no column is crowded, as on most ground, every connected floor is a layer and there is nothing to sort.
// Source: R. Oliva and N. Pelechano, NEOGEN (2013): layers by ordered flooding, merged where no column collides; the
// pieces and their joining by contact are navd's own.
#include "core/outline/sort.h"
#include "core/partition/folds.h"
#include "core/partition/merge.h"
#include "core/partition/regions.h"
#include "core/partition/runs.h"

#include <string.h>

enum { NONE = -1, CONFLICT_BITS = 10 };

typedef struct piece {
    int32_t root;    // union-find over layers
    int32_t spans;   // of the layer, at its root
    int32_t crowded; // crowded columns of the layer, at its root
    bool border;     // linked to the padding
} piece;

// What is asked of pieces of crowded columns only.
typedef struct crowd {
    int32_t column, end; // columns [column, end)
    int32_t low, high;   // floors of the layer's crowded columns, at its root
    int32_t next, last;  // crowded pieces of the layer: a list; last: its end, at its root
    int32_t met, level;  // the piece of the row before that was met last, and how low
} crowd;

typedef struct contact {
    int32_t a, b;  // pieces that touch
    int32_t level; // the lower floor of the two
} contact;

typedef struct touch {
    int32_t a, b; // pieces
} touch;

typedef struct layers {
    const nav_open_field *f;
    nav_run_bits bits;
    int32_t *id; // per span: its piece, from 1; in the end its layer
    nav_run *runs;
    int32_t *row_first; // per row of the tile: its first run
    piece *pieces;
    crowd *crowds; // per piece
    int32_t piece_count;
    contact *contacts;
    contact *seams;  // between pieces of different areas: connected floor that is never one layer; listed backwards
    uint64_t *order; // level << 32 | contact
    int32_t contact_count, seam_count;
    uint64_t *conflict; // pairs of layers known to meet in a column; a cache, newest wins
} layers;

static int32_t root_of(piece *p, int32_t a)
{
    while (p[a].root != a) a = p[a].root = p[p[a].root].root;
    return a;
}

static inline int32_t level_of(const layers *w, int32_t s, int32_t n)
{
    const int32_t *floor = w->f->floor;
    return floor[s] < floor[n] ? floor[s] : floor[n];
}

// The pieces of spans s and n touch.
static void add_contact(layers *w, int32_t s, int32_t n, int32_t s_piece, int32_t n_piece)
{
    contact met = {s_piece, n_piece, level_of(w, s, n)};
    if (w->f->area[n] == w->f->area[s])
        w->contacts[w->contact_count++] = met;
    else
        w->seams[-++w->seam_count] = met;
}

// The piece that spans from s on belong to: that of the span n beside them, where they go on with it, or a new one.
static inline int32_t piece_of(layers *w, int32_t s, int32_t n, bool crowded)
{
    const nav_open_field *f = w->f;
    if (n != NAV_LINK_NONE && crowded == nav_bits_has(w->bits.crowded, n) && f->area[n] == f->area[s]) return w->id[n];
    int32_t k = ++w->piece_count;
    w->pieces[k] = (piece){.root = k};
    if (crowded)
        w->crowds[k] = (crowd){.column = f->column[s], .low = INT32_MAX, .high = INT32_MIN, .next = NONE, .last = k};
    if (n != NAV_LINK_NONE) add_contact(w, s, n, k, w->id[n]);
    return k;
}

// A run of uncrowded columns, and the pieces of the row before that it touches: of each stretch beside one of them the
// first span is looked at.
static int32_t add_run(layers *w, int32_t s, int32_t end, int32_t n, bool first_row, touch *last)
{
    const nav_open_field *f = w->f;
    int32_t k = piece_of(w, s, n, false);
    w->pieces[k].spans += end - s;
    for (int32_t i = s; i < end; i++) w->id[i] = k;
    if (first_row) return k;
    for (s = nav_bits_next(w->bits.down, s, end); s < end;) {
        int32_t under = f->link[3][s];
        touch met = {k, w->id[under]};
        if (met.a != last->a || met.b != last->b) add_contact(w, s, under, met.a, met.b);
        *last = met;
        s = nav_bits_next(w->bits.down, s + nav_bits_next(w->bits.stops, under + 1, f->span_count) - under, end);
    }
    return k;
}

// Spans of crowded columns, one by one. Floors that lie above each other meet those of the row before by turns; only
// what is lower than at the time before is a contact of its own.
static void add_crowded(layers *w, int32_t from, int32_t end, int32_t row_column, bool first_row, touch *last)
{
    const nav_open_field *f = w->f;
    const int32_t *floor = f->floor, *column = f->column;
    for (int32_t s = from; s < end; s++) {
        int32_t k = w->id[s] = piece_of(w, s, column[s] != row_column ? f->link[0][s] : NAV_LINK_NONE, true);
        crowd *c = &w->crowds[k];
        c->end = column[s] + 1;
        c->low = floor[s] < c->low ? floor[s] : c->low;
        c->high = floor[s] > c->high ? floor[s] : c->high;
        int32_t under = f->link[3][s];
        if (first_row || under == NAV_LINK_NONE) continue;
        touch met = {k, w->id[under]};
        if (met.a == last->a && met.b == last->b) continue;
        *last = met;
        int32_t level = level_of(w, s, under);
        if (c->met == met.b && c->level <= level) continue;
        c->met = met.b;
        c->level = level;
        add_contact(w, s, under, met.a, met.b);
    }
}

// The pieces of one row, and where they touch each other and those of the row before. Returns the end of its runs.
static nav_run *find_pieces(layers *w, int32_t z, nav_run *run)
{
    const nav_open_field *f = w->f;
    const nav_run_bits *bits = &w->bits;
    int32_t column = z * f->width + f->border, at = nav_run_bits_row_first(f, z), row_end = nav_run_bits_row_end(f, z);
    bool first_row = z == f->border;
    touch last = {NONE, NONE};
    for (at = nav_bits_next(bits->starts, at, row_end); at < row_end; at = nav_bits_next(bits->starts, at, row_end)) {
        if (nav_bits_has(bits->crowded, at)) {
            int32_t end = nav_bits_next_clear(bits->crowded, at, row_end);
            add_crowded(w, at, end, column, first_row, &last);
            *run++ = (nav_run){at, end, NAV_RUN_MIXED};
            at = end;
        } else {
            int32_t end = nav_bits_next(bits->stops, at + 1, row_end);
            int32_t n = f->column[at] != column ? f->link[0][at] : NAV_LINK_NONE;
            *run++ = (nav_run){at, end, add_run(w, at, end, n, first_row, &last)};
            at = end;
        }
    }
    return run;
}

static void find_all_pieces(layers *w)
{
    const nav_open_field *f = w->f;
    nav_run *end = w->runs;
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        w->row_first[z - f->border] = (int32_t)(end - w->runs);
        end = find_pieces(w, z, end);
    }
    w->row_first[f->width - 2 * f->border] = (int32_t)(end - w->runs);
    for (int32_t k = 1; w->bits.any_crowded && k <= w->piece_count; k++)
        if (w->pieces[k].spans == 0) // a piece has one span a column
            w->pieces[k].spans = w->pieces[k].crowded = w->crowds[k].end - w->crowds[k].column;
}

// Marks the pieces of spans in [first, end) with a link in direction d. Padding and other floor are no pieces.
static void find_border(layers *w, int d, int32_t first, int32_t end)
{
    const int32_t *link = w->f->link[d];
    for (int32_t s = first; s < end; s++)
        if (w->id[s] > 0 && link[s] != NAV_LINK_NONE) w->pieces[w->id[s]].border = true;
}

// Which floor goes on in the padding?
static void find_borders(layers *w)
{
    const nav_open_field *f = w->f;
    int32_t low = f->border, high = f->width - f->border - 1;
    find_border(w, 3, nav_run_bits_row_first(f, low), nav_run_bits_row_end(f, low));
    find_border(w, 1, nav_run_bits_row_first(f, high), nav_run_bits_row_end(f, high));
    for (int32_t z = low; z <= high; z++) {
        const int32_t *first = f->column_first + z * f->width;
        find_border(w, 0, first[low], first[low + 1]);
        find_border(w, 2, first[high], first[high + 1]);
    }
}

// The first span of a column at this floor or higher; the column's end where there is none.
static int32_t span_at(const nav_open_field *f, int32_t column, int32_t floor)
{
    int32_t low = f->column_first[column], high = f->column_first[column + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (f->floor[middle] < floor) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Does a column of the layer a hold a span of the layer b? a: the one with fewer crowded columns.
static bool layers_meet(layers *w, int32_t a, int32_t b)
{
    uint64_t pair = a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
    uint64_t *known = &w->conflict[(pair * 0x9e3779b97f4a7c15u) >> (64 - CONFLICT_BITS)];
    if (*known == pair) return true;
    const nav_open_field *f = w->f;
    int32_t low = w->crowds[b].low, high = w->crowds[b].high;
    for (int32_t k = a; k != NONE; k = w->crowds[k].next) {
        for (int32_t c = w->crowds[k].column; c < w->crowds[k].end; c++) {
            int32_t end = f->column_first[c + 1];
            for (int32_t s = span_at(f, c, low); s < end && f->floor[s] <= high; s++) {
                if (w->id[s] <= 0 || root_of(w->pieces, w->id[s]) != b) continue;
                *known = pair;
                return true;
            }
        }
    }
    return false;
}

enum { LEVELS = 1024 };

// Puts the contacts in the order of their levels, and of the floor within one: by counting, or by sorting where there
// are too many levels.
static void order_contacts(layers *w)
{
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (int32_t i = 0; i < w->contact_count; i++) {
        int32_t level = w->contacts[i].level;
        if (level < low) low = level;
        if (level > high) high = level;
    }
    if ((int64_t)high - low >= LEVELS) {
        for (int32_t i = 0; i < w->contact_count; i++)
            w->order[i] = (uint64_t)((uint32_t)w->contacts[i].level - (uint32_t)low) << 32 | (uint32_t)i;
        nav_sort_u64(w->order, w->contact_count);
        return;
    }
    int32_t first[LEVELS + 1], levels = w->contact_count > 0 ? high - low + 1 : 0;
    memset(first, 0, (size_t)(levels + 1) * sizeof *first);
    for (int32_t i = 0; i < w->contact_count; i++) first[w->contacts[i].level - low + 1]++;
    for (int32_t k = 0; k < levels; k++) first[k + 1] += first[k];
    for (int32_t i = 0; i < w->contact_count; i++) w->order[first[w->contacts[i].level - low]++] = (uint32_t)i;
}

static void join_layers(layers *w)
{
    piece *p = w->pieces;
    crowd *c = w->crowds;
    bool any_crowded = w->bits.any_crowded;
    if (any_crowded) order_contacts(w);
    for (int32_t i = 0; i < w->contact_count; i++) {
        contact pair = w->contacts[any_crowded ? (uint32_t)w->order[i] : (uint32_t)i];
        int32_t a = root_of(p, pair.a), b = root_of(p, pair.b);
        if (a == b) continue;
        // b goes: the one with fewer crowded columns, or else the later one.
        if (p[a].crowded < p[b].crowded || (p[a].crowded == p[b].crowded && a < b)) {
            int32_t t = a;
            a = b;
            b = t;
        }
        if (p[b].crowded > 0 && layers_meet(w, b, a)) continue;
        p[b].root = a;
        p[a].spans += p[b].spans;
        p[a].border |= p[b].border;
        if (p[b].crowded == 0) continue;
        p[a].crowded += p[b].crowded;
        if (c[b].low < c[a].low) c[a].low = c[b].low;
        if (c[b].high > c[a].high) c[a].high = c[b].high;
        c[c[a].last].next = b;
        c[a].last = c[b].last;
    }
}

static int32_t group_of(int32_t *group, int32_t a)
{
    while (group[a] != a) a = group[a] = group[group[a]];
    return a;
}

static void join_groups(layers *w, int32_t *group, const contact *met, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t a = group_of(group, root_of(w->pieces, met[i].a)), b = group_of(group, root_of(w->pieces, met[i].b));
        if (a != b) group[a > b ? a : b] = a < b ? a : b;
    }
}

// Marks the layers that go as too small, in `number`: those of floor that is connected to nothing larger, unless it
// goes on in the padding: how much of it lies in the neighbour tile is not known here. group: scratch, per piece.
static void remove_small(layers *w, int32_t least, int32_t *group, int32_t *number)
{
    piece *p = w->pieces;
    bool any = false;
    for (int32_t k = 1; k <= w->piece_count; k++) any |= p[k].root == k && p[k].spans < least && !p[k].border;
    if (!any) return; // no need to ask what is connected
    for (int32_t k = 1; k <= w->piece_count; k++) group[k] = k;
    join_groups(w, group, w->contacts, w->contact_count);
    join_groups(w, group, w->seams - w->seam_count, w->seam_count);
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t g = group_of(group, k);
        if (p[k].root != k || g == k) continue;
        p[g].spans += p[k].spans;
        p[g].border |= p[k].border;
    }
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t g = group_of(group, k);
        if (p[k].root == k && p[g].spans < least && !p[g].border) number[k] = NAV_REGION_NONE;
    }
}

// Numbers the layers in the order of their first spans. number: per piece, NAV_REGION_NONE where it goes.
static void number_layers(layers *w, int32_t least, int32_t *group, int32_t *number, nav_regions *out)
{
    piece *p = w->pieces;
    for (int32_t k = 0; k <= w->piece_count; k++) number[k] = NONE;
    remove_small(w, least, group, number);
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t r = root_of(p, k);
        if (number[r] == NONE) number[r] = ++out->count;
        number[k] = number[r];
    }
}

static void write_layers(const layers *w, const int32_t *number)
{
    const nav_open_field *f = w->f;
    const nav_run *end = w->runs + w->row_first[f->width - 2 * f->border];
    for (const nav_run *run = w->runs; run < end; run++) {
        int32_t layer = number[run->piece];
        if (run->piece == NAV_RUN_MIXED)
            for (int32_t s = run->first; s < run->end; s++) w->id[s] = number[w->id[s]];
        else
            for (int32_t s = run->first; s < run->end; s++) w->id[s] = layer;
    }
}

nav_status nav_regions_layers(const nav_open_field *f, const nav_config *cfg, nav_arena *arena, nav_regions *out)
{
    size_t n = (size_t)f->span_count;
    *out = (nav_regions){.id = NAV_TAKE(arena, int32_t, n), .folded = NAV_TAKE(arena, uint8_t, n + 1)};
    nav_arena_mark mark = nav_arena_get_mark(arena);
    layers w = {
        .f = f,
        .id = out->id,
        .runs = NAV_TAKE(arena, nav_run, n),
        .row_first = NAV_TAKE(arena, int32_t, f->width + 1),
        .pieces = NAV_TAKE(arena, piece, n + 1),
        .crowds = NAV_TAKE(arena, crowd, n + 1),
        .contacts = NAV_TAKE(arena, contact, 2 * n), // a run has one at its start, a span one with the row before
        .order = NAV_TAKE(arena, uint64_t, 2 * n),
        .conflict = NAV_TAKE(arena, uint64_t, 1 << CONFLICT_BITS),
    };
    int32_t *group = NAV_TAKE(arena, int32_t, n + 1), *number = NAV_TAKE(arena, int32_t, n + 1);
    nav_status status = nav_run_bits_init(&w.bits, f, arena);
    if (status != NAV_OK) goto done;
    if (!w.id || !out->folded || !w.runs || !w.row_first || !w.pieces || !w.crowds || !w.contacts || !w.order ||
        !w.conflict || !group || !number) {
        status = nav_arena_failure(arena);
        goto done;
    }
    w.seams = w.contacts + 2 * n;
    if (w.bits.any_crowded) memset(w.conflict, 0, sizeof *w.conflict << CONFLICT_BITS);
    nav_regions_mark_outside(f, w.id);
    find_all_pieces(&w);
    find_borders(&w);
    join_layers(&w);
    number_layers(&w, cfg->region_min_spans, group, number, out);
    write_layers(&w, number);
    status = nav_layers_find_folds(f, cfg, w.runs, w.row_first, arena, out);
done:
    nav_arena_release(arena, mark);
    return status;
}
