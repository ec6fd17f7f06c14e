// Where new loops are not connected as the old ones were.
#ifndef NAV_OUTLINE_FEWER_CHECK_H
#define NAV_OUTLINE_FEWER_CHECK_H

#include "core/outline/fewer_chain.h"

// The new loops: those of loop l begin at in->first[l]. Places on the chain count from the old loop's first corner.
typedef struct fewer_loops {
    const nav_loops *in;
    const fewer_corner *corner;
    const int32_t *count; // per loop; 0: it is no longer there
    const uint8_t *level; // per old corner: `most` where it stays
    uint8_t most;
    double max_error;
    uint8_t *bad; // per old corner: something that stands for it is in the way
} fewer_loops;

typedef struct fewer_edge {
    nav_point a, b;
    int32_t loop, corner; // index in `corner`
    int32_t seen;
    bool old; // an edge of the old loop
} fewer_edge;

typedef struct fewer_entry {
    int32_t edge, next;
} fewer_entry;

// Scratch memory of the check: a grid of edges.
typedef struct fewer_check {
    fewer_edge *edge;
    int32_t *cell;
    fewer_entry *entry;
    uint64_t *mark;
    nav_point *place;
    int32_t edge_count, entry_count, shift;
    int32_t columns, rows;
    nav_point low;
} fewer_check;

NAV_MUST_USE nav_status nav_fewer_check_init(fewer_check *c, const nav_loops *in, nav_arena *arena);

// Sets `bad` where edges cross or touch that did not, where a loop has gone past another or has changed its sense, and
// returns whether it did. Loops of fewer than 3 corners are bad, too, but for those of none.
bool nav_fewer_check(fewer_check *c, fewer_loops *loops);

// The corner of the old loop at a place on the chain, as an index in `in`.
static inline int32_t fewer_index(const nav_loops *in, int32_t loop, int32_t place)
{
    int32_t first = in->first[loop], n = in->first[loop + 1] - first;
    while (place >= n) place -= n;
    return first + (place < 0 ? place + n : place);
}

#endif
