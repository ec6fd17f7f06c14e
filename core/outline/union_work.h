// Between the steps of nav_union_build(). Everything lies in the arena of the call.
//
// Edges have the numbers of the corners that they begin at. Cells are squares of a grid over all shapes. What is said
// to come to a cell may be as much as a unit away, but nothing is left out. Few shapes have no cells: all of them are
// looked at for every edge, side by side in lanes, and all nodes for every part (union_few.c).
#ifndef NAV_OUTLINE_UNION_WORK_H
#define NAV_OUTLINE_UNION_WORK_H

#include "core/outline/union.h"

enum {
    UNION_LINE_PAD = 8, // lines of a shape are filled up to so many
    UNION_FEW = 64,     // shapes that need no cells: a set of them is a word
    UNION_FEW_CORNERS = 1024,
};

typedef struct union_box {
    nav_point min, max;
} union_box;

// The columns of a row that a shape comes to: left..right. Those of its falling edges, which are to the left, are
// left..fall, those of its rising edges rise..right. What lies between fall and rise it covers.
typedef struct union_span {
    uint16_t left, fall, rise, right;
} union_span;

typedef struct union_link { // of a list in a cell: a shape or a node
    int32_t item, next;
} union_link;

typedef struct union_cells {
    nav_point origin;
    int32_t shift; // a cell is 1 << shift units wide
    int32_t columns, rows;
    int32_t *owner;     // per cell: a shape that covers all of it, or -1
    int32_t *list;      // per cell without an owner: its first link of a shape, or -1
    int32_t *nodes;     // per cell: its first link of a node, or -1
    union_link *shapes; // that come to cells
    int32_t shape_link_count;
    int64_t shape_link_room;
    int32_t *row;      // per shape: its first row
    int32_t *first;    // shapes + 1: the first of its spans, one for each row
    union_span *spans; // of all shapes
} union_cells;

// What takes the place of cells where shapes are few.
typedef struct union_few {
    int32_t *box[4]; // per shape, for lanes: least x, most x, least z, most z; filled up with what is nowhere
    int32_t *slot;   // table of nodes by place; -1: free
    uint32_t mask;
    int32_t newest; // node that was asked for last
    int32_t *at[2]; // x and z of nodes, filled up likewise
} union_few;

// x * a + z * b - c > 0 to the right of the line of an edge, exactly, x and z counted from the origin of the cells.
// Behind the lines of a shape come some that have everything to their left.
typedef struct union_lines {
    int32_t *first; // per shape
    double *a, *b, *c;
} union_lines;

// A stretch of an edge with what is free to its right.
typedef struct union_part {
    int32_t edge, shape;
    int32_t from, to; // nodes; may be the same
} union_part;

// From node to node, free to the right.
typedef struct union_piece {
    int32_t from, to, shape;
} union_piece;

typedef struct union_work {
    const nav_shapes *shapes;
    nav_arena *arena;
    union_box inside; // what lies outside of it is left out
    bool few;
    union_few table;  // where they are few
    union_box *boxes; // per shape, where they are many
    union_cells cells;
    union_lines lines;
    struct union_live { // edges inside of the box that may not all be in cells with an owner
        int32_t edge, shape;
    } * live;
    int32_t live_count;
    union_part *parts;
    int32_t part_count, part_capacity;
    nav_point *nodes; // where parts end
    int32_t node_count, node_capacity;
    union_link *node_links;
    int32_t node_link_count, node_link_capacity;
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

static inline int32_t union_least(int32_t p, int32_t q)
{
    return p < q ? p : q;
}

static inline int32_t union_most(int32_t p, int32_t q)
{
    return p > q ? p : q;
}

static inline union_box union_box_of(nav_point a, nav_point b)
{
    return (union_box){{union_least(a.x, b.x), union_least(a.z, b.z)}, {union_most(a.x, b.x), union_most(a.z, b.z)}};
}

static inline bool union_meets(union_box a, union_box b)
{
    return (a.min.x <= b.max.x) & (a.max.x >= b.min.x) & (a.min.z <= b.max.z) & (a.max.z >= b.min.z);
}

static inline bool union_holds(union_box b, nav_point p)
{
    return (p.x >= b.min.x) & (p.x <= b.max.x) & (p.z >= b.min.z) & (p.z <= b.max.z);
}

static inline union_box union_box_of_shape(const nav_shapes *s, int32_t shape)
{
    union_box box;
    nav_points_bound(s->at + s->first[shape], s->first[shape + 1] - s->first[shape], &box.min, &box.max);
    return box;
}

// Cells of an edge: rows low..high, and of each the columns that union_edge_columns() gives.
typedef struct union_rows {
    int32_t low, high;       // rows
    int32_t left, right;     // columns, all rows together
    const union_span *spans; // of the shape's row 0, if it had one
    bool falls;
} union_rows;

// Of a stretch of the edge from a to b of a shape: that within the box, and `more` units around it.
static inline union_rows union_edge_rows(const union_cells *c, int32_t shape, nav_point a, nav_point b, union_box box,
                                         int32_t more)
{
    int32_t first = c->row[shape], last = first + c->first[shape + 1] - c->first[shape] - 1;
    return (union_rows){
        .low = union_most(first, (box.min.z - more - c->origin.z) >> c->shift),
        .high = union_least(last, (box.max.z + more - c->origin.z) >> c->shift),
        .left = (box.min.x - 1 - c->origin.x) >> c->shift,
        .right = (box.max.x + 1 - c->origin.x) >> c->shift,
        .spans = c->spans + c->first[shape] - first,
        .falls = b.z < a.z,
    };
}

static inline void union_edge_columns(const union_rows *r, int32_t row, int32_t *low, int32_t *high)
{
    union_span s = r->spans[row];
    *low = union_most(r->left, r->falls ? s.left : s.rise);
    *high = union_least(r->right, r->falls ? s.fall : s.right);
}

// The cells, which shapes own them, and the edges that are left.
NAV_MUST_USE nav_status nav_union_find_cells(union_work *w);
// The lines of a shape, at `line`, of corners counted from the origin. Returns where those of the next one begin.
int32_t nav_union_put_lines(union_work *w, int32_t shape, int32_t line);

// The same for few shapes: their boxes and lines, the edges, and room for nodes.
NAV_MUST_USE nav_status nav_union_find_few(union_work *w);
// The shapes whose boxes meet that one, as bits.
uint64_t nav_union_few_near(const union_work *w, union_box box);
// The node at the place, a new one where there is none.
NAV_MUST_USE nav_status nav_union_few_node(union_work *w, nav_point p, int32_t *out);
// Puts the nodes into lanes, once all of them are known.
NAV_MUST_USE nav_status nav_union_few_settle(union_work *w);
// The nodes in the box, in `to`. Returns how many.
int32_t nav_union_few_nodes(const union_work *w, union_box box, int32_t *to);

// The parts of all edges, and the nodes.
NAV_MUST_USE nav_status nav_union_find_parts(union_work *w);
// The pieces, from the parts.
NAV_MUST_USE nav_status nav_union_snap(union_work *w);
// The loops, from the pieces.
NAV_MUST_USE nav_status nav_union_link(union_work *w, nav_loops *out);

#endif
