// Merging of regions. Each region has the ring of its neighbours, as met on a walk along its outer boundary:
//
//      +---+-----+        ring of A: wall, B, C, wall        A and C may merge where C stands once in A's ring:
//      | B |  A  |                                           a second time means that the union would enclose
//      +---+     |                                           something, or that they touch in two places
//      | C |     |
//      +---+-----+
//
// A merge splices the two rings. Rings are circular linked lists over one array of nodes.
// Source: M. Mononen, Recast (region filtering and merging), with linked rings in place of copied arrays.
#include "core/partition/merge.h"

#include <limits.h>
#include <string.h>

enum { NONE = -1 };

typedef struct ring_node {
    int32_t region, next, prev;
} ring_node;

typedef struct region {
    int32_t spans;
    int32_t ring;  // a node of it, NONE when there is no ring
    int32_t above; // first of its column mates in the list `mates`, NONE at the end
    uint8_t area;
    bool visited, border; // border: connected to the padding
} region;

typedef struct mate {
    int32_t region, next;
} mate;

typedef struct merger {
    const nav_compact_heightfield *f;
    int32_t *id;
    region *regions; // 1..count
    int32_t count;
    ring_node *nodes;
    int32_t node_count;
    mate *mates;    // regions that share a column
    int32_t *remap; // region -> region it was merged into
} merger;

static void mark_columns(const nav_compact_heightfield *f, int32_t *id, int32_t column, int32_t end)
{
    for (int32_t s = f->column_first[column]; s < f->column_first[end]; s++)
        id[s] = f->area[s] != NAV_AREA_NONE ? NAV_REGION_OUTSIDE : NAV_REGION_NONE;
}

void nav_regions_mark_padding(const nav_compact_heightfield *f, int32_t *id)
{
    int32_t w = f->width, low = f->border, high = w - f->border;
    mark_columns(f, id, 0, low * w);
    for (int32_t z = low; z < high; z++) {
        mark_columns(f, id, z * w, z * w + low);
        mark_columns(f, id, z * w + high, (z + 1) * w);
    }
    mark_columns(f, id, high * w, w * w);
}

void nav_regions_mark_outside(const nav_compact_heightfield *f, int32_t *id)
{
    memset(id, 0, (size_t)f->span_count * sizeof *id); // NAV_REGION_NONE
    nav_regions_mark_padding(f, id);
}

static int32_t behind(const merger *m, int32_t span, int d)
{
    int32_t n = m->f->connection[d][span];
    return n == NAV_NOT_CONNECTED ? NAV_REGION_NONE : m->id[n];
}

static bool is_boundary(const merger *m, int32_t span, int d)
{
    return behind(m, span, d) != m->id[span];
}

static void push_ring(merger *m, region *r, int32_t neighbour)
{
    int32_t at = m->node_count;
    if (r->ring == NONE) {
        m->nodes[m->node_count++] = (ring_node){neighbour, at, at};
        r->ring = at;
        return;
    }
    int32_t last = m->nodes[r->ring].prev;
    if (m->nodes[last].region == neighbour) return;
    m->nodes[m->node_count++] = (ring_node){neighbour, r->ring, last};
    m->nodes[last].next = at;
    m->nodes[r->ring].prev = at;
}

// Joins equal neighbours that stand side by side.
static void tidy_ring(merger *m, region *r)
{
    if (r->ring == NONE) return;
    int32_t start = r->ring, i = start;
    for (;;) {
        int32_t next = m->nodes[i].next;
        if (next == i) break;
        if (m->nodes[next].region == m->nodes[i].region) {
            bool wrapped = next == start;
            m->nodes[i].next = m->nodes[next].next;
            m->nodes[m->nodes[next].next].prev = i;
            if (wrapped) {
                r->ring = i;
                break;
            }
            continue;
        }
        i = next;
        if (i == start) break;
    }
}

// Walks the boundary that begins at side d of a span, keeping it on the left hand, and notes the neighbours.
static void walk_boundary(merger *m, int32_t span, int d, region *r)
{
    int32_t start = span;
    int start_d = d;
    push_ring(m, r, behind(m, span, d));
    do {
        if (is_boundary(m, span, d)) {
            push_ring(m, r, behind(m, span, d));
            d = (d + 1) & 3;
        } else {
            span = m->f->connection[d][span];
            d = (d + 3) & 3;
        }
    } while (span != start || d != start_d);
    tidy_ring(m, r);
}

// The region that r is part of by now.
static int32_t final_region(const int32_t *remap, int32_t r)
{
    while (r > 0 && remap[r] != r) r = remap[r];
    return r;
}

static bool are_mates(const merger *m, int32_t a, int32_t b)
{
    for (int32_t k = m->regions[a].above; k != NONE; k = m->mates[k].next)
        if (final_region(m->remap, m->mates[k].region) == b) return true;
    return false;
}

static bool touches_padding(const merger *m, int32_t span)
{
    for (int d = 0; d < 4; d++)
        if (behind(m, span, d) == NAV_REGION_OUTSIDE) return true;
    return false;
}

// Regions are met at their first span in row order: what lies below it in z is never of the same region, so the walk
// along the outer boundary begins there, and no other span has to be asked for boundaries.
static void measure_regions(merger *m)
{
    const nav_compact_heightfield *f = m->f;
    int32_t low = f->border, high = f->width - f->border, last = 0, count = 0; // spans of one region in a row
    for (int32_t z = low; z < high; z++) {
        for (int32_t x = low; x < high; x++) {
            int32_t c = z * f->width + x, first = f->column_first[c], end = f->column_first[c + 1];
            bool rim = x == low || z == low || x == high - 1 || z == high - 1;
            for (int32_t i = first; i < end; i++) {
                int32_t id = m->id[i];
                if (id <= 0) continue;
                region *r = &m->regions[id];
                if (id != last) {
                    m->regions[last].spans += count; // region 0 is not looked at
                    last = id;
                    count = 0;
                    if (r->spans == 0) {
                        r->area = f->area[i];
                        walk_boundary(m, i, 3, r);
                    }
                }
                count++;
                if (rim && !r->border) r->border = touches_padding(m, i);
            }
        }
    }
    m->regions[last].spans += count;
}

// Does column c show the same regions as another that comes before it? Then it makes no new mates.
static bool repeats(const merger *m, int32_t c, int32_t other)
{
    const int32_t *first = m->f->column_first;
    int32_t n = first[c + 1] - first[c];
    return first[other + 1] - first[other] == n &&
           !memcmp(m->id + first[other], m->id + first[c], (size_t)n * sizeof *m->id);
}

// Lists the columns with several spans that do not repeat another; counts their spans by region in start[r + 1].
static int32_t list_crowded(const merger *m, int32_t *columns, int32_t *start)
{
    const nav_compact_heightfield *f = m->f;
    int32_t count = 0;
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        for (int32_t x = f->border; x < f->width - f->border; x++) {
            int32_t c = z * f->width + x, first = f->column_first[c], end = f->column_first[c + 1];
            if (end - first < 2 || (x > f->border && repeats(m, c, c - 1)) ||
                (z > f->border && repeats(m, c, c - f->width)))
                continue;
            columns[count++] = c;
            for (int32_t i = first; i < end; i++)
                if (m->id[i] > 0) start[m->id[i] + 1]++;
        }
    }
    return count;
}

// Visits each pair of regions that share a column once from either side; returns the number. mates NULL: counts only.
// crowd: columns by region, those of region r from start[r] to start[r + 1]. met: per region, 0.
static int64_t pair_mates(merger *m, const int32_t *start, const int32_t *crowd, int32_t *met)
{
    int64_t count = 0;
    for (int32_t a = 1; a <= m->count; a++) {
        for (int32_t k = start[a]; k < start[a + 1]; k++) {
            for (int32_t s = m->f->column_first[crowd[k]]; s < m->f->column_first[crowd[k] + 1]; s++) {
                int32_t b = m->id[s];
                if (b <= 0 || b == a || met[b] == a) continue;
                met[b] = a;
                if (m->mates) {
                    m->mates[count] = (mate){b, m->regions[a].above};
                    m->regions[a].above = (int32_t)count;
                }
                count++;
            }
        }
    }
    return count;
}

static nav_status find_mates(merger *m, nav_arena *scratch)
{
    if (m->f->rows.ranks == 1) return NAV_OK; // no column has two spans
    int32_t side = m->f->width - 2 * m->f->border;
    int32_t *columns = NAV_TAKE(scratch, int32_t, side * side);
    int32_t *start = NAV_TAKE_ZERO(scratch, int32_t, m->count + 2),
            *met = NAV_TAKE_ZERO(scratch, int32_t, m->count + 1);
    if (!columns || !start || !met) return nav_arena_failure(scratch);
    int32_t count = list_crowded(m, columns, start);
    for (int32_t r = 0; r <= m->count; r++) start[r + 1] += start[r];
    int32_t *crowd = NAV_TAKE(scratch, int32_t, start[m->count + 1]);
    if (!crowd) return nav_arena_failure(scratch);
    for (int32_t k = 0; k < count; k++) // moves each start to the next region's
        for (int32_t i = m->f->column_first[columns[k]]; i < m->f->column_first[columns[k] + 1]; i++)
            if (m->id[i] > 0) crowd[start[m->id[i]]++] = columns[k];
    memmove(start + 1, start, (size_t)(m->count + 1) * sizeof *start);
    start[0] = 0;
    int64_t pairs = pair_mates(m, start, crowd, met);
    if (pairs > INT32_MAX) return NAV_ERR_LIMIT;
    m->mates = NAV_TAKE(scratch, mate, pairs);
    if (!m->mates) return nav_arena_failure(scratch);
    memset(met, 0, (size_t)(m->count + 1) * sizeof *met);
    (void)pair_mates(m, start, crowd, met);
    return NAV_OK;
}

// Kills groups of connected regions with fewer spans than `least`, unless one of the group touches the border: how much
// of it lies in the neighbour tile is not known here.
static void remove_small_groups(merger *m, int32_t least, int32_t *stack, int32_t *group)
{
    for (int32_t first = 1; first <= m->count; first++) {
        if (m->regions[first].visited || m->regions[first].spans == 0) continue;
        int32_t depth = 0, size = 0, total = 0;
        bool border = false;
        stack[depth++] = first;
        m->regions[first].visited = true;
        while (depth > 0) {
            int32_t at = stack[--depth];
            region *r = &m->regions[at];
            group[size++] = at;
            total += r->spans;
            border |= r->border;
            int32_t node = r->ring;
            if (node == NONE) continue;
            do {
                int32_t n = m->nodes[node].region;
                if (n > 0 && !m->regions[n].visited) {
                    m->regions[n].visited = true;
                    stack[depth++] = n;
                }
                node = m->nodes[node].next;
            } while (node != r->ring);
        }
        if (total >= least || border) continue;
        for (int32_t k = 0; k < size; k++) {
            m->regions[group[k]].spans = 0;
            m->remap[group[k]] = 0;
        }
    }
}

// Merges elsewhere change who the neighbours are: names them again. Done when a ring is looked at, not when one merges.
static void refresh_ring(merger *m, region *r)
{
    int32_t node = r->ring;
    if (node == NONE) return;
    do {
        m->nodes[node].region = final_region(m->remap, m->nodes[node].region);
        node = m->nodes[node].next;
    } while (node != r->ring);
    tidy_ring(m, r);
}

static int32_t find_in_ring(const merger *m, const region *r, int32_t neighbour, int32_t *times)
{
    int32_t found = NONE, node = r->ring;
    *times = 0;
    if (node == NONE) return NONE;
    do {
        if (m->nodes[node].region == neighbour) {
            if (found == NONE) found = node;
            ++*times;
        }
        node = m->nodes[node].next;
    } while (node != r->ring);
    return found;
}

static bool can_merge(merger *m, int32_t a, int32_t b)
{
    if (m->regions[a].area != m->regions[b].area || are_mates(m, a, b)) return false;
    int32_t times;
    refresh_ring(m, &m->regions[a]);
    (void)find_in_ring(m, &m->regions[a], b, &times);
    return times == 1;
}

// Region b becomes part of a: b's ring replaces b in a's ring.
static void merge(merger *m, int32_t a, int32_t b)
{
    region *ra = &m->regions[a], *rb = &m->regions[b];
    int32_t times;
    int32_t in_a = find_in_ring(m, ra, b, &times), in_b = find_in_ring(m, rb, a, &times);
    int32_t a_next = m->nodes[in_a].next, a_prev = m->nodes[in_a].prev;
    int32_t b_next = m->nodes[in_b].next, b_prev = m->nodes[in_b].prev;
    bool a_alone = a_next == in_a, b_alone = b_next == in_b;
    if (a_alone && b_alone) {
        ra->ring = NONE;
    } else if (a_alone) {
        m->nodes[b_prev].next = b_next;
        m->nodes[b_next].prev = b_prev;
        ra->ring = b_next;
    } else if (b_alone) {
        m->nodes[a_prev].next = a_next;
        m->nodes[a_next].prev = a_prev;
        ra->ring = a_next;
    } else {
        m->nodes[a_prev].next = b_next;
        m->nodes[b_next].prev = a_prev;
        m->nodes[b_prev].next = a_next;
        m->nodes[a_next].prev = b_prev;
        ra->ring = a_next;
    }
    ra->spans += rb->spans;
    ra->border |= rb->border;
    rb->spans = 0;
    rb->ring = NONE;
    m->remap[b] = a;
    int32_t *tail = &ra->above;
    while (*tail != NONE) tail = &m->mates[*tail].next;
    *tail = rb->above;
    rb->above = NONE;
    refresh_ring(m, ra);
}

static bool touches_wall(const merger *m, const region *r)
{
    int32_t times;
    return find_in_ring(m, r, NAV_REGION_NONE, &times) != NONE;
}

// The smallest neighbour that a may be merged into; ties go to the lower number.
static int32_t best_partner(merger *m, int32_t a)
{
    int32_t best = 0, smallest = INT32_MAX;
    refresh_ring(m, &m->regions[a]);
    int32_t node = m->regions[a].ring;
    if (node == NONE) return 0;
    do {
        int32_t b = m->nodes[node].region;
        node = m->nodes[node].next;
        if (b <= 0 || b == a) continue;
        int32_t spans = m->regions[b].spans;
        if (spans > smallest || (spans == smallest && b >= best)) continue;
        if (!can_merge(m, a, b) || !can_merge(m, b, a)) continue;
        smallest = spans;
        best = b;
    } while (node != m->regions[a].ring);
    return best;
}

static void merge_small(merger *m, int32_t least)
{
    bool again = true;
    while (again) {
        again = false;
        for (int32_t a = 1; a <= m->count; a++) {
            region *r = &m->regions[a];
            if (r->spans == 0 || (r->spans > least && touches_wall(m, r))) continue;
            int32_t b = best_partner(m, a);
            if (b == 0) continue;
            merge(m, b, a);
            again = true;
        }
    }
}

static void renumber(merger *m, int32_t *number, nav_regions *out)
{
    out->count = 0;
    for (int32_t r = 0; r <= m->count; r++) number[r] = NONE;
    for (int32_t i = 0; i < m->f->span_count; i++) {
        int32_t id = m->id[i];
        if (id <= 0) continue;
        if (number[id] == NONE) { // once a region
            int32_t r = final_region(m->remap, id);
            if (r > 0 && number[r] == NONE) number[r] = ++out->count;
            number[id] = r > 0 ? number[r] : NAV_REGION_NONE;
        }
        m->id[i] = number[id];
    }
}

nav_status nav_regions_merge(const nav_compact_heightfield *f, const nav_config *cfg, nav_arena *scratch,
                             nav_regions *regions)
{
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    merger m = {.f = f, .id = regions->id, .count = regions->count};
    size_t sides = 4 * (size_t)f->span_count; // bound for the nodes of all rings
    m.regions = NAV_TAKE_ZERO(scratch, region, m.count + 1);
    m.nodes = NAV_TAKE(scratch, ring_node, sides + (size_t)m.count);
    m.remap = NAV_TAKE(scratch, int32_t, m.count + 1);
    int32_t *stack = NAV_TAKE(scratch, int32_t, m.count + 1), *group = NAV_TAKE(scratch, int32_t, m.count + 1);
    if (!m.regions || !m.nodes || !m.remap || !stack || !group) return nav_arena_failure(scratch);
    for (int32_t r = 0; r <= m.count; r++) {
        m.regions[r].ring = m.regions[r].above = NONE;
        m.remap[r] = r;
    }
    measure_regions(&m);
    nav_status status = find_mates(&m, scratch);
    if (status != NAV_OK) return status;
    remove_small_groups(&m, cfg->region_min_spans, stack, group);
    merge_small(&m, cfg->region_merge_spans);
    renumber(&m, group, regions);
    nav_arena_release(scratch, mark);
    return NAV_OK;
}
