// A search and what its parts share. Internal.
//
//   search.c   the loop, and both ends
//   near.c     the cells around an end
//   corner.c   where a path may turn
//   cone.c     what is seen from a turn
//   known.c    what is of no use, as a shorter way to it is known
//   mouth.c    off-mesh links
//   verge.c     ground of different cost (weigh.h)
//   flood.c    what can be reached, minding areas and links
//   ahead.c    how far the goal is at least, by landmarks (landmarks.h)
//   trace.c    the path that was found: its points, cells and lengths
#ifndef NAV_PATH_SEARCH_WORK_H
#define NAV_PATH_SEARCH_WORK_H

#include "core/path/path_queue.h"
#include "core/path/rules.h"

#include <math.h>

typedef enum path_turn_kind { PATH_START, PATH_LEFT, PATH_RIGHT, PATH_GOAL, PATH_JUMP, PATH_CROSS } path_turn_kind;

// Where a straight piece of a path ends: the start, a corner around which it turns, the goal, a link, which goes on
// at its other end, and a verge, which goes on behind it.
typedef struct path_turn {
    uint32_t parent;       // PATH_NONE: the start
    uint32_t tile, corner; // of a cell at the corner; start, goal: any corner of the cell in which it is, or was seen;
                           // jump: corner is its number;
                           // verge: that of the arrival
    uint8_t kind;
    uint8_t class;        // of the ground that its cones stay on, where there are rules
    bool outdated;        // there is a shorter way to this corner
    path_spot at, before; // before: where the parent is
    double y;             // of the start, the goal and where a jump ends, voxels
    double g;             // length up to here, or cost
    double f;             // and straight on to the goal
} path_turn;

// What a turn sees of an edge: the piece between the rays through `right` and `left`.
typedef struct path_cone {
    uint32_t turn;
    uint32_t tile, corner; // the edge as the cell behind it has it
    uint32_t before;       // while a path is traced: the cone that it comes from; PATH_NONE: the turn itself
    path_spot left, right;
} path_cone;

// The best turn known at a corner, to one side.
typedef struct path_entry {
    uint64_t key;
    double g;
    uint32_t turn;
    uint32_t search; // in which it was set
} path_entry;

typedef struct path_scratch path_scratch;             // of the answers in navcore/path_places.h
void nav_path_scratch_destroy(path_scratch *p);       // accepts NULL
size_t nav_path_scratch_bytes(const path_scratch *p); // accepts NULL

typedef struct path_dead_end {
    uint32_t tile, cell;
} path_dead_end;

typedef struct path_weigh path_weigh;             // of ground of different cost
void nav_path_weigh_destroy(path_weigh *w);       // accepts NULL
size_t nav_path_weigh_bytes(const path_weigh *w); // accepts NULL
typedef struct nav_path_wide nav_path_wide;

// Where to find what is known of a tile's sectors, in the search of that number.
typedef struct path_met {
    uint32_t search, first;
} path_met;

// The shortest way to a vertex so far, in the search of that number.
typedef struct path_known {
    double length;
    uint32_t search;
} path_known;

enum { PATH_MARKS = 128, PATH_LEADERS = 32, PATH_MAX_OPENED = 8 };

// Of a search: what landmarks tell of its goal.
typedef struct path_ahead {
    const struct nav_path_landmarks *marks;
    int32_t low[PATH_LEADERS], high[PATH_LEADERS];       // its distance from each leader, units
    bool follows;                                        // followers are minded, too:
    int16_t more_low[PATH_MARKS], more_high[PATH_MARKS]; // how much more it is from them, by row and lane
    double behind[PATH_MAX_OPENED];                      // from each rectangle that opened
} path_ahead;

struct nav_path_finder {
    path_turn *turns;
    path_cone *cones; // to be looked at now: a stack
    path_cone *later; // those in the queue; a free one has the next free one as its turn
    path_queue queue;
    path_entry *entries;   // open addressing
    path_met *met;         // of each tile of the set
    path_known *known;     // by tile that was met, then by sector
    path_dead_end *branch; // cells that lead nowhere but to the goal
    path_place *near;      // cells around the goal, then those around the place where a cone begins
    // Of a path that was found.
    uint32_t *bends;
    float *points;
    nav_path_cell *cells;
    nav_path_jump *jumps;
    uint32_t jump_room, branch_room, met_room, known_room;
    uint32_t turn_room, cone_room, later_room, entry_room, near_room, bend_room, point_room, cell_room;
    uint32_t search;
    path_scratch *scratch; // owned; NULL: none yet
    path_weigh *weigh;     // the same
    path_ahead ahead;
    nav_path_wide *wide; // NULL: nobody has asked for a wider agent yet
};

typedef struct path_search {
    nav_path_finder *f;
    const nav_path_set *set;
    const nav_path_query *q;
    const path_ahead *ahead;        // NULL: the straight line is all that is known
    const path_rules *rules;        // NULL: all ground is alike, and there are no links
    uint64_t node_count, max_nodes; // cones and turns that were made
    uint32_t turn_count, cone_count, later_count, later_free, entry_count;
    uint32_t goal_count; // of `near`
    uint32_t branch_count, known_count;
    bool knows; // which ways to vertices are the shortest so far
    path_spot goal;
    double goal_y;
    double bound;                      // estimates up to this one are looked at now, those above it wait in the queue
    double best;                       // length of the shortest way to the goal so far: longer ones do not count
    uint32_t goal_turn;                // of that way; PATH_NONE: none yet
    double enough;                     // with nothing below it in the queue the search may end
    bool out_of_memory, full, stopped; // stopped: full, as stop() said so
    bool spreads;                      // there is no goal: it goes everywhere, the nearest first
    bool weighed;                      // one of several searches over ground of different cost: without landmarks
    bool hurries;                      // of these: for a good way soon, not for a bound
    // While a path is traced: cones are kept only where they hold the end of a piece.
    bool tracing, traced;
    uint32_t wanted;  // turn
    uint32_t current; // cone; PATH_NONE: the piece's begin
} path_search;

enum { PATH_LATER = 1u << 31 }; // of what is queued: a cone, else a turn

static inline double path_distance(path_spot a, path_spot b)
{
    double x = (double)b.x - a.x, z = (double)b.z - a.z;
    return sqrt(x * x + z * z);
}

static inline bool path_same(path_spot a, path_spot b)
{
    return a.x == b.x && a.z == b.z;
}

static inline bool path_is_goal(const path_search *s, uint32_t tile, uint32_t cell)
{
    const path_place *near = s->f->near;
    for (uint32_t i = 0; i < s->goal_count; i++)
        if (near[i].cell == cell && near[i].tile == tile) return true;
    return false;
}

static inline uint64_t path_excluded(const path_search *s)
{
    return s->rules && s->q->costs ? s->q->costs->excluded : 0;
}

// --- verge.c: where the rules weigh ---
// The least that a straight way from a turn to a place that it sees may cost.
double nav_path_weighed_cost(const path_search *s, uint32_t from, path_spot to);
// What has to be added to the least cost of the rest of a way through a piece of the edge from a to b.
double nav_path_weighed_base(const path_search *s, uint32_t from, path_spot a, path_spot b, path_spot left,
                             path_spot right);
// The verges of a cell where a turn sees them: all, or those within a cone.
void nav_path_look_for_verges(path_search *s, uint32_t from, uint32_t tile, uint32_t cell, const path_cone *cone);
// Of a turn at a verge: where it goes on, and where the straight piece ends that leads to it.
path_place nav_path_crossing(const path_search *s, const path_turn *t);
path_spot nav_path_crossing_end(const path_search *s, const path_turn *t);

// As path_cross(), where the ground behind is of this class.
static inline bool path_cross_within(const path_search *s, uint8_t class, uint32_t *tile, uint32_t *corner)
{
    if (!path_cross(s->set, tile, corner)) return false;
    if (!s->rules) return true;
    const path_tile *t = s->set->tiles[*tile];
    return s->rules->class_of[t->area[t->cell[*corner]]] == class;
}

// Where the piece ends that leads to a turn: not where one comes down.
static inline path_spot path_piece_end(const path_search *s, const path_turn *t)
{
    if (t->kind == PATH_CROSS) return nav_path_crossing_end(s, t);
    return t->kind == PATH_JUMP ? s->set->jumps[t->corner].from.at : t->at;
}

// What no estimate of a way of this length is above, whatever was rounded: estimates hold differences of places, which
// are less than 2^31.
static inline double path_rounded_up(double g)
{
    return g * (1 + 1e-11) + 1e-5;
}

// Up to a place that a turn sees.
static inline double path_cost_to(const path_search *s, uint32_t from, path_spot to)
{
    if (s->rules && s->rules->weighs) return nav_path_weighed_cost(s, from, to);
    return s->f->turns[from].g + path_distance(s->f->turns[from].at, to);
}

static inline bool path_cone_has(path_spot p, const path_cone *cone, path_spot at)
{
    return path_side(p, cone->right, at) >= 0 && path_side(p, cone->left, at) <= 0;
}

// What is left at least of a way whose straight length is this.
static inline double path_at_least(const path_search *s, double length)
{
    return s->rules ? s->rules->least * length : length;
}

// --- ahead.c ---
// From here on the search minds the set's landmarks, where it has some that help: the leaders.
void nav_path_look_ahead(path_search *s);
// And their followers. Those cost about as much as some hundred cones once.
void nav_path_look_far_ahead(path_search *s);
// What is left of any way at least from a sector.
double nav_path_ahead_of(const path_ahead *a, uint32_t tile, uint32_t sector, path_spot at);

static inline double path_left_at(const path_search *s, uint32_t tile, uint32_t corner, path_spot at)
{
    double length = path_distance(at, s->goal);
    if (s->ahead) length = fmax(length, nav_path_ahead_of(s->ahead, tile, s->set->tiles[tile]->sector[corner], at));
    return path_at_least(s, length);
}

// A cone out of the queue.
static inline path_cone path_take_later(path_search *s, uint32_t what)
{
    uint32_t at = what & ~(uint32_t)PATH_LATER;
    path_cone cone = s->f->later[at];
    s->f->later[at].turn = s->later_free;
    s->later_free = at;
    return cone;
}

// Which limit a search that is full has met.
static inline nav_path_limit path_limit_of(const path_search *s)
{
    return s->stopped ? NAV_PATH_STOPPED : NAV_PATH_OUT_OF_NODES;
}

// --- search.c ---
// A turn more. NULL: no memory, or the limit; the search tells.
path_turn *nav_path_add_turn(path_search *s);
void nav_path_push(path_search *s, double f, uint32_t what);
// What is known of the search before: nothing from now on.
void nav_path_forget(path_search *s);
// What is seen in all directions from the start, or where a jump ends.
void nav_path_begin(path_search *s, uint32_t turn);
// What a turn of any kind but the goal sees.
void nav_path_look_from(path_search *s, uint32_t turn);

// --- near.c ---
// Is it on the edge that begins at the corner, its ends included?
bool nav_path_on_edge(const path_tile *t, uint32_t corner, path_spot s);
// All cells around a place that hang together there, over areas that are not excluded, into *near from `first` on;
// *end: behind the last. False: no memory.
bool nav_path_list_near(const nav_path_set *set, path_place at, path_place **near, uint32_t *room, uint32_t first,
                        uint64_t excluded, uint32_t *end);

// --- corner.c ---
// A way of length g to what has this key, from a turn (PATH_NONE: whichever). False: a better one is known, or there is
// no memory. Else the way is that of the next turn to be added, and the turn of the one that was known is outdated.
bool nav_path_improve(path_search *s, uint64_t key, double g, uint32_t from);
// Of two ways of the same length, is the one from a turn the answer, rather than the one from another? By places, so
// that the order in which a search finds them does not matter.
bool nav_path_is_preferred(const path_search *s, uint32_t from, uint32_t other);
// Is there a way to it?
bool nav_path_knows(const path_search *s, uint64_t key);
// A turn to one side at a vertex, which turn `from` sees straight, where there is reason for it and no shorter way to
// it is known.
void nav_path_try_turn(path_search *s, uint32_t from, uint32_t tile, uint32_t corner, bool left);

// --- cone.c ---
// What p sees between two rays of the edge from a to b: how far the nearest point of that is, and where.
double nav_path_nearest_seen(path_spot p, path_spot a, path_spot b, path_spot left, path_spot right, double out[2]);
void nav_path_see_goal(path_search *s, uint32_t from, uint32_t tile, uint32_t cell);
// A turn in a cell, or on its edge, sees an edge of the cell whole. Where it is on the edge's line it sees nothing of
// it but its nearer end.
void nav_path_look_through(path_search *s, uint32_t from, uint32_t tile, uint32_t corner);
// Into the next cell.
void nav_path_expand_cone(path_search *s, path_cone cone);
// What is seen from a corner, from the ray on to the wall.
void nav_path_expand_turn(path_search *s, uint32_t turn);

// The least way to the goal: its last turn, or PATH_NONE; then `full` or `out_of_memory` may be set.
uint32_t nav_path_search(path_search *s, const path_place *start, const path_place *goal);

// --- weighted.c ---
// Where the rules weigh: as nav_path_find() from then on. NAV_ERR_FORMAT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_find_weighted(path_search *s, const path_place *start, const path_place *goal,
                                               nav_path *out);

// --- mouth.c ---
// What a way may end at and go on elsewhere, in a cell where a turn sees it: links, and verges of areas. All, or those
// within a cone.
void nav_path_look_for_mouths(path_search *s, uint32_t from, uint32_t tile, uint32_t cell, const path_cone *cone);

// --- flood.c ---
// Can one get from the start to the goal, minding the rules? Where not, nav_path_is_flooded() tells, until the next
// search begins, what one can get to. NAV_ERR_MEMORY, NAV_ERR_LIMIT: stopped.
NAV_MUST_USE nav_status nav_path_flood(path_search *s, const path_place *start, const path_place *goal, bool *reached);
path_may nav_path_is_flooded; // user: the search

// --- trace.c ---
NAV_MUST_USE nav_status nav_path_trace(path_search *s, uint32_t goal_turn, nav_path *out);
// The cones from a turn of the path to the next one: their last, of `cones`; PATH_NONE: one cell holds both.
// NAV_ERR_FORMAT: there are none; the tiles contradict themselves.
NAV_MUST_USE nav_status nav_path_trace_piece(path_search *s, uint32_t from, uint32_t to, uint32_t *last);
// Appends to the finder's lists. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_add_cell(path_search *s, uint32_t *count, uint32_t tile, uint32_t cell);
NAV_MUST_USE nav_status nav_path_add_jump(path_search *s, uint32_t *count, uint32_t point, const path_jump *j);

#endif
