// What else one asks of a ground (path.h) than the shortest path: which ground is near, how far a straight line goes,
// where the nearest wall is, a place at random, what can be reached at all, and what is within a distance.
//
// Places are found as the ends of a path are, and moved to the same grid. A straight line is open if and only if the
// shortest path between its ends is that line: walls are met, touched and passed by the same whole numbers. Distances
// are seen from above. Each answer is a function of the tiles and the question: the same bytes on every machine.
//
// The set has been joined since its last change. A number that is not finite, or out of range, is NAV_ERR_ARGUMENT.
// Starts no threads, reads no clock.
#ifndef NAVCORE_PATH_PLACES_H
#define NAVCORE_PATH_PLACES_H

#include "navcore/path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nav_place_status {
    NAV_PLACE_FOUND,
    NAV_PLACE_NONE,     // nothing of that kind within the limit
    NAV_PLACE_WALL,     // a line that ends at a wall
    NAV_PLACE_NO_START, // no ground near enough
    NAV_PLACE_NO_GOAL,
    NAV_PLACE_LIMIT, // given up: stop() said so
} nav_place_status;

// A point of the ground; the cell says which floor it is on.
typedef struct nav_path_place {
    nav_path_cell cell;
    float at[3]; // metres
} nav_path_place;

// What all questions have in common. Zero but for near_m: all ground, without an end.
typedef struct nav_place_scope {
    double near_m;            // how far a place may be, seen from above; and that and the agent's height up or down
    uint64_t excluded;        // bit a: ground of area a is a wall, and no place is on it
    bool (*stop)(void *user); // asked now and then; true: give up; may be NULL
    void *user;
} nav_place_scope;

// An edge of a cell that one cannot cross, or behind which ground is excluded.
typedef struct nav_path_edge {
    float from[3], to[3]; // metres
    float normal[2];      // x, z: towards the ground, of length 1
} nav_path_edge;

// --- The nearest ground ---

typedef struct nav_path_nearest {
    nav_place_status status; // FOUND, NONE
    nav_path_place place;
    double distance_m; // in space, from what was asked to the place
} nav_path_nearest;

// Ground straight above or below by no more than the agent's climb goes before all other; else the nearest in space.
// No memory is taken, and stop() is not asked.
NAV_MUST_USE nav_status nav_path_find_nearest(const nav_path_set *set, const double at[3], const nav_place_scope *scope,
                                              nav_path_nearest *out);

// --- Reachable at all ---

// Which of the goals can be reached, one after the other into out: FOUND, NONE (no way leads there), NO_START, NO_GOAL.
// Takes no memory, and no longer for a goal that is far away; then the finder may be NULL. Where the set has ground
// that is excluded, all that one can get to is visited once, for all goals, in the finder's memory; if stop() ends
// that, all are LIMIT.
NAV_MUST_USE nav_status nav_path_reach(nav_path_finder *finder, const nav_path_set *set, const double from[3],
                                       const nav_place_scope *scope, const double (*goals)[3], uint32_t count,
                                       nav_place_status *out);

// --- What needs the memory of a finder ---

typedef struct nav_path_ray {
    nav_place_status status; // FOUND: it gets there; WALL; NO_START; LIMIT
    double length_m;         // as far as it gets, seen from above
    nav_path_place end;
    nav_path_edge wall; // where it ends at one
} nav_path_ray;

// Straight from the ground near `from` to the place x, z of `to`, from cell to cell. A line that touches a corner, or
// runs along a wall, goes on exactly where a path may. Where ground parts along the line, above each other, all of it
// is followed: of two floors at the end the one nearer to y of `to` counts.
NAV_MUST_USE nav_status nav_path_raycast(nav_path_finder *finder, const nav_path_set *set, const double from[3],
                                         const double to[3], const nav_place_scope *scope, nav_path_ray *out);

typedef struct nav_path_wall {
    nav_place_status status; // FOUND; NONE: farther than the limit; NO_START; LIMIT
    double distance_m;
    nav_path_place place; // on the wall, and the cell that it belongs to
    nav_path_edge edge;
} nav_path_wall;

// The wall nearest to the ground near `at`, of those that one gets to from there within limit_m.
NAV_MUST_USE nav_status nav_path_find_wall(nav_path_finder *finder, const nav_path_set *set, const double at[3],
                                           const nav_place_scope *scope, double limit_m, nav_path_wall *out);

typedef struct nav_path_random_query {
    uint64_t seed;
    uint32_t count;           // of places
    uint64_t areas;           // bit a: ground of area a counts; 0: all ground
    uint64_t excluded;        // bit a: ground of area a is a wall to `reachable`, and no place is on it
    double at[3], near_m;     // of what follows
    double radius_m;          // above 0: only within this distance of `at`, seen from above, on all floors
    bool reachable;           // only ground that one can get to from the ground near `at`
    bool (*stop)(void *user); // may be NULL
    void *user;
} nav_path_random_query;

typedef struct nav_path_randoms {
    nav_place_status status;      // FOUND; NONE: there is no such ground; NO_START; LIMIT
    const nav_path_place *points; // borrowed from the finder until its next answer
    uint32_t count;               // as many as asked for, but where next to nothing of the ground is within the circle
} nav_path_randoms;

// Places of the ground, uniform by its area seen from above. Place i is the same however many are asked for, on every
// machine; random.c says how it is made. The work is one look at each cell of the ground, then each place is quick: ask
// for many at once.
NAV_MUST_USE nav_status nav_path_random(nav_path_finder *finder, const nav_path_set *set,
                                        const nav_path_random_query *query, nav_path_randoms *out);

typedef struct nav_path_within_query {
    double at[3], near_m;
    double distance_m;        // of the shortest path, seen from above
    uint64_t excluded;        // bit a: ground of area a is a wall
    uint32_t max_nodes;       // of the search, as nav_path_query has it
    uint32_t max_points;      // of all outlines together; 0: 2^32 - 1
    bool outlines;            // they are wanted
    bool (*stop)(void *user); // may be NULL
    void *user;
} nav_path_within_query;

typedef struct nav_path_within_cell {
    nav_path_cell cell;
    double distance_m; // of the shortest path to its nearest point
    bool whole;        // no path to any point of it needs more than the distance
} nav_path_within_cell;

typedef struct nav_path_withins {
    nav_place_status
        status; // FOUND; NO_START; LIMIT: too many nodes or points, or stop() said so. Then there is nothing
    // The cells that one can get to, the nearest first. One that was relaxed comes once for each of its convex pieces.
    const nav_path_within_cell *cells;
    uint32_t cell_count;
    // Convex polygons, which together are the ground within the distance; where it is seen from several corners they
    // lie over each other. x y z of their corners; outline i has those from first[i] up to first[i + 1]. What ends at
    // the distance itself is an arc, drawn by chords that are at most 2 cm inside of it.
    const float *points;
    const uint32_t *first; // outline_count + 1
    uint32_t outline_count;
    uint64_t nodes;
} nav_path_withins;

// All ground to which the shortest path from the ground near `at` is no longer than a distance. Exact as paths are, by
// the same cones; all areas cost the same, and no links are taken. Borrowed from the finder until its next answer.
NAV_MUST_USE nav_status nav_path_within(nav_path_finder *finder, const nav_path_set *set,
                                        const nav_path_within_query *query, nav_path_withins *out);

#ifdef __cplusplus
}
#endif

#endif
