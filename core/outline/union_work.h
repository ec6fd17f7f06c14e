// Between the steps of nav_union_build(). Everything lies in the arena of the call.
#ifndef NAV_OUTLINE_UNION_WORK_H
#define NAV_OUTLINE_UNION_WORK_H

#include "core/outline/union.h"

// A stretch of an edge with what is free to its right.
typedef struct union_part {
    nav_point a, b;     // the whole edge
    nav_point from, to; // where the stretch begins and ends, rounded to the grid; may be the same
    int32_t shape;
} union_part;

typedef struct union_work {
    const nav_shapes *shapes;
    nav_arena *arena;
    union_part *parts;
    int32_t part_count, part_capacity;
    nav_point *marks; // places where one edge goes on as another one's, on a part
    int32_t mark_count, mark_capacity;
    int32_t crossings;
    nav_point *nodes; // distinct, sorted by nav_point_before()
    int32_t node_count;
    struct union_piece *pieces; // sorted by where they begin, then by where they end
    int32_t piece_count;
    int32_t *leaving; // node_count + 1: the first piece that leaves each node
} union_work;

// From node to node, free to the right.
typedef struct union_piece {
    int32_t from, to, shape;
} union_piece;

// The parts of all edges, from the shapes.
NAV_MUST_USE nav_status nav_union_find_parts(union_work *w);
// Nodes and pieces, from the parts.
NAV_MUST_USE nav_status nav_union_snap(union_work *w);
// The loops, from the pieces.
NAV_MUST_USE nav_status nav_union_link(union_work *w, nav_loops *out);

#endif
