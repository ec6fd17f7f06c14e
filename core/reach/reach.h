// DESIGN. What of a world can be reached, kept while its tiles change. One record of connectivity for a world and agent
// profile:
//
//     node: a connected part of a tile        edge: border edges that join, or a link both ways
//     arc:  a link one way                    group: nodes that edges connect, whatever the tiles
//
//     tile 0,0 | tile 1,0 | tile 2,0
//     [ a0 ]---|--[ b0 ]--|--[ c0 ]     one group
//     [ a1 ]   |          |  [ c1 ]     two groups; an arc c0 -> c1 makes c1 reached where c0 is
//
// A group is reached where a seed stands in it, or an arc leads to it from a reached one. Without seeds a group is
// kept where its area is at least the minimum (arcs count as edges then: a place that a link leads to is no stray
// island).
//
// Work is bounded by what changes. A new edge joins two groups in about constant time (a union by size). Where a tile
// changes, its neighbours that hung together through it search from all of them at once, a step each in turn,
// until the searches have met or all but one have nothing left (repair.c): a way that is still open nearby is found
// nearby, and a part that was cut off costs its own size; a way around that is long costs what lies within it. Then
// groups are judged along arcs, and nodes whose group has another verdict than before are visited: they are the result
// (spread.c).
//
// The verdict is a function of the tiles, the seeds and the minimum, in whatever order they came. Owner: one thread.
#ifndef NAV_REACH_REACH_H
#define NAV_REACH_REACH_H

#include "core/reach/goal.h"
#include "core/reach/parts.h"

// How far from a seed its ground may be: in x and z, and up or down.
nav_place_query nav_seed_query(const nav_settings *s, const float seed[3]);

// Answers nav_parts_find() for a tile whose parts were put. Called from within nav_reach_update().
typedef int32_t (*nav_reach_find)(void *user, int32_t x, int32_t z, const nav_place_query *q, double *distance2);

typedef struct nav_reach nav_reach;

// NAV_ERR_MEMORY. settings and goal are copied, and have been checked.
NAV_MUST_USE nav_status nav_reach_create(const nav_settings *settings, const nav_reach_goal *goal, nav_reach_find find,
                                         void *user, nav_reach **out);
void nav_reach_destroy(nav_reach *r); // accepts NULL

// Another goal; takes effect with the next update. Costs a walk over all of the world where seeds are set first or
// taken away, or the minimum changes.
void nav_reach_set_goal(nav_reach *r, const nav_reach_goal *goal);

// A tile has these parts from now on; NULL: there is no such tile. Takes parts over, also when it fails. Takes effect
// with the next update: give all that change together, so that nothing seems cut off in between. NAV_ERR_MEMORY leaves
// the tile as it was.
NAV_MUST_USE nav_status nav_reach_put(nav_reach *r, int32_t x, int32_t z, nav_parts *parts);
// Borrowed; NULL where there are none.
const nav_parts *nav_reach_get(const nav_reach *r, int32_t x, int32_t z);

// Works out what has changed since the last time. NAV_ERR_MEMORY: nothing is lost, call again.
NAV_MUST_USE nav_status nav_reach_update(nav_reach *r);
// The next tile that was put, or that has a part with another verdict, since it was last told here. False: no more.
bool nav_reach_next_changed(nav_reach *r, int32_t *x, int32_t *z);

// A byte for each part of the tile: 1 where it is out of reach. Returns how many are.
uint32_t nav_reach_mask(const nav_reach *r, int32_t x, int32_t z, uint8_t *off);
// Did the seed find ground?
bool nav_reach_seed_found(const nav_reach *r, uint32_t seed);

typedef struct nav_reach_counts {
    uint32_t tiles, parts, parts_off, edges, links, seeds_lost;
    int64_t doubled_area, doubled_area_off; // columns
    uint64_t steps;                         // nodes looked at by all updates so far: what the work is measured in
} nav_reach_counts;
nav_reach_counts nav_reach_count(const nav_reach *r);

#endif
