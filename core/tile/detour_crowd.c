// Where a border is crowded. Detour joins an edge with the first four polygons of the other tile whose edges overlap it
// in the plane and come within twice the climb in height; the fifth may be the one that it really leads to.
//
//   other storey, close above:   +--+--+--+--+--+--+      one long edge below meets seven edges, its partner among them
//   this storey:                 +-----------------+
//
// Both tiles have the same edges on the border, so a tile counts on its own side. An edge that meets more than four
// (itself counted: that is its partner) is cut at every end of those it meets; then all are counted again, until
// nothing is left to cut. Each round looks at the edges as the round before left them, so the result depends on the set
// of edges only, which is the same in both tiles, and not on their order.

#include "core/tile/detour_split.h"

#include <stdlib.h>
#include <string.h>

enum { DETOUR_TAKES = 4, BORDERS = 4, FEW_PIECES = 32 };

// A portal edge, or a part of one.
typedef struct piece {
    int32_t lo, hi;           // its ends, outline units along the border
    int32_t edge_lo, edge_hi; // ends of the whole edge
    int32_t y_lo, y_hi;       // heights at these, voxels
    int32_t corner;           // that the whole edge begins in
    int32_t meets;            // pieces that Detour would find for this one
} piece;

typedef struct crowd {
    piece *piece;      // sorted by lower end
    const piece **met; // those that meet the one being looked at
    int32_t met_count;
    int32_t count, room;
    detour_cut *cut; // of this round; `corner` is the index of a piece
    int32_t cut_count, cut_room;
    double near_vx;
    piece few[FEW_PIECES]; // where most borders have room, without the heap
    const piece *few_met[FEW_PIECES];
} crowd;

static int32_t next_corner(const nav_polygons *p, int32_t poly, int32_t k)
{
    return k + 1 == p->first[poly + 1] ? p->first[poly] : k + 1;
}

static piece whole_edge(const nav_polygons *p, int32_t poly, int32_t corner)
{
    int32_t behind = p->behind[corner];
    bool along_z = behind == NAV_EDGE_PORTAL_XMAX || behind == NAV_EDGE_PORTAL_XMIN;
    const int32_t *along = along_z ? p->z : p->x;
    int32_t lo = p->vert[corner], hi = p->vert[next_corner(p, poly, corner)];
    if (along[lo] > along[hi]) {
        int32_t swap = lo;
        lo = hi;
        hi = swap;
    }
    return (piece){along[lo], along[hi], along[lo], along[hi], p->y[lo], p->y[hi], corner, 0};
}

static int compare_pieces(const void *a, const void *b)
{
    const piece *l = a, *r = b;
    if (l->lo != r->lo) return l->lo < r->lo ? -1 : 1;
    return (l->corner > r->corner) - (l->corner < r->corner); // parts of one edge have different ends
}

static double height_at(const piece *p, int32_t at)
{
    return p->y_lo + ((double)p->y_hi - p->y_lo) * ((double)at - p->edge_lo) / ((double)p->edge_hi - p->edge_lo);
}

static bool is_near(const crowd *c, const piece *a, const piece *b)
{
    int32_t lo = a->lo > b->lo ? a->lo : b->lo, hi = a->hi < b->hi ? a->hi : b->hi;
    if (lo >= hi) return false;
    double at_lo = height_at(a, lo) - height_at(b, lo), at_hi = height_at(a, hi) - height_at(b, hi);
    if ((at_lo < 0) != (at_hi < 0)) return true;
    return (at_lo < 0 ? -at_lo : at_lo) <= c->near_vx || (at_hi < 0 ? -at_hi : at_hi) <= c->near_vx;
}

// Those that overlap piece i and are behind it in the order begin before its end.
static bool count_meetings(crowd *c)
{
    bool crowded = false;
    for (int32_t i = 0; i < c->count; i++) c->piece[i].meets = 1;
    for (int32_t i = 0; i < c->count; i++) {
        for (int32_t k = i + 1; k < c->count && c->piece[k].lo < c->piece[i].hi; k++) {
            if (!is_near(c, &c->piece[i], &c->piece[k])) continue;
            c->piece[i].meets++;
            c->piece[k].meets++;
        }
        crowded = crowded || c->piece[i].meets > DETOUR_TAKES;
    }
    return crowded;
}

static nav_status add_cut(crowd *c, int32_t i, int32_t at)
{
    if (c->cut_count == c->cut_room) {
        int32_t room = c->cut_room ? 2 * c->cut_room : 64;
        detour_cut *cut = realloc(c->cut, (size_t)room * sizeof *cut);
        if (!cut) return NAV_ERR_MEMORY;
        c->cut = cut;
        c->cut_room = room;
    }
    c->cut[c->cut_count++] = (detour_cut){i, at, 0};
    return NAV_OK;
}

static int compare_cuts(const void *a, const void *b)
{
    const detour_cut *l = a, *r = b;
    if (l->corner != r->corner) return l->corner < r->corner ? -1 : 1;
    return (l->at > r->at) - (l->at < r->at);
}

static void collect_met(crowd *c, int32_t i)
{
    c->met_count = 0;
    for (int32_t k = 0; k < c->count && c->piece[k].lo < c->piece[i].hi; k++)
        if (k != i && is_near(c, &c->piece[i], &c->piece[k])) c->met[c->met_count++] = &c->piece[k];
}

// The nearest end of a piece that was met, above `at`.
static int32_t next_end(const crowd *c, int32_t at)
{
    int32_t best = INT32_MAX;
    for (int32_t k = 0; k < c->met_count; k++) {
        if (c->met[k]->lo > at && c->met[k]->lo < best) best = c->met[k]->lo;
        if (c->met[k]->hi > at && c->met[k]->hi < best) best = c->met[k]->hi;
    }
    return best;
}

static bool is_crowded(const crowd *c, int32_t lo, int32_t hi)
{
    int32_t meets = 1;
    for (int32_t k = 0; k < c->met_count; k++) meets += c->met[k]->lo < hi && c->met[k]->hi > lo;
    return meets > DETOUR_TAKES;
}

static nav_status cut_one(crowd *c, int32_t i)
{
    nav_status s = NAV_OK;
    int32_t at = c->piece[i].lo, hi = c->piece[i].hi;
    collect_met(c, i);
    while (s == NAV_OK && is_crowded(c, at, hi)) {
        int32_t end = next_end(c, at);
        if (end >= hi) break; // more than four storeys so close: no cut helps
        for (int32_t next = next_end(c, end); next < hi && !is_crowded(c, at, next); next = next_end(c, end))
            end = next;
        s = add_cut(c, i, end);
        at = end;
    }
    return s;
}

static nav_status find_round(crowd *c)
{
    nav_status s = NAV_OK;
    c->cut_count = 0;
    for (int32_t i = 0; s == NAV_OK && i < c->count; i++)
        if (c->piece[i].meets > DETOUR_TAKES) s = cut_one(c, i);
    return s;
}

static nav_status make_room(crowd *c, int32_t room)
{
    if (room <= c->room) return NAV_OK;
    bool had_few = c->piece == c->few;
    piece *all = realloc(had_few ? NULL : c->piece, (size_t)room * sizeof *all);
    if (!all) return NAV_ERR_MEMORY;
    if (had_few) memcpy(all, c->few, sizeof c->few);
    c->piece = all;
    const piece **met = realloc(c->met == c->few_met ? NULL : c->met, (size_t)room * sizeof *met);
    if (!met) return NAV_ERR_MEMORY;
    c->met = met;
    c->room = room;
    return NAV_OK;
}

static void deinit(crowd *c)
{
    if (c->piece != c->few) free(c->piece);
    if (c->met != c->few_met) free(c->met);
    free(c->cut);
}

static nav_status cut_pieces(crowd *c)
{
    nav_status s = make_room(c, c->count + c->cut_count);
    if (s != NAV_OK) return s;
    piece *all = c->piece;
    for (int32_t i = c->cut_count - 1; i >= 0; i--) { // from above: each takes off what is still over it
        piece *lower = &all[c->cut[i].corner], upper = *lower;
        upper.lo = lower->hi = c->cut[i].at;
        all[c->count++] = upper;
    }
    qsort(all, (size_t)c->count, sizeof *all, compare_pieces);
    return NAV_OK;
}

static nav_status keep_cuts(const crowd *c, detour_cuts *out)
{
    detour_cut *cut = realloc(out->cut, (size_t)(out->count + c->count) * sizeof *cut);
    if (!cut) return NAV_ERR_MEMORY;
    out->cut = cut;
    for (int32_t i = 0; i < c->count; i++) {
        const piece *p = &c->piece[i];
        if (p->lo == p->edge_lo) continue;
        double y = height_at(p, p->lo);
        int32_t down = (int32_t)y - (y < (int32_t)y); // floor
        cut[out->count++] = (detour_cut){p->corner, p->lo, y - down < 0.5 ? down : down + 1};
    }
    return NAV_OK;
}

static nav_status find_on_border(const nav_polygons *p, int32_t border, crowd *c, detour_cuts *out)
{
    c->count = 0;
    for (int32_t poly = 0; poly < p->count; poly++)
        for (int32_t k = p->first[poly]; k < p->first[poly + 1]; k++)
            if (p->behind[k] == border) c->piece[c->count++] = whole_edge(p, poly, k);
    qsort(c->piece, (size_t)c->count, sizeof *c->piece, compare_pieces);
    if (!count_meetings(c)) return NAV_OK;
    do {
        nav_status s = find_round(c);
        if (s == NAV_OK && c->cut_count) s = cut_pieces(c);
        if (s != NAV_OK) return s;
    } while (c->cut_count && count_meetings(c));
    return keep_cuts(c, out);
}

nav_status nav_detour_find_cuts(const nav_tile *tile, detour_cuts *out)
{
    const nav_polygons *p = &tile->polygons;
    int32_t on_border[BORDERS] = {0}, most = 0;
    for (int32_t k = 0; k < p->first[p->count]; k++) {
        if (!nav_edge_is_portal(p->behind[k])) continue;
        int32_t *count = &on_border[NAV_EDGE_PORTAL_XMAX - p->behind[k]];
        if (++*count > most) most = *count;
    }
    *out = (detour_cuts){0};
    if (most <= DETOUR_TAKES) return NAV_OK;

    // One voxel more than Detour's, for the rounding of heights at cuts.
    crowd c = {.near_vx = 2.0 * (double)tile->settings->agent_climb_m / tile->config.cell_height_m + 1.0,
               .room = FEW_PIECES};
    c.piece = c.few;
    c.met = c.few_met;
    nav_status s = make_room(&c, most);
    for (int32_t b = 0; s == NAV_OK && b < BORDERS; b++)
        if (on_border[b] > DETOUR_TAKES) s = find_on_border(p, NAV_EDGE_PORTAL_XMAX - b, &c, out);
    if (s == NAV_OK && out->count) qsort(out->cut, (size_t)out->count, sizeof *out->cut, compare_cuts);
    deinit(&c);
    if (s != NAV_OK) nav_detour_cuts_deinit(out);
    return s;
}

void nav_detour_cuts_deinit(detour_cuts *c)
{
    free(c->cut);
    *c = (detour_cuts){0};
}
