// Internal: the records of connectivity. They live in pools and refer to each other by number, so that pools can grow.
#ifndef NAV_REACH_WORK_H
#define NAV_REACH_WORK_H

#include "core/reach/reach.h"

#include <assert.h>

#define NONE UINT32_MAX

typedef struct reach_node {
    int64_t doubled_area;
    uint64_t seen; // serial of the repair that saw it
    uint32_t tile, part;
    uint32_t label;      // a group, or one that was joined to it
    uint32_t first_half; // of its half edges
    uint32_t seeds;      // that stand on it
    uint32_t touched_at; // place in `touched`; NONE: it is not there
    uint32_t next;       // of the free ones; of a repair's starts, done or open ones
    uint32_t front;      // of the repair
    bool on;             // the verdict that was told: reached, or kept
} reach_node;

// Half 2e and 2e + 1 make an edge or an arc; an arc leads from the even half's node to the odd one's.
typedef struct reach_half {
    uint32_t node;
    uint32_t next, before;         // of the node
    uint32_t arc_next, arc_before; // arcs: of the group's arcs of this direction, in a ring
    bool is_arc;
} reach_half;

// A group; or, where `up` is another, one that was joined to it and lives until nobody names it any more.
typedef struct reach_group {
    int64_t doubled_area;
    uint64_t judged; // serial of the judgement that has it in its list
    uint32_t up;     // itself: a root
    uint32_t names;  // nodes that have it as their label, and groups joined to it
    uint32_t nodes, seeds;
    uint32_t arcs[2]; // one of the ring of halves at its nodes: 0 leading away, 1 leading here
    uint32_t next;    // of the free ones
    uint32_t starts;  // repair: its touched nodes
    bool reached, was_reached;
    bool lost; // it lost an edge or a node: does it still hang together?
} reach_group;

typedef struct reach_link {
    uint32_t tile, index; // of the tile's links
    uint32_t end_tile;
    uint32_t half; // even half of its edge or arc; NONE: it leads nowhere now
    uint32_t next; // of the tile's; of the free ones
    uint32_t next_at_end, before_at_end;
} reach_link;

typedef struct reach_tile {
    int32_t x, z;
    nav_parts *parts; // NULL: only links end here
    uint32_t *nodes;  // of the parts
    uint32_t links, ends;
    uint32_t next_hash, next_free;
    uint8_t joined; // bit s: its border edges on side s are joined with the neighbour's
    bool dirty, changed;
    uint32_t next_dirty, next_changed;
} reach_tile;

// An open search of the repair.
typedef struct reach_front {
    uint32_t up;
    uint32_t done, done_end, open, open_end; // nodes
} reach_front;

typedef struct reach_pair {
    uint32_t a, b; // nodes
} reach_pair;

typedef struct reach_pool {
    uint32_t used, capacity, free; // used: highest number given out so far; free: list
    uint32_t count;                // in use
} reach_pool;

typedef struct reach_seed {
    float at[3];
    int32_t first[2], last[2]; // tiles to look in
    uint32_t node;
    bool dirty;
} reach_seed;

struct nav_reach {
    nav_settings settings;
    nav_reach_find find;
    void *user;
    double near_vx;
    bool directed; // there are seeds: links one way are arcs
    double min_area_m2;
    int64_t min_doubled_cells;
    reach_seed seeds[NAV_MAX_SEEDS];
    uint32_t seed_count;

    reach_pool node_pool, half_pool, group_pool, link_pool, tile_pool;
    reach_node *node;
    reach_half *half; // two for each of half_pool
    reach_group *group;
    reach_link *link;
    reach_tile *tile;
    uint32_t *slots; // of tiles, by place
    uint32_t slot_count;

    uint32_t *touched; // nodes that something happened to; room for all
    uint32_t touched_count;
    uint32_t *queue;     // room for all nodes
    reach_front *fronts; // room for all nodes
    uint32_t *judged;    // groups of a judgement, room for all
    uint32_t *verdicts;  // a queue of groups, room for all
    reach_pair *pairs;
    uint32_t pair_capacity;
    uint32_t dirty, changed; // lists of tiles
    uint64_t serial;
    uint32_t off_count;
    int64_t all_area, off_area;
    uint64_t steps;
};

// reach.c
uint32_t nav_reach_find_tile(const nav_reach *r, int32_t x, int32_t z); // NONE: there is none
void nav_reach_mark_dirty(nav_reach *r, uint32_t tile);                 // to be joined with the next update

// seeds.c
void nav_reach_dirty_seeds(nav_reach *r, const reach_tile *t); // those that look for ground in the tile
void nav_reach_place_seed(nav_reach *r, reach_seed *s);

// groups.c
uint32_t nav_reach_root(nav_reach *r, uint32_t node);        // makes the way shorter
uint32_t nav_reach_group_create(nav_reach *r, bool reached); // room has been reserved
void nav_reach_group_add(nav_reach *r, uint32_t group, uint32_t node);
void nav_reach_group_remove(nav_reach *r, uint32_t node);
void nav_reach_group_join(nav_reach *r, uint32_t a, uint32_t b); // nodes
void nav_reach_touch(nav_reach *r, uint32_t node);
void nav_reach_untouch(nav_reach *r, uint32_t node);
// Room was reserved. An arc where directed.
uint32_t nav_reach_edge_add(nav_reach *r, uint32_t from, uint32_t to, bool directed);
void nav_reach_edge_remove(nav_reach *r, uint32_t half);

// repair.c: gives every part of a group that fell apart a group of its own.
void nav_reach_repair(nav_reach *r);
// spread.c: judges the groups of the touched nodes and those that arcs lead to, and tells the nodes.
void nav_reach_judge(nav_reach *r);
void nav_reach_tell(nav_reach *r);
void nav_reach_mark_changed(nav_reach *r, uint32_t tile);

#endif
