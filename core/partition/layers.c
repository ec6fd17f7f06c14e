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
#include "core/partition/merge.h"
#include "core/partition/regions.h"

#include <string.h>

enum { NONE = -1, CONFLICT_BITS = 10 };

typedef struct piece {
    int32_t root;        // union-find over layers
    int32_t group;       // union-find over connected floor
    int32_t spans;       // of the layer, at its root
    int32_t column, end; // columns [column, end)
    int32_t low, high;   // floors of the layer, at its root
    int32_t crowded;     // crowded columns of the layer, at its root
    int32_t next, last;  // crowded pieces of the layer: a list; last: its end, at its root
    bool border;         // of the group, at its root: linked to the padding
} piece;

typedef struct contact {
    int32_t a, b;  // pieces that touch
    int32_t level; // the lower floor of the two
} contact;

typedef struct seen_span {
    int32_t layer, place, floor; // place: x or z
} seen_span;

typedef struct layers {
    const nav_open_field *f;
    int32_t *id; // per span: its piece, from 1; in the end its layer
    piece *pieces;
    int32_t piece_count;
    contact *contacts;
    uint64_t *order; // level << 32 | contact
    int32_t contact_count;
    uint64_t *conflict; // pairs of layers known to meet in a column; a cache, newest wins
    bool crowded;       // any column of the tile is
} layers;

static int32_t root_of(piece *p, int32_t a)
{
    while (p[a].root != a) a = p[a].root = p[p[a].root].root;
    return a;
}

static int32_t group_of(piece *p, int32_t a)
{
    while (p[a].group != a) a = p[a].group = p[p[a].group].group;
    return a;
}

static void join_groups(layers *w, int32_t a, int32_t b)
{
    piece *p = w->pieces;
    a = group_of(p, a);
    b = group_of(p, b);
    if (a == b) return;
    int32_t keep = a < b ? a : b, go = a < b ? b : a;
    p[go].group = keep;
    p[keep].border |= p[go].border;
}

static bool is_crowded(const nav_open_field *f, int32_t column)
{
    int32_t first = f->column_first[column], end = f->column_first[column + 1], n = 0;
    if (end - first < 2) return false;
    for (int32_t s = first; s < end; s++) n += f->area[s] != NAV_AREA_NONE;
    return n > 1;
}

// The pieces of spans s and n touch.
static void add_contact(layers *w, int32_t s, int32_t n)
{
    const nav_open_field *f = w->f;
    join_groups(w, w->id[s], w->id[n]);
    if (f->area[n] != f->area[s]) return;
    int32_t level = f->floor[s] < f->floor[n] ? f->floor[s] : f->floor[n];
    w->contacts[w->contact_count++] = (contact){w->id[s], w->id[n], level};
}

static int32_t new_piece(layers *w, int32_t column, bool crowded)
{
    int32_t k = ++w->piece_count;
    w->pieces[k] = (piece){.root = k,
                           .group = k,
                           .column = column,
                           .end = column,
                           .low = INT32_MAX,
                           .high = INT32_MIN,
                           .next = NONE,
                           .last = NONE};
    if (crowded) w->pieces[k].last = k;
    return k;
}

static void grow_piece(piece *p, int32_t column, int32_t floor)
{
    p->end = column + 1;
    if (floor < p->low) p->low = floor;
    if (floor > p->high) p->high = floor;
}

// The pieces of one row, and where they touch each other and those of the row before.
static void find_pieces(layers *w, int32_t z)
{
    const nav_open_field *f = w->f;
    const int32_t *x_link = f->link[0], *z_link = f->link[3];
    int32_t *id = w->id, last = NONE, last_below = NONE; // the contact with the row before that was met last
    bool before = false;
    for (int32_t x = f->border; x < f->width - f->border; x++) {
        int32_t c = z * f->width + x;
        bool crowded = is_crowded(f, c);
        w->crowded |= crowded;
        for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++) {
            if (f->area[s] == NAV_AREA_NONE) {
                id[s] = NAV_REGION_NONE;
                continue;
            }
            int32_t left = x > f->border ? x_link[s] : NAV_LINK_NONE;
            if (left != NAV_LINK_NONE && crowded == before && f->area[left] == f->area[s]) {
                id[s] = id[left];
            } else {
                id[s] = new_piece(w, c, crowded);
                if (left != NAV_LINK_NONE) add_contact(w, s, left);
            }
            grow_piece(&w->pieces[id[s]], c, f->floor[s]);
            int32_t below = z > f->border ? z_link[s] : NAV_LINK_NONE;
            if (below == NAV_LINK_NONE || (id[s] == last && id[below] == last_below)) continue;
            last = id[s];
            last_below = id[below];
            add_contact(w, s, below);
        }
        before = crowded;
    }
}

// Which floor goes on in the padding?
static void find_borders(layers *w)
{
    const nav_open_field *f = w->f;
    int32_t low = f->border, high = f->width - f->border - 1;
    for (int d = 0; d < 4; d++) {
        for (int32_t k = low; k <= high; k++) {
            int32_t c = d == 0   ? k * f->width + low
                        : d == 1 ? high * f->width + k
                        : d == 2 ? k * f->width + high
                                 : low * f->width + k;
            for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
                if (w->id[s] > 0 && f->link[d][s] != NAV_LINK_NONE)
                    w->pieces[group_of(w->pieces, w->id[s])].border = true;
        }
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
    int32_t low = w->pieces[b].low, high = w->pieces[b].high;
    for (int32_t k = a; k != NONE; k = w->pieces[k].next) {
        for (int32_t c = w->pieces[k].column; c < w->pieces[k].end; c++) {
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
    int32_t first[LEVELS + 1] = {0}, low = INT32_MAX, high = INT32_MIN;
    for (int32_t i = 0; i < w->contact_count; i++) {
        int32_t level = w->contacts[i].level;
        if (level < low) low = level;
        if (level > high) high = level;
    }
    bool few = (int64_t)high - low < LEVELS;
    for (int32_t i = 0; i < w->contact_count; i++) {
        uint32_t above = (uint32_t)w->contacts[i].level - (uint32_t)low;
        if (few) {
            first[above + 1]++;
        } else {
            w->order[i] = (uint64_t)above << 32 | (uint32_t)i;
        }
    }
    if (!few) {
        nav_sort_u64(w->order, w->contact_count);
        return;
    }
    for (int32_t k = 0; k < LEVELS; k++) first[k + 1] += first[k];
    for (int32_t i = 0; i < w->contact_count; i++) w->order[first[w->contacts[i].level - low]++] = (uint32_t)i;
}

static void join_layers(layers *w)
{
    piece *p = w->pieces;
    for (int32_t k = 1; k <= w->piece_count; k++) {
        p[k].spans = p[k].end - p[k].column; // a piece has one span a column
        p[k].crowded = p[k].last == k ? p[k].spans : 0;
    }
    if (w->crowded) order_contacts(w);
    for (int32_t i = 0; i < w->contact_count; i++) {
        contact pair = w->contacts[w->crowded ? (uint32_t)w->order[i] : (uint32_t)i];
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
        if (p[b].low < p[a].low) p[a].low = p[b].low;
        if (p[b].high > p[a].high) p[a].high = p[b].high;
        if (p[b].crowded == 0) continue;
        p[a].crowded += p[b].crowded;
        p[p[a].last].next = b;
        p[a].last = p[b].last;
    }
}

// Numbers the layers in the order of their first spans. Floor that is connected to nothing larger goes, unless it goes
// on in the padding: how much of it lies in the neighbour tile is not known here. number: per piece, 0 where it goes.
static void number_layers(layers *w, int32_t least, int32_t *total, int32_t *number, nav_regions *out)
{
    piece *p = w->pieces;
    memset(total, 0, ((size_t)w->piece_count + 1) * sizeof *total);
    for (int32_t k = 1; k <= w->piece_count; k++)
        if (p[k].root == k) total[group_of(p, k)] += p[k].spans;
    memset(number, 0, ((size_t)w->piece_count + 1) * sizeof *number);
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t g = group_of(p, k), r = root_of(p, k);
        bool removed = total[g] < least && !p[g].border;
        if (number[r] == 0 && !removed) number[r] = ++out->count;
        number[k] = number[r];
    }
}

// Is span b, seen some columns after a, of the same layer, and higher or lower than floor between them would bring it:
// by a step, and a level more a column?
static bool is_fold(seen_span a, seen_span b, int32_t near, int32_t climb)
{
    int32_t rise = b.floor > a.floor ? b.floor - a.floor : a.floor - b.floor, gap = b.place - a.place;
    return a.layer == b.layer && gap > 1 && gap <= near && rise > climb + gap;
}

// Gives the spans their layers, and notes the layers with parts beside each other at different heights.
static void write_layers(layers *w, const nav_config *cfg, const int32_t *number, seen_span *before_z, nav_regions *out)
{
    const nav_open_field *f = w->f;
    int32_t low = f->border, high = f->width - f->border, near = 2 * (3 + (int32_t)cfg->edge_max_error);
    memset(before_z, 0, (size_t)f->width * sizeof *before_z);
    for (int32_t z = low; z < high; z++) {
        seen_span before_x = {0};
        for (int32_t x = low; x < high; x++) {
            int32_t c = z * f->width + x;
            for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++) {
                int32_t layer = w->id[s] = number[w->id[s]];
                if (layer == NAV_REGION_NONE) continue;
                seen_span at_x = {layer, x, f->floor[s]}, at_z = {layer, z, f->floor[s]};
                if (is_fold(before_x, at_x, near, cfg->climb_vx)) out->folded[layer] = 1;
                if (is_fold(before_z[x], at_z, near, cfg->climb_vx)) out->folded[layer] = 1;
                before_x = at_x;
                before_z[x] = at_z;
            }
        }
    }
}

nav_status nav_regions_layers(const nav_open_field *f, const nav_config *cfg, nav_arena *arena, nav_regions *out)
{
    size_t n = (size_t)f->span_count;
    *out = (nav_regions){.id = NAV_TAKE(arena, int32_t, n), .folded = NAV_TAKE_ZERO(arena, uint8_t, n + 1)};
    nav_arena_mark mark = nav_arena_get_mark(arena);
    layers w = {
        .f = f,
        .id = out->id,
        .pieces = NAV_TAKE(arena, piece, n + 1),
        .contacts = NAV_TAKE(arena, contact, 2 * n),
        .order = NAV_TAKE(arena, uint64_t, 2 * n),
        .conflict = NAV_TAKE_ZERO(arena, uint64_t, 1 << CONFLICT_BITS),
    };
    int32_t *total = NAV_TAKE(arena, int32_t, n + 1), *number = NAV_TAKE(arena, int32_t, n + 1);
    seen_span *before_z = NAV_TAKE(arena, seen_span, f->width);
    nav_status status = NAV_OK;
    if (!w.id || !out->folded || !w.pieces || !w.contacts || !w.order || !w.conflict || !total || !number ||
        !before_z) {
        status = nav_arena_failure(arena);
        goto done;
    }
    nav_regions_mark_padding(f, w.id);
    for (int32_t z = f->border; z < f->width - f->border; z++) find_pieces(&w, z);
    find_borders(&w);
    join_layers(&w);
    number_layers(&w, cfg->region_min_spans, total, number, out);
    write_layers(&w, cfg, number, before_z, out);
done:
    nav_arena_release(arena, mark);
    return status;
}
