// The best edges for one chain of corners, without regard to anything beside it.
#ifndef NAV_OUTLINE_FEWER_CHAIN_H
#define NAV_OUTLINE_FEWER_CHAIN_H

#include "core/outline/fewer.h"

// A corner of the result. Places on the chain are indices of its corners; on a closed loop they go on behind its end.
typedef struct fewer_corner {
    nav_point at;
    int32_t lo, hi;        // the chain up to lo belongs to the edge before it, from hi on to the edge behind; the same
                           // where it is a corner of the chain
    int32_t before, after; // a mitre stands for the chain between these
} fewer_corner;

// A straight line that an edge may run on: through two corners of what there is so far.
typedef struct fewer_line {
    int32_t i, j;               // those corners
    double cost;                // of the best way up to it, itself included
    int32_t from;               // the line before it, which it meets in `mitre`; -1 where it begins at corner i
    int32_t next;               // line that ends at the same corner
    double x, z;                // corner i
    double ex, ez;              // corner j
    double dx, dz, len;         // from i to j
    int32_t seen, tip, blocked; // the chain behind its end: seen so far, its first corner right of the line, and the
                                // first one too far right
    fewer_corner mitre;
} fewer_line;

typedef struct fewer_chain {
    double max_inward;
    double price;     // of an edge: as much as twice that area between old and new
    nav_point origin; // places below count from here

    // The original chain.
    double *x, *z;
    double *far;   // how far the result may be from the corner
    double *reach; // how far a mitre may be from the chain there
    double *edge;  // how far a mitre may be from the edge behind the corner that it replaces
    double *sum;   // twice the area swept from the origin up to the corner

    int32_t *left;     // the corners of it that thinning has left
    fewer_corner *way; // the result

    // Per corner that is left: the best way up to it.
    double *cost;
    int32_t *from;   // the line that ends there, or ~i for an edge from corner i
    int32_t *ending; // newest line that ends there
    fewer_line *line;
    int32_t line_count;
} fewer_chain;

// Room for chains of that many corners, two laps of a closed loop counted.
NAV_MUST_USE nav_status nav_fewer_chain_init(fewer_chain *c, int32_t corners, nav_arena *arena);

// Sets a corner of the original chain. Ascending, from 0.
void nav_fewer_chain_set(fewer_chain *c, int32_t k, nav_point at, double far, double reach, double edge);

// Finds the corners that serve best for a chain of that many, and returns how many: way[0..]. An open chain keeps its
// ends. Of a closed one the last two corners are the first two again, one lap on: it keeps the line between them, and
// the result is one lap of corners from the end of this line on; 0 where there is none.
int32_t nav_fewer_chain_solve(fewer_chain *c, int32_t count, bool closed);

#endif
