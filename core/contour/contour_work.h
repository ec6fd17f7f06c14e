// What the files of this folder share: the traced contours, corner by corner, before and while they are simplified.
//
// The raw corners of all loops stand in one list. Raw edge k runs from corner k to corner k + 1; after a loop's last
// edge follows a copy of its first corner. A loop begins at a node, and nodes cut it into arcs. An arc between two
// regions has a twin: the arc of the other region, backwards.
//
//       node      kept corner      node        raw corners: all the .
//        o---.---.---o---.---.---.--o          a contour's vertices: the o
//        |<------------ arc ------->|
#ifndef NAV_CONTOUR_WORK_H
#define NAV_CONTOUR_WORK_H

#include "core/base/endian.h"
#include "core/base/plane.h"
#include "core/contour/contours.h"

enum {
    CORNER_KEPT = 1,  // a vertex of the simplified contour
    CORNER_NODE = 2,  // an end of two arcs: always kept
    CORNER_JOINT = 4, // a node between two regions where the neighbour tile has no vertex
};

enum {
    CONTOUR_PADDING = 64,          // bytes behind the last one of `sides` and of `flags`
    CONTOUR_BLOCK_EDGES = 1 << 16, // boundary edges: a tile with more of them is cut in blocks that have about so many
    CONTOUR_BLOCK_COLUMNS = 128,   // but not in blocks smaller than this
};

typedef struct contour_loop {
    int32_t first, count; // raw corners
    int32_t region, block;
    int32_t group; // loops of one region and block, checked and written together
    uint8_t area;
    bool hole;
    bool closed;   // without a node of its own: its first vertex serves as one
    bool all_wall; // nothing but wall around it
    bool removed;
} contour_loop;

typedef struct contour_work {
    const nav_compact_heightfield *f;
    const int32_t *region; // per span
    const nav_config *cfg;
    uint8_t *sides;     // per span: low four bits: sides that are boundary edges; high four: those not yet traced
    int64_t edge_count; // boundary edges of the whole tile
    int32_t block_columns, blocks; // side of a block, and how many there are along the tile
    int32_t raw_count;
    nav_point *at;   // per raw corner
    int32_t *behind; // per raw edge
    uint32_t *code;  // per raw edge: span * 4 + side
    uint8_t *flags;  // per raw corner: CORNER_*
    int32_t loop_count;
    contour_loop *loops;
    int32_t *order;       // loops by region and block, outer loops first
    int32_t *group_first; // per group: where its loops begin in `order`
    int32_t group_count;
    int32_t *count; // counters of sorting
    // Filled when the first arc between two regions has to be refined.
    bool twins_ready;
    uint64_t *arc_end; // per arc between regions: code of its last edge and where it ends in the raw list, sorted
    int32_t arc_count;
    // One group's simplified edges, and how to sort them.
    int32_t *vert;                  // raw corner of each vertex
    int32_t *vert_next, *vert_prev; // within the loop
    int32_t *loop_end;              // where each of its loops ends in `vert`
    uint64_t *sweep;
    uint8_t *dirty; // per group: to be checked (again)
} contour_work;

// The first raw corner from k on that has the flag, a single bit; one must have it.
static inline int32_t contour_next_flag(const contour_work *w, int32_t k, uint8_t flag)
{
    for (;; k += 8) {
        uint64_t eight = nav_load_u64(w->flags + k) & flag * UINT64_C(0x0101010101010101);
        if (eight) return k + __builtin_ctzll(eight) / 8;
    }
}

// Marks the boundary edges in w->sides and counts them; one span after the other where the configuration
// asks for plain twins. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena, which is left as it was.
NAV_MUST_USE nav_status nav_contour_mark_edges(contour_work *w, nav_arena *arena);
// Marks them 64 columns at a time, from the field's rows, which must be there. Level v4 only.
NAV_MUST_USE nav_status nav_contour_mark_rows(contour_work *w, nav_arena *arena);
// The boundary edge that follows side d of span s around its region.
void nav_contour_next_edge(const contour_work *w, int32_t *s, int *d);
// Traces all loops, and flags nodes. Raw lists must hold 3 * edge_count entries, loops edge_count.
void nav_contour_trace(contour_work *w);

// Chooses the kept corners of every arc. The arena is for scratch that the caller releases.
nav_status nav_contour_simplify(contour_work *w, nav_arena *arena);
// Keeps one more corner between the kept corners at raw positions a and b, on both sides of the arc: the farthest one
// from the straight edge; where all are on it, the one at `touch`, if given. Keeps more where that leaves corners
// farther from the new edges than the error. False when there is none.
bool nav_contour_refine(contour_work *w, int32_t a, int32_t b, const nav_point *touch);
// Squared distance of the corner farthest from the edge; 0 when it is straight.
double nav_contour_deviation(const contour_work *w, int32_t a, int32_t b);
// The largest distance of a traced corner of a wall or area border from its edge.
double nav_contour_largest_deviation(const contour_work *w);

// Refines until no contour crosses itself, collapses or turns inside out, and marks loops that vanish as removed.
void nav_contour_untangle(contour_work *w);

#endif
