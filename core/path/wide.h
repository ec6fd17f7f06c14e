// Paths of an agent that is wider than the tiles were built for. Internal.
//
//   wide_clear.c   what of each cell is too near to a wall
//   wide_kept.c    what is kept of that, by radius
//   wide_shape.c   lines, and what is in their way
//   wide_hide.c    which lines of many a piece is in the way of
//   wide_place.c   the nearest place where the agent fits
//   wide_cone.c    what a root sees of a cell
//   wide_least.c   how long ways are, and at least
//   wide_reach.c   where the agent may come to
//   wide_search.c  the loop
//   wide_trace.c   from the last node back to the start: the path
//
// Numbers are doubles here: offsets of walls, and tangents, are not whole. All places are on the fine grid.
#ifndef NAV_PATH_WIDE_H
#define NAV_PATH_WIDE_H

#include "core/path/rules.h"
#include "core/path/search_work.h"

// A path turns around a corner at the whole radius; nearer by this, points of the fine grid, it still fits. So what
// is as wide as the agent lets it pass, ends may be moved to the grid, and rounding decides nothing.
#define WIDE_SLACK 1.0
#define WIDE_CLOSE 1e-6  // lengths that are equal, in points of the fine grid
#define WIDE_NARROW 1e-9 // angles that are equal
#define WIDE_BESIDE                                                                                                    \
    2e-7 // by which what ends a cone may seem to be beside it: more than rounding, and little to the slack
#define WIDE_MOST_BYTES ((size_t)1 << 30) // of pieces, within one search
enum { WIDE_LEAST = 4 }; // below that the agent is as wide as the tiles were built for, points of the fine grid

typedef struct wide_vec {
    double x, z;
} wide_vec;

// A part of a cell that is too near to one wall, or to a vertex where a wall turns away from the ground: a convex
// outline, and where it is round, what of it is within a circle. What is told of a straight one: its line at the
// radius; of a round one: the rays from the vertex between which it is.
typedef struct wide_piece {
    uint32_t cell;
    uint32_t first, count; // the outline, clockwise
    uint32_t tile, corner; // the wall, or the one that ends at the vertex: what it is known by
    bool round;
    // What of it is to be kept off: its rim, clockwise, and a circle around all of that. No knots: nothing.
    uint32_t first_knot, knot_count;
    wide_vec middle;
    double extent;
    wide_vec at;                    // the vertex
    wide_vec right, left;           // round: unit vectors; else both ends of the line
    wide_vec last_right, last_left; // round: as far as arcs go around the vertex
} wide_piece;

// Where two parts of a rim meet.
typedef struct wide_knot {
    wide_vec at;
    bool arc; // the way to the next one is along the piece's circle
} wide_knot;

typedef struct wide_tile {
    uint64_t key;    // of the tiles that it was made from
    uint32_t query;  // for which it was compared with them
    uint32_t *first; // of each cell: its pieces
    wide_piece *pieces;
    wide_vec *outline;
    wide_knot *knots;
    uint32_t *reached; // of each cell: the last flood that came to it
    uint8_t *open;     // of each corner: what is known of its edge, a wide_open
    size_t bytes;
} wide_tile;

typedef enum wide_open { WIDE_UNKNOWN, WIDE_OPEN, WIDE_SHUT } wide_open;

// What is kept from search to search of one radius.
typedef struct wide_kept {
    double radius;
    uint64_t excluded; // areas
    uint64_t stamp;    // of the set when it was last used
    uint64_t used;     // which use that was; 0: never
    wide_tile **tiles; // by place in the set; NULL: not made yet
    uint32_t tile_room;
    uint32_t query; // since then no tile has changed
    size_t bytes;
} wide_kept;

enum { WIDE_RADII = 4 }; // that are kept

// A circle that a line leaves, or meets: to the left of it for sign 1, to the right for -1; 0: a point.
typedef struct wide_circle {
    wide_vec at;
    double reach; // sign times radius
} wide_circle;

typedef enum wide_kind { WIDE_EDGE, WIDE_TURN, WIDE_JUMP, WIDE_GOAL } wide_kind;

typedef struct wide_gap { // between what hides something: places along an edge, or of directions
    double low, high;
    wide_vec right, left; // the directions
} wide_gap;

// Lines that leave a circle in the directions from `right` to `left`, less than half a turn apart.
typedef struct wide_fan {
    wide_circle circle;
    wide_vec right, left;
    wide_vec right_touch, left_touch;
    bool behind; // a line is between the whole circle and all that may be in the way
} wide_fan;

typedef struct wide_node {
    uint32_t parent, root; // root: PATH_NONE for the start's
    uint32_t tile, corner; // edge: as the cell behind it has it; turn: corner is the piece; jump: its number
    wide_kind kind;
    int sign;             // turn: 1 to the left
    wide_vec right, left; // edge: the lines between which it is; else right is the direction of arrival
    double g;             // turn: where it comes to the circle; jump: where it comes down
    uint32_t entry;       // turn, jump
} wide_node;

typedef struct wide_leap { // of a path: a link that it takes
    uint32_t point;        // where it comes down
    uint32_t jump;
} wide_leap;

typedef struct wide_root {
    wide_circle circle;
    wide_vec begin; // direction
    double g;
    double f;              // no way to the goal by it is shorter
    uint32_t entry;        // PATH_NONE: the start
    uint32_t tile, corner; // what the circle's piece is known by
} wide_root;

// A way to a link, or to a corner and a side: how long it is when reckoned from where the arc could begin, how far
// behind that it comes in, and how far it has gone around from there, which is nowhere until it is expanded.
typedef struct wide_entry {
    uint64_t key;
    double g, angle, end;
    uint32_t next; // another of the same key
} wide_entry;

// A wave that goes out from a wall, over portals: the cell that it has come to, and between which lines.
typedef struct wide_front {
    uint32_t tile, cell, entry;
    double from, to;      // of a straight one: along the wall
    wide_vec right, left; // of a round one
} wide_front;

struct nav_path_wide {
    wide_kept kept[WIDE_RADII];
    uint64_t uses;
    // Scratch of wide_clear.c.
    wide_front *fronts;
    wide_piece *pieces;
    wide_vec *outline, *clip[2];
    wide_knot *knots;
    uint32_t front_room, piece_room, outline_room, clip_room[2], knot_room, piece_count, outline_count, knot_count;
    // The search.
    wide_node *nodes;
    wide_root *roots;
    wide_entry *entries;
    uint32_t *heads; // open addressing: the first entry of a key
    wide_gap *gaps;
    path_place *near;
    wide_vec *points;
    wide_leap *leaps;
    path_place *reached; // wide_reach.c
    uint32_t reached_room, flood;
    uint32_t node_room, root_room, entry_room, head_room, gap_room, near_room, point_room, leap_room;
};

typedef struct wide_search {
    nav_path_finder *f;
    nav_path_wide *w;
    wide_kept *kept;
    const nav_path_set *set;
    const nav_path_query *q;
    const path_rules *rules; // NULL: no ground is excluded
    double radius;           // to keep away from the walls of the mesh
    uint32_t node_count, root_count, entry_count, reached_count, max_nodes;
    uint32_t start_count, goal_count; // of `near`
    wide_vec start, goal;
    double least;            // estimate of what came from the queue last
    const path_ahead *ahead; // NULL: the straight line is all that is known
    bool is_joined;          // a flood came from one end to the other: there is perhaps a way, and no flood tells more
    // What is found to be nearest to a goal that cannot be reached.
    bool look_for_nearest;
    double nearest; // distance
    path_place nearest_place;
    bool out_of_memory, full, stopped; // stopped: full, as stop() said so
} wide_search;

static inline wide_vec wide_of(path_spot s)
{
    return (wide_vec){s.x, s.z};
}

static inline wide_vec wide_from(wide_vec a, wide_vec b) // from a to b
{
    return (wide_vec){b.x - a.x, b.z - a.z};
}

static inline wide_vec wide_along(wide_vec at, wide_vec d, double length)
{
    return (wide_vec){at.x + d.x * length, at.z + d.z * length};
}

static inline double wide_cross(wide_vec a, wide_vec b) // above 0: b is left of a
{
    return a.x * b.z - a.z * b.x;
}

static inline double wide_dot(wide_vec a, wide_vec b)
{
    return a.x * b.x + a.z * b.z;
}

static inline double wide_length(wide_vec a)
{
    return sqrt(a.x * a.x + a.z * a.z);
}

static inline wide_vec wide_unit(wide_vec a)
{
    double length = wide_length(a);
    return length > 0 ? (wide_vec){a.x / length, a.z / length} : (wide_vec){1, 0};
}

static inline wide_vec wide_left_of(wide_vec a) // a quarter turn to the left
{
    return (wide_vec){-a.z, a.x};
}

static inline wide_vec wide_right_of(wide_vec a)
{
    return (wide_vec){a.z, -a.x};
}

static inline wide_vec wide_turned(wide_vec d, double angle) // to the left
{
    double c = cos(angle), s = sin(angle);
    return (wide_vec){d.x * c - d.z * s, d.x * s + d.z * c};
}

static inline double wide_angle(wide_vec a, wide_vec b) // from a to b, to the left: -pi to pi
{
    return atan2(wide_cross(a, b), wide_dot(a, b));
}

// Where the line in direction d touches the circle.
static inline wide_vec wide_touch(const wide_circle *c, wide_vec d)
{
    return wide_along(c->at, wide_right_of(d), c->reach);
}

// Of the line that leaves the circle in direction d: above 0, s is left of it.
static inline double wide_side(const wide_circle *c, wide_vec d, wide_vec s)
{
    return wide_cross(d, wide_from(c->at, s)) + c->reach;
}

static inline bool wide_is_ground(const wide_search *s, uint32_t tile, uint32_t cell)
{
    return !s->rules || s->rules->class_of[s->set->tiles[tile]->area[cell]] != PATH_CLOSED;
}

static inline bool wide_links(const wide_search *s)
{
    return s->rules && s->rules->links;
}

// What is left at least of a way whose straight length is this.
static inline double wide_at_least(const wide_search *s, double length)
{
    return s->rules ? s->rules->least * length : length;
}

// The same edge as the cell behind it has it. False: a wall.
static inline bool wide_pass(const wide_search *s, uint32_t *tile, uint32_t *corner)
{
    uint32_t next = *tile, edge = *corner;
    if (!path_cross(s->set, &next, &edge) || !wide_is_ground(s, next, s->set->tiles[next]->cell[edge])) return false;
    *tile = next;
    *corner = edge;
    return true;
}

static inline path_spot wide_spot(wide_vec s)
{
    return (path_spot){(int32_t)llround(s.x), (int32_t)llround(s.z)};
}

// --- wide_clear.c ---
// The pieces of a tile's cells; they stay until the end of the search. NULL: no memory.
wide_tile *nav_path_wide_clear(wide_search *s, uint32_t tile);

// --- wide_kept.c ---
// What is kept of the search's radius and areas. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_wide_choose(wide_search *s);
void nav_path_wide_destroy(nav_path_wide *w);       // accepts NULL
size_t nav_path_wide_bytes(const nav_path_wide *w); // accepts NULL

// --- wide_shape.c ---
// The direction in which a line leaves one circle and comes to the other. *length: from touch to touch; circles that
// cross where the line would be give a line of length 0. False: they have no such line.
bool nav_path_wide_tangent(const wide_circle *from, const wide_circle *to, wide_vec *d, double *length);
// The direction of the line from a circle through a place outside of it, or on it. False: they are the same point.
bool nav_path_wide_toward(const wide_circle *from, wide_vec s, bool on_circle, wide_vec *d);
// Is a piece in the way of the line from a place on, for that length?
bool nav_path_wide_blocks(const wide_tile *t, const wide_piece *p, double radius, wide_vec from, wide_vec d,
                          double length);
// Is a place of the piece's cell too near to its wall, by more than `slack`?
bool nav_path_wide_covers(const wide_piece *p, double radius, double slack, wide_vec s);
// How far one can turn around a circle before one comes into the piece, from the radial direction t on, up to `most`.
double nav_path_wide_arc(const wide_tile *t, const wide_piece *p, double radius, wide_vec at, wide_vec radial, int sign,
                         double most);
// Where two circles cross, and where an edge crosses one: how many places.
int nav_path_wide_meetings(wide_vec a, double a_radius, wide_vec b, double b_radius, wide_vec out[2]);
int nav_path_wide_crossings(wide_vec a, wide_vec b, wide_vec at, double radius, wide_vec out[2]);

// --- wide_hide.c ---
// Calls `hide` for the directions of the fan whose lines meet the piece, and perhaps for others: from one to the other
// to its left, less than half a turn.
void nav_path_wide_hidden(const wide_tile *t, const wide_piece *p, double radius, const wide_fan *f,
                          void (*hide)(void *user, wide_vec right, wide_vec left), void *user);
// Where a direction is between `right` and one less than half a turn to its left: 0 to 2, more to the left.
static inline double wide_order(wide_vec right, wide_vec d)
{
    double ahead = wide_dot(right, d), aside = wide_cross(right, d), all = fabs(ahead) + fabs(aside);
    return aside > 0 ? 1 - ahead / all : ahead >= 0 ? 0 : 2;
}
// Is it from one to another to its left, less than half a turn?
static inline bool wide_between(wide_vec right, wide_vec left, wide_vec d)
{
    return wide_cross(right, d) >= 0 && wide_cross(d, left) >= 0 && (wide_dot(right, d) >= 0 || wide_dot(left, d) >= 0);
}

// --- wide_place.c ---
// Calls `visit` for those places of a cell, nearer to `to` than `most`, of which one is the nearest where the agent
// fits, whichever part of the cell it may be in. False: no memory.
bool nav_path_wide_places(wide_search *s, uint32_t tile, uint32_t cell, wide_vec to, double most,
                          void (*visit)(void *user, wide_vec at, double distance), void *user);
// Moves a place to the nearest where the agent fits, of the ground that hangs together around it: up to `most` points
// of the grid away from `to`. False: there is none, or no memory, which the search tells.
bool nav_path_wide_fit(wide_search *s, wide_vec to, double most, path_place *at);
// May the agent take the link? It has to be as wide, and the agent has to fit where it is at both ends. False, too: no
// memory, which the search tells.
bool nav_path_wide_may_jump(wide_search *s, const path_jump *j);
// All cells at a place, which is in one of them, behind the first ones of `near`: up to *end. False: no memory.
bool nav_path_wide_list(wide_search *s, uint32_t first, path_place at, double reach, uint32_t *end);

// --- wide_least.c ---
// How long the way is that leaves the root's circle in direction d.
double nav_path_wide_way_to(const wide_root *r, wide_vec d, double length);
// What is left of any way at least from a vertex, by landmarks: no way is shorter than a narrow agent's.
double nav_path_wide_left_from(const wide_search *s, uint32_t tile, uint32_t corner);
// How long a way to the goal is at least that leaves a cell by an edge, between two lines of the root. The cell is on
// the right of the edge.
double nav_path_wide_least(const wide_search *s, const wide_root *r, uint32_t tile, uint32_t corner, wide_vec right,
                           wide_vec left);

// --- wide_cone.c ---
void nav_path_wide_begin(wide_search *s);
void nav_path_wide_expand_edge(wide_search *s, uint32_t node);
void nav_path_wide_expand_turn(wide_search *s, uint32_t node);
void nav_path_wide_expand_jump(wide_search *s, uint32_t node);

// --- wide_reach.c ---
// Takes what is between the ends of `out` out of the gaps. False: no memory.
bool nav_path_wide_cut(wide_search *s, uint32_t *count, const wide_gap *out);
// Fills `reached` with all cells that the agent can come to from those of `near`, and perhaps others. False: there are
// more than `most`, it was stopped (full), or no memory, which the search tells.
bool nav_path_wide_flood(wide_search *s, uint32_t first, uint32_t end, uint32_t most);
// Is there surely no way between start and goal? Looks at no more than `most` cells around each. May set `is_joined`.
bool nav_path_wide_is_apart(wide_search *s, uint32_t most);
// Sets `nearest_place`: if the agent can get there from the start, it can get to no place nearer to the goal. False: as
// nav_path_wide_flood().
bool nav_path_wide_find_nearest(wide_search *s, path_place start, wide_vec goal);

// --- wide_search.c ---
// nav_path_find() for an agent that is wider.
// NAV_ERR_LIMIT: it is too wide. NAV_ERR_ARGUMENT: the rules know costs that differ.
NAV_MUST_USE nav_status nav_path_wide_find(nav_path_finder *f, const nav_path_set *set, const nav_path_query *q,
                                           const path_rules *rules, double radius, nav_path *out);
// By how much the agent of a query is wider, points of the fine grid. 0: so little that it does not count.
static inline double nav_path_wider(const nav_path_set *set, const nav_path_query *q)
{
    double more = (q->radius_m - (double)set->grid.agent_radius_m) / (double)set->grid.cell_size_m * NAV_PATH_FINE;
    return more >= WIDE_LEAST ? more : 0;
}

// --- wide_trace.c ---
NAV_MUST_USE nav_status nav_path_wide_write(wide_search *s, uint32_t goal_node, path_place start, nav_path *out);

#endif
