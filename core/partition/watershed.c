// Watershed: water rises from the valleys of the distance field; where two pools meet is a border between regions.
//
//      distance   2 4 6 4 2 2 4 4 2      depth 6:  . . A . . . . . .
//                                        depth 4:  . A A A . . B B .
//                                        depth 0:  A A A A A B B B B
//
// At each depth (two distance units) the regions first grow by a few steps into the spans that surfaced, nearest source
// first, then what is left and not beside a region becomes the seed of a new one. Growing goes by a frontier: a span
// can only be reached in step k by one that was reached in step k - 1, so each span is looked at a constant number of
// times. A region never takes two spans of one column, so contours of a region cannot overlap. Source: L. Vincent and
// P. Soille, Watersheds in Digital Spaces (1991); D. Haumont et al., Volumetric Cell-and-Portal Generation (2003);
// depths and growth limits as in M. Mononen's Recast.
#include "core/partition/merge.h"
#include "core/partition/regions.h"

#include <string.h>

enum { GROW_STEPS = 8 };

typedef struct watershed {
    const nav_compact_heightfield *f;
    uint8_t *alone;   // per span: 1 where its column has no other span
    int32_t *id;      // per span
    uint16_t *source; // per span: steps from its region's seed area, times two
    int32_t *active;  // surfaced spans without a region
    int32_t active_count;
    int32_t *front, *next; // spans reached in the last step, in this one
    int32_t *stack;
    int32_t *seen;     // per span: last step number it was a candidate in
    int32_t *proposed; // per candidate of this step: region
    uint16_t *proposed_source;
    int32_t step;
    int32_t regions;
} watershed;

static inline bool column_has(const watershed *w, int32_t span, int32_t region)
{
    if (w->alone[span]) return false;
    const nav_compact_heightfield *f = w->f;
    int32_t c = f->column[span];
    for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
        if (s != span && w->id[s] == region) return true;
    return false;
}

// The best region a span can join: that of the connected neighbour nearest to its source; 0 where there is none.
static int32_t choose(const watershed *w, int32_t i, uint16_t *source)
{
    const nav_compact_heightfield *f = w->f;
    int32_t region = 0;
    unsigned best = UINT16_MAX;
    for (int d = 0; d < 4 && w->alone[i]; d++) { // the same as below, without branches that would be guessed wrong
        int32_t n = f->connection[d][i] == NAV_NOT_CONNECTED ? i : f->connection[d][i];
        bool joins = (w->id[n] > 0) & (f->area[n] == f->area[i]); // the span itself has no region yet
        unsigned via = joins ? w->source[n] + 2u : UINT16_MAX;
        region = via < best ? w->id[n] : region;
        best = via < best ? via : best;
    }
    for (int d = 0; d < 4 && !w->alone[i]; d++) {
        int32_t n = f->connection[d][i];
        if (n == NAV_NOT_CONNECTED || w->id[n] <= 0 || f->area[n] != f->area[i]) continue;
        unsigned via = w->source[n] + 2u;
        if (via >= best || column_has(w, i, w->id[n])) continue;
        region = w->id[n];
        best = via;
    }
    *source = (uint16_t)best;
    return region;
}

// One step: all proposals are made on the state before it, then applied, so the order of spans does not matter but
// where two spans of one column want the same region: then the first one gets it.
static int32_t apply(watershed *w, int32_t count)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = w->next[k];
        if (column_has(w, i, w->proposed[k])) continue;
        w->id[i] = w->proposed[k];
        w->source[i] = w->proposed_source[k];
        w->next[kept++] = i;
    }
    int32_t *t = w->front;
    w->front = w->next;
    w->next = t;
    return kept;
}

static void grow(watershed *w, int32_t depth, int32_t steps)
{
    const nav_compact_heightfield *f = w->f;
    int32_t count = 0;
    for (int32_t k = 0; k < w->active_count; k++) {
        int32_t i = w->active[k];
        if (w->id[i] != 0) continue;
        int32_t r = choose(w, i, &w->proposed_source[count]);
        if (r == 0) continue;
        w->proposed[count] = r;
        w->next[count++] = i;
    }
    for (int32_t step = 0; count > 0; step++) {
        int32_t reached = apply(w, count);
        if (steps > 0 && step + 1 >= steps) break;
        count = 0;
        w->step++;
        for (int32_t k = 0; k < reached; k++) {
            for (int d = 0; d < 4; d++) {
                int32_t n = f->connection[d][w->front[k]];
                if (n == NAV_NOT_CONNECTED || w->id[n] != 0 || w->seen[n] == w->step) continue;
                if ((f->distance[n] >> 1) < depth) continue; // still dry
                w->seen[n] = w->step;
                int32_t r = choose(w, n, &w->proposed_source[count]);
                if (r == 0) continue;
                w->proposed[count] = r;
                w->next[count++] = n;
            }
        }
    }
}

// A span beside another region is left for growing: seeds keep their distance.
static bool touches_other(const watershed *w, int32_t i, int32_t region)
{
    const nav_compact_heightfield *f = w->f;
    for (int d = 0; d < 4; d++) {
        int32_t n = f->connection[d][i];
        if (n == NAV_NOT_CONNECTED || f->area[n] != f->area[i]) continue;
        if (w->id[n] > 0 && w->id[n] != region) return true;
        int32_t diagonal = f->connection[(d + 1) & 3][n];
        if (diagonal == NAV_NOT_CONNECTED || f->area[diagonal] != f->area[i]) continue;
        if (w->id[diagonal] > 0 && w->id[diagonal] != region) return true;
    }
    return false;
}

// Floods a new region from a seed, over spans at least `low` (half distance units) deep. False when nothing was kept.
static bool flood(watershed *w, int32_t seed, int32_t low, bool beside_others)
{
    const nav_compact_heightfield *f = w->f;
    int32_t region = w->regions + 1, depth = 0, kept = 0;
    w->stack[depth++] = seed;
    w->id[seed] = region;
    w->source[seed] = 0;
    while (depth > 0) {
        int32_t i = w->stack[--depth];
        if (!beside_others && touches_other(w, i, region)) {
            w->id[i] = 0;
            continue;
        }
        kept++;
        for (int d = 0; d < 4; d++) {
            int32_t n = f->connection[d][i];
            if (n == NAV_NOT_CONNECTED || w->id[n] != 0 || f->area[n] != f->area[i]) continue;
            if ((f->distance[n] >> 1) < low || column_has(w, n, region)) continue;
            w->id[n] = region;
            w->source[n] = 0;
            w->stack[depth++] = n;
        }
    }
    w->regions += kept > 0;
    return kept > 0;
}

static void compact_active(watershed *w)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < w->active_count; k++)
        if (w->id[w->active[k]] == 0) w->active[kept++] = w->active[k];
    w->active_count = kept;
}

// Lists the tile's own spans by falling half distance; returns how many there are. first[l]: where depth l begins.
static int32_t sort_by_depth(const nav_compact_heightfield *f, const int32_t *id, int32_t depths, int32_t *first,
                             int32_t *order)
{
    memset(first, 0, (size_t)(depths + 2) * sizeof *first);
    for (int32_t i = 0; i < f->span_count; i++)
        if (id[i] == 0 && f->area[i] != NAV_AREA_NONE) first[depths - (f->distance[i] >> 1)]++;
    int32_t total = 0;
    for (int32_t l = 0; l <= depths + 1; l++) {
        int32_t n = first[l];
        first[l] = total;
        total += n;
    }
    for (int32_t i = 0; i < f->span_count; i++)
        if (id[i] == 0 && f->area[i] != NAV_AREA_NONE) order[first[depths - (f->distance[i] >> 1)]++] = i;
    for (int32_t l = depths + 1; l > 0; l--) first[l] = first[l - 1];
    first[0] = 0;
    return total;
}

static void mark_alone(const nav_compact_heightfield *f, uint8_t *restrict alone)
{
    const int32_t *column = f->column;
    int32_t last = f->span_count - 1;
    if (last >= 0) alone[0] = last == 0 || column[1] != column[0];
    for (int32_t s = 1; s < last; s++) alone[s] = (column[s - 1] != column[s]) & (column[s] != column[s + 1]);
    if (last > 0) alone[last] = column[last - 1] != column[last];
}

nav_status nav_regions_watershed(const nav_compact_heightfield *f, const nav_config *cfg, nav_arena *arena,
                                 nav_regions *out)
{
    int32_t n = f->span_count, depths = f->max_distance >> 1;
    *out = (nav_regions){.id = NAV_TAKE(arena, int32_t, n)};
    nav_arena_mark mark = nav_arena_get_mark(arena);
    watershed w = {
        .f = f,
        .id = out->id,
        .alone = NAV_TAKE(arena, uint8_t, n),
        .source = NAV_TAKE_ZERO(arena, uint16_t, n),
        .active = NAV_TAKE(arena, int32_t, n),
        .front = NAV_TAKE(arena, int32_t, n),
        .next = NAV_TAKE(arena, int32_t, n),
        .stack = NAV_TAKE(arena, int32_t, n),
        .seen = NAV_TAKE_ZERO(arena, int32_t, n),
        .proposed = NAV_TAKE(arena, int32_t, n),
        .proposed_source = NAV_TAKE(arena, uint16_t, n + 1),
    };
    int32_t *order = NAV_TAKE(arena, int32_t, n), *first = NAV_TAKE(arena, int32_t, depths + 2);
    if (!w.id || !w.alone || !w.source || !w.active || !w.front || !w.next || !w.stack || !w.seen || !w.proposed ||
        !w.proposed_source || !order || !first)
        return nav_arena_failure(arena);

    nav_regions_mark_outside(f, w.id);
    mark_alone(f, w.alone);
    sort_by_depth(f, w.id, depths, first, order);
    int32_t surfaced = 0;
    for (int32_t depth = depths + (f->max_distance & 1) - 1; depth >= 0; depth--) {
        int32_t end = first[depths - depth + 1];
        memcpy(w.active + w.active_count, order + surfaced, (size_t)(end - surfaced) * sizeof *order);
        w.active_count += end - surfaced;
        surfaced = end;
        grow(&w, depth, GROW_STEPS);
        for (int32_t k = 0; k < w.active_count; k++)
            if (w.id[w.active[k]] == 0) (void)flood(&w, w.active[k], depth > 0 ? depth - 1 : 0, false);
        compact_active(&w);
    }
    // What is left lies between regions, or (maximum distance 0 or 1) has not surfaced yet.
    w.active_count = 0;
    for (int32_t i = 0; i < n; i++)
        if (w.id[i] == 0 && f->area[i] != NAV_AREA_NONE) w.active[w.active_count++] = i;
    grow(&w, 0, 0);
    for (int32_t k = 0; k < w.active_count; k++)
        if (w.id[w.active[k]] == 0) (void)flood(&w, w.active[k], 0, true);
    nav_arena_release(arena, mark);
    out->count = w.regions;
    return nav_regions_merge(f, cfg, arena, out);
}
