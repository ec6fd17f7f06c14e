// Between the steps of nav_union_build(). Everything lies in the arena of the call.
//
// Edges have the numbers of the corners that they begin at. Cells are squares of a grid over all shapes; what a cell
// has is more than needed where that is cheaper (within a unit), never less.
#ifndef NAV_OUTLINE_UNION_WORK_H
#define NAV_OUTLINE_UNION_WORK_H

#include "core/outline/union.h"

enum {
    UNION_LINE_PAD = 8,        // lines of a shape are filled up to so many
    UNION_MAX_STEPS = 1 << 24, // comparisons with what is in the same cell: where they do not end, it is a crowd
};

// Columns of cells that an edge comes to in a row.
typedef struct union_reach {
    uint16_t low, high;
} union_reach;

typedef struct union_link { // of a list of shapes in a cell
    int32_t shape, next;
} union_link;

typedef struct union_cells {
    nav_point origin;
    int32_t shift; // a cell is 1 << shift units wide
    int32_t columns, rows;
    int32_t *owner; // per cell: a shape that covers all of it, or -1
    int32_t *list;  // per cell without an owner: the first link of the shapes whose edges come to it, or -1
    int32_t *nodes; // per cell: its first node, or -1
    union_link *links;
    int32_t link_count;
    int32_t *row;       // per edge: its first row
    int32_t *first;     // edges + 1: its first reach; one for each row
    union_reach *reach; // of all edges
    int64_t touched;    // cells that edges come to, each counted for each edge
} union_cells;

// x * a + z * b - c > 0 to the right of the line of an edge, exactly. Behind the lines of a shape come some that have
// everything to their left.
typedef struct union_lines {
    int32_t *first; // per shape
    double *a, *b, *c;
} union_lines;

// A stretch of an edge with what is free to its right.
typedef struct union_part {
    int32_t edge, shape;
    int32_t from, to; // nodes; may be the same
} union_part;

// Where parts end: squares of one unit around a whole number.
typedef struct union_node {
    nav_point at;
    int32_t next; // in its cell
} union_node;

// From node to node, free to the right.
typedef struct union_piece {
    int32_t from, to, shape;
} union_piece;

typedef struct union_work {
    const nav_shapes *shapes;
    nav_arena *arena;
    union_cells cells;
    union_lines lines;
    int32_t *live, live_count; // edges that are not all in cells with an owner
    int32_t *live_shape;
    union_part *parts;
    int32_t part_count, part_capacity;
    union_node *nodes;
    int32_t node_count, node_capacity;
    int32_t crossings;
    int64_t steps;
    union_piece *pieces; // sorted by where they begin
    int32_t piece_count;
    int32_t *leaving; // node_count + 1: the first piece that leaves each node
} union_work;

static inline nav_point union_edge_end(const nav_shapes *s, int32_t shape, int32_t edge)
{
    return s->at[edge + 1 < s->first[shape + 1] ? edge + 1 : s->first[shape]];
}

static inline int32_t union_cell_of(const union_cells *c, nav_point p)
{
    return ((p.z - c->origin.z) >> c->shift) * c->columns + ((p.x - c->origin.x) >> c->shift);
}

// The cells, which shapes own them, and the edges that are left.
NAV_MUST_USE nav_status nav_union_find_cells(union_work *w);
// The parts of all edges, and the nodes.
NAV_MUST_USE nav_status nav_union_find_parts(union_work *w);
// The pieces, from the parts.
NAV_MUST_USE nav_status nav_union_snap(union_work *w);
// The loops, from the pieces.
NAV_MUST_USE nav_status nav_union_link(union_work *w, nav_loops *out);

#endif
