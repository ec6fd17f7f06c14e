// Paths over ground of different cost. Internal.
//
//   verge.c      edges between classes of cost, in pieces, and how a search crosses them
//   draft.c     a path as straight pieces whose ends can be moved along the verges
//   weighted.c  rounds of searching and cutting, until cost and bound are near enough
#ifndef NAV_PATH_WEIGH_H
#define NAV_PATH_WEIGH_H

#include "core/path/search_work.h"

enum { PATH_ARRIVALS = 8 }; // at a side of a piece that are kept apart

// An edge with ground of another class behind it: from begin to end, with side 0 on its right.
typedef struct path_verge {
    uint32_t tile[2], corner[2]; // as the cells on both sides have it
    path_spot begin;
    double dx, dz;  // to its end
    double length;  // and how far that is
    double least;   // weight of its cheaper side
    uint32_t first; // piece
} path_verge;

// A piece of a verge. A search goes through its middle, for all of its points.
typedef struct path_piece {
    uint32_t verge, next; // of the same verge; PATH_NONE: the last
    double t0, t1;        // of the verge
    path_spot at[2];      // a grid point of the cell on each side, near the middle
    double off[2];        // how far from it
    uint32_t search;      // for which the arrivals are
    uint32_t count[2];
    uint32_t arrivals[2][PATH_ARRIVALS];
} path_piece;

// A way to a piece, to its other side. At x from the middle it costs at least g + slope * x, and at least low.
typedef struct path_arrival {
    uint32_t piece, turn;
    uint32_t from; // turn before
    uint8_t side;  // from which it comes
    double g, slope, low;
} path_arrival;

typedef struct path_verge_slot {
    uint64_t key; // tile and corner
    uint32_t verge, side;
    uint32_t query;
} path_verge_slot;

typedef struct path_edge_at { // as the cell behind it has it
    uint32_t tile, corner;
} path_edge_at;

// A straight piece of a path.
typedef struct path_leg {
    double from[2], to[2];     // fine
    uint32_t edge, edge_count; // that it crosses
    uint32_t tile, cell;       // where it ends
    double y;                  // there, voxels
    double weight;             // of the ground on it, where that is of one class
    uint32_t piece;            // where it ends at a verge; else PATH_NONE
    double t;                  // at which place of the verge
    double middle, least;      // the middle of its piece, and where the whole path costs the least
    uint32_t jump;             // that is taken at its end; PATH_NONE: none
} path_leg;

typedef struct path_draft {
    path_leg *legs;
    path_edge_at *edges;
    uint32_t leg_count, leg_room, edge_count, edge_room;
    double start_y;
    double cost, length, surface; // cost: in the units of the search; fine; metres
} path_draft;

struct path_weigh {
    path_verge *verges;
    path_piece *pieces;
    path_arrival *arrivals;
    path_verge_slot *slots; // open addressing, a power of two
    uint32_t verge_count, verge_room, piece_count, piece_room, arrival_count, arrival_room, slot_count, slot_room;
    uint32_t query;
    path_draft best, draft;
};

// --- verge.c ---
// No verge is known from now on. False: no memory.
bool nav_path_forget_verges(nav_path_finder *f);
// Cuts a piece in up to three, the middle one around t. False: it is too short, or there is no memory.
bool nav_path_cut(path_search *s, uint32_t piece, double t);

// --- draft.c ---
// The way to a turn at the goal, its pieces moved to where they cost the least. NAV_ERR_FORMAT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_draft(path_search *s, uint32_t goal_turn, const path_rules *rules, path_draft *out);
NAV_MUST_USE nav_status nav_path_write_draft(path_search *s, const path_draft *d, nav_path *out);

#endif
