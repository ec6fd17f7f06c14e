// Looks for the sleeve of a short way. Internal to climb.
#ifndef NAV_CLIMB_SEARCH_H
#define NAV_CLIMB_SEARCH_H

#include "core/climb/points.h"
#include "core/climb/sleeve.h"
#include "core/path/path_queue.h"

// What is seen from the last bend of a way through a gate; places in the gate's plane, see flat.
typedef struct climb_sight {
    flat source, right, left; // the bend, and the corners that bound what it sees
    double cost;              // up to the source
} climb_sight;

// A way to one of the places of a gate.
typedef struct climb_label {
    climb_sight sight;
    double cost; // up to the place
    float right[3], left[3];
    const climb_patch *patch;  // behind the gate
    uint32_t triangle, portal; // portal: of the triangle before
    uint32_t before, node;
    uint16_t place, places; // of those of the gate
    bool done;
} climb_label;

struct nav_climb_finder {
    path_queue queue;
    climb_label *label;
    uint32_t label_count, label_room;
    uint32_t *first_label; // of each node of the set, 1 more; 0: none. All 0 between searches
    uint32_t node_room;
    climb_sleeve sleeve, scratch, piece;
    climb_points points;
};

typedef struct climb_task {
    const nav_climb_set *set;
    climb_spot from, to;
    climb_rates rates;
    uint32_t max_nodes;
    bool (*stop)(void *user);
    void *user;
} climb_task;

typedef enum climb_outcome { CLIMB_FOUND, CLIMB_NO_WAY, CLIMB_GIVEN_UP } climb_outcome;

// --- search.c ---
// FOUND: the finder's sleeve, not pulled. NO_WAY: *nearest is the place nearest to the goal that one can get to.
NAV_MUST_USE nav_status nav_climb_search(nav_climb_finder *f, const climb_task *t, climb_outcome *outcome,
                                         climb_spot *nearest);

// --- sight.c ---
// Aims at a place beyond a gate of a width: what is not seen is seen from the corner that hides it.
void nav_climb_aim(climb_sight *s, double width, flat at, double rate);
// What is seen through the next gate, which is seen or aimed at.
void nav_climb_narrow(climb_sight *s, flat right, flat left, double rate);
// From the plane of a gate into that of the next one.
void nav_climb_turn(climb_sight *s, flat right, flat left);

#endif
