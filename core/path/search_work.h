// A search and what its parts share. Internal.
//
//   search.c   the loop, and both ends
//   near.c     the cells around an end
//   corner.c   where a path may turn
//   cone.c     what a root sees of the next cell
//   trace.c    from the last node back to the start: the path
#ifndef NAV_PATH_SEARCH_WORK_H
#define NAV_PATH_SEARCH_WORK_H

#include "core/path/path_queue.h"

#include <math.h>

// LEFT, RIGHT: a turn at a corner
typedef enum path_node_kind { PATH_NODE_EDGE, PATH_NODE_LEFT, PATH_NODE_RIGHT, PATH_NODE_GOAL } path_node_kind;

typedef struct path_node {
    uint32_t parent, root;
    uint32_t tile, corner; // edge: as the cell behind it has it; turn: the corner of a cell that is at the vertex
    uint32_t kind;
    uint32_t entry; // turn: in the table of corners
    path_spot left, right;
    double g; // turn: up to the vertex
} path_node;

typedef struct path_root {
    path_spot at;
    double y, g;
    uint32_t entry; // PATH_NONE: the start
} path_root;

// The shortest way known to each corner and side.
typedef struct path_entry {
    uint64_t key;
    double g;
    uint32_t search; // in which it was set
} path_entry;

typedef struct path_bend { // of a path, from its end on
    path_spot at;
    double y;
    uint32_t node;
} path_bend;

struct nav_path_finder {
    path_node *nodes;
    path_root *roots;
    path_queue queue;
    path_entry *entries; // open addressing
    path_bend *bends;
    float *points;
    path_place *near; // cells around the start, then those around the goal
    uint32_t node_room, root_room, entry_room, bend_room, point_room, near_room;
    uint32_t search;
};

typedef struct path_search {
    nav_path_finder *f;
    const nav_path_set *set;
    const nav_path_query *q;
    uint32_t node_count, root_count, entry_count, max_nodes;
    uint32_t start_count, goal_count; // of `near`
    path_spot goal;
    bool out_of_memory, full;
} path_search;

static inline double path_distance(path_spot a, path_spot b)
{
    double x = (double)b.x - a.x, z = (double)b.z - a.z;
    return sqrt(x * x + z * z);
}

static inline bool path_same(path_spot a, path_spot b)
{
    return a.x == b.x && a.z == b.z;
}

// From p to a and on to b: does the way go on, rather than back?
static inline bool path_goes_on(path_spot p, path_spot a, path_spot b)
{
    return (double)(a.x - p.x) * (double)(b.x - a.x) + (double)(a.z - p.z) * (double)(b.z - a.z) > 0;
}

static inline bool path_is_goal(const path_search *s, uint32_t tile, uint32_t cell)
{
    const path_place *near = s->f->near + s->start_count;
    for (uint32_t i = 0; i < s->goal_count; i++)
        if (near[i].tile == tile && near[i].cell == cell) return true;
    return false;
}

static inline bool path_is_outdated(const path_search *s, uint32_t entry_index, double g)
{
    return entry_index != PATH_NONE && s->f->entries[entry_index].g < g;
}

// --- search.c ---
// A node more. NULL: no memory, or the limit; the search tells.
path_node *nav_path_add_node(path_search *s);
void nav_path_push(path_search *s, double f, uint32_t node);

// --- near.c ---
// Is it on the edge that begins at the corner, its ends included?
bool nav_path_on_edge(const path_tile *t, uint32_t corner, path_spot s);
// All cells around a place that hang together there, into *near from `first` on; *end: behind the last. False: no
// memory.
bool nav_path_list_near(const nav_path_set *set, path_place at, path_place **near, uint32_t *room, uint32_t first,
                        uint32_t *end);

// --- corner.c ---
// A turn to one side at a vertex, which root `from` sees straight, where there is reason for it and no shorter way to
// it is known.
void nav_path_try_turn(path_search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner, bool left);

// --- cone.c ---
void nav_path_push_goal(path_search *s, uint32_t parent, uint32_t from);
// A root in a cell, or on its edge, sees an edge of the cell whole. Where it is on the edge's line it sees nothing of
// it but its nearer end.
void nav_path_look_through(path_search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner);
void nav_path_expand_edge(path_search *s, uint32_t node);
// A path turns at a vertex: what is seen from there, from the ray on to the wall.
void nav_path_expand_turn(path_search *s, uint32_t node);

// --- trace.c ---
NAV_MUST_USE nav_status nav_path_write(path_search *s, uint32_t goal_node, double goal_y, nav_path *out);

#endif
