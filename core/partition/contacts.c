// Contacts: pieces of floor that touch are joined to layers one by one, lowest contact first, unless the two layers
// meet in a column. For floor that lies above itself.
//
//      side view      2222222222      The floor is cut into pieces: runs of connected spans along x, cut again where
//                    1    .           columns become crowded (several spans). So the stairs here belong to the ground
//         111111111.1     .           floor up to where they reach the upper one, and there the upper layer begins.
//         1111111111111111111
//
// Source: R. Oliva and N. Pelechano, NEOGEN (2013): layers by ordered flooding, merged where no column collides; the
// pieces and their joining by contact are navd's own.
#include "core/base/sort.h"
#include "core/partition/layers_work.h"

#include <string.h>

enum { NONE = -1, CONFLICT_BITS = 10, FEW = 6 }; // few: spans of a column that are not worth a search

// A piece of crowded columns, and what is known of its layer at the layer's root.
typedef struct crowd {
    int32_t column, end; // columns [column, end)
    int32_t low, high;   // floors of the layer's crowded columns, at its root
    int32_t next, last;  // crowded pieces of the layer: a list; last: its end, at its root
    int32_t met, height; // the piece of the row before that was met last, and how low
    int32_t columns;     // crowded columns of the layer, at its root; 0: an uncrowded piece
} crowd;

typedef struct contact {
    int32_t a, b;   // pieces that touch
    int32_t height; // the lower floor of the two
} contact;

typedef struct joiner {
    nav_layers_work *w;
    const nav_run_bits *bits;
    crowd *crowds; // per piece
    contact *contacts;
    uint64_t *order; // height << 32 | contact
    int32_t contact_count;
    uint64_t *conflict; // pairs of layers known to meet in a column; a cache, newest wins
} joiner;

static inline int32_t lower_floor(const nav_compact_heightfield *f, int32_t s, int32_t n)
{
    return f->floor[s] < f->floor[n] ? f->floor[s] : f->floor[n];
}

// The pieces of spans s and n touch. Of different areas they are never one layer.
static void add_contact(joiner *j, int32_t s, int32_t n, int32_t s_piece, int32_t n_piece)
{
    const nav_compact_heightfield *f = j->w->f;
    if (f->area[n] == f->area[s])
        j->contacts[j->contact_count++] = (contact){s_piece, n_piece, lower_floor(f, s, n)};
    else
        j->w->apart[j->w->apart_count++] = (nav_layer_pair){s_piece, n_piece};
}

// The piece that spans from s on belong to: that of the span n beside them, where they go on with it, or a new one.
static inline int32_t piece_of(joiner *j, int32_t s, int32_t n, bool crowded)
{
    nav_layers_work *w = j->w;
    const nav_compact_heightfield *f = w->f;
    bool beside = n != NAV_NOT_CONNECTED && w->id[n] != NAV_REGION_OUTSIDE;
    if (beside && crowded == nav_bits_has(j->bits->crowded, n) && f->area[n] == f->area[s]) return w->id[n];
    int32_t k = ++w->piece_count;
    w->pieces[k] = (nav_layer_piece){.root = k, .first = s};
    j->crowds[k] = (crowd){.column = f->column[s], .low = INT32_MAX, .high = INT32_MIN, .next = NONE, .last = k};
    if (beside) add_contact(j, s, n, k, w->id[n]);
    return k;
}

// A run of uncrowded columns, and the pieces of the row before that it touches: of each stretch beside one of them the
// first span is looked at.
static void add_run(joiner *j, int32_t s, int32_t end, nav_layer_pair *last)
{
    nav_layers_work *w = j->w;
    int32_t k = piece_of(j, s, w->f->connection[0][s], false);
    w->pieces[k].spans += end - s;
    for (int32_t i = s; i < end; i++) w->id[i] = k;
    for (s = nav_bits_next(j->bits->down, s, end); s < end;) {
        int32_t under = w->f->connection[3][s];
        if (w->id[under] == NAV_REGION_OUTSIDE) break; // as is all of the row before
        nav_layer_pair met = {k, w->id[under]};
        if (met.a != last->a || met.b != last->b) add_contact(j, s, under, met.a, met.b);
        *last = met;
        int32_t next = nav_bits_next(j->bits->stops, under + 1, under + (end - s));
        s = nav_bits_next(j->bits->down, s + next - under, end);
    }
}

// Spans of crowded columns, one by one. Floors that lie above each other meet those of the row before by turns; only
// what is lower than at the time before is a contact of its own.
static void add_crowded(joiner *j, int32_t from, int32_t end, nav_layer_pair *last)
{
    nav_layers_work *w = j->w;
    const nav_compact_heightfield *f = w->f;
    for (int32_t s = from; s < end; s++) {
        int32_t k = w->id[s] = piece_of(j, s, f->connection[0][s], true);
        w->pieces[k].spans++;
        crowd *c = &j->crowds[k];
        c->columns++;
        c->end = f->column[s] + 1;
        c->low = f->floor[s] < c->low ? f->floor[s] : c->low;
        c->high = f->floor[s] > c->high ? f->floor[s] : c->high;
        int32_t under = f->connection[3][s];
        if (under == NAV_NOT_CONNECTED || w->id[under] == NAV_REGION_OUTSIDE) continue;
        nav_layer_pair met = {k, w->id[under]};
        if (met.a == last->a && met.b == last->b) continue;
        *last = met;
        int32_t height = lower_floor(f, s, under);
        if (c->met == met.b && c->height <= height) continue;
        c->met = met.b;
        c->height = height;
        add_contact(j, s, under, met.a, met.b);
    }
}

// The pieces of one row, and where they touch each other and those of the row before. Returns the end of its runs.
static nav_run *find_pieces(joiner *j, int32_t z, nav_run *run)
{
    const nav_compact_heightfield *f = j->w->f;
    const nav_run_bits *bits = j->bits;
    int32_t end = nav_run_bits_row_end(f, z), at = nav_run_bits_row_first(f, z), next;
    nav_layer_pair last = {NONE, NONE};
    for (; (at = nav_bits_next(bits->starts, at, end)) < end; at = next) {
        if (nav_bits_has(bits->crowded, at)) {
            next = nav_bits_next_clear(bits->crowded, at, end);
            add_crowded(j, at, next, &last);
            *run++ = (nav_run){at, next};
        } else {
            next = nav_bits_next(bits->stops, at + 1, end);
            add_run(j, at, next, &last);
            *run++ = (nav_run){at, next};
        }
    }
    return run;
}

// The first span of a column at this floor or higher; the column's end where there is none.
static int32_t span_at(const nav_compact_heightfield *f, int32_t column, int32_t floor)
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
static bool layers_meet(joiner *j, int32_t a, int32_t b)
{
    const nav_layers_work *w = j->w;
    uint64_t pair = a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
    uint64_t *known = &j->conflict[(pair * 0x9e3779b97f4a7c15u) >> (64 - CONFLICT_BITS)];
    if (*known == pair) return true;
    const nav_compact_heightfield *f = w->f;
    int32_t low = j->crowds[b].low, high = j->crowds[b].high;
    for (int32_t k = a; k != NONE; k = j->crowds[k].next) {
        for (int32_t c = j->crowds[k].column; c < j->crowds[k].end; c++) {
            int32_t first = f->column_first[c], end = f->column_first[c + 1];
            for (int32_t s = end - first > FEW ? span_at(f, c, low) : first; s < end && f->floor[s] <= high; s++) {
                if (w->id[s] <= 0 || nav_layer_root(w->pieces, w->id[s]) != b) continue;
                *known = pair;
                return true;
            }
        }
    }
    return false;
}

enum { HEIGHTS = 1024 };

// Puts the contacts in the order of their heights, and of the floor within one: by counting, or by sorting where there
// are too many heights.
static void order_contacts(joiner *j)
{
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (int32_t i = 0; i < j->contact_count; i++) {
        int32_t height = j->contacts[i].height;
        if (height < low) low = height;
        if (height > high) high = height;
    }
    if ((int64_t)high - low >= HEIGHTS) {
        for (int32_t i = 0; i < j->contact_count; i++)
            j->order[i] = (uint64_t)((uint32_t)j->contacts[i].height - (uint32_t)low) << 32 | (uint32_t)i;
        nav_sort_u64(j->order, j->contact_count);
        return;
    }
    int32_t first[HEIGHTS + 1], heights = j->contact_count > 0 ? high - low + 1 : 0;
    memset(first, 0, (size_t)(heights + 1) * sizeof *first);
    for (int32_t i = 0; i < j->contact_count; i++) first[j->contacts[i].height - low + 1]++;
    for (int32_t k = 0; k < heights; k++) first[k + 1] += first[k];
    for (int32_t i = 0; i < j->contact_count; i++) j->order[first[j->contacts[i].height - low]++] = (uint32_t)i;
}

static void join_layers(joiner *j)
{
    nav_layers_work *w = j->w;
    nav_layer_piece *p = w->pieces;
    crowd *c = j->crowds;
    for (int32_t i = 0; i < j->contact_count; i++) {
        contact pair = j->contacts[(uint32_t)j->order[i]];
        int32_t a = nav_layer_root(p, pair.a), b = nav_layer_root(p, pair.b);
        if (a == b) continue;
        // b goes: the one with fewer crowded columns, or else the later one.
        if (c[a].columns < c[b].columns || (c[a].columns == c[b].columns && a < b)) {
            int32_t t = a;
            a = b;
            b = t;
        }
        if (c[b].columns > 0 && layers_meet(j, b, a)) {
            w->apart[w->apart_count++] = (nav_layer_pair){a, b};
            continue;
        }
        p[b].root = a;
        if (c[b].columns == 0) continue;
        c[a].columns += c[b].columns;
        c[a].low = c[b].low < c[a].low ? c[b].low : c[a].low;
        c[a].high = c[b].high > c[a].high ? c[b].high : c[a].high;
        c[c[a].last].next = b;
        c[a].last = c[b].last;
    }
}

static void mark_border(const nav_layers_work *w, int d, int32_t first, int32_t end)
{
    const int32_t *connection = w->f->connection[d];
    for (int32_t s = first; s < end; s++)
        if (w->id[s] > 0 && connection[s] != NAV_NOT_CONNECTED) w->pieces[w->id[s]].border = true;
}

// Which floor goes on in the padding?
static void find_border(const nav_layers_work *w)
{
    const nav_compact_heightfield *f = w->f;
    int32_t low = f->border, high = f->width - f->border - 1;
    mark_border(w, 3, nav_run_bits_row_first(f, low), nav_run_bits_row_end(f, low));
    mark_border(w, 1, nav_run_bits_row_first(f, high), nav_run_bits_row_end(f, high));
    for (int32_t z = low; z <= high; z++) {
        const int32_t *first = f->column_first + z * f->width;
        mark_border(w, 0, first[low], first[low + 1]);
        mark_border(w, 2, first[high], first[high + 1]);
    }
}

nav_status nav_contacts_join(nav_layers_work *w, nav_arena *arena, nav_contacts *out)
{
    const nav_compact_heightfield *f = w->f;
    size_t n = (size_t)f->span_count;
    *out = (nav_contacts){.w = w, .runs = NAV_TAKE(arena, nav_run, n)};
    joiner j = {
        .w = w,
        .bits = &out->bits,
        .crowds = NAV_TAKE(arena, crowd, n + 1),
        .contacts = NAV_TAKE(arena, contact, 2 * n), // a run has one at its start, a span one with the row before
        .order = NAV_TAKE(arena, uint64_t, 2 * n),
        .conflict = NAV_TAKE_ZERO(arena, uint64_t, 1 << CONFLICT_BITS),
    };
    if (!out->runs || !j.crowds || !j.contacts || !j.order || !j.conflict) return nav_arena_failure(arena);
    nav_status status = nav_run_bits_init(&out->bits, f, arena);
    if (status != NAV_OK) return status;
    nav_run *end = out->runs;
    w->piece_count = w->apart_count = 0;
    nav_regions_mark_outside(f, w->id);
    for (int32_t z = f->border; z < f->width - f->border; z++) end = find_pieces(&j, z, end);
    out->run_count = (int32_t)(end - out->runs);
    find_border(w);
    order_contacts(&j);
    join_layers(&j);
    return NAV_OK;
}

void nav_contacts_write(const nav_contacts *contacts)
{
    const nav_layers_work *w = contacts->w;
    const nav_compact_heightfield *f = w->f;
    int32_t side = f->width - 2 * f->border;
    memset(w->cover, 0, (size_t)side * (size_t)w->words * sizeof *w->cover);
    for (const nav_run *run = contacts->runs; run < contacts->runs + contacts->run_count; run++) {
        for (int32_t s = run->first; s < run->end; s++) {
            int32_t layer = w->id[s] = w->number[w->id[s]], x = f->column[s] % f->width, z = f->column[s] / f->width;
            uint64_t *cover = &w->cover[(size_t)(z - f->border) * (size_t)w->words + (size_t)(x >> 6)];
            *cover |= (uint64_t)(layer != NAV_REGION_NONE) << (x & 63);
        }
    }
}
