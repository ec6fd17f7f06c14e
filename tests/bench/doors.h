// Doors of known width, each in a wall between the two halves of a closed room, and a judge: the doors that an agent
// fits through are open, and no others.
//
//      #############
//      #           #      # wall; the room is turned at random, and the door stands anywhere along its wall
//      #   from    #
//      #####   #####      thickness 0.2 to 0.4 m
//      #    to     #
//      #           #
//      #############
#ifndef BENCH_DOORS_H
#define BENCH_DOORS_H

#include "navcore/path.h"
#include "tests/bench/box.h"

#include <stdint.h>

enum { DOOR_BOXES = 7, DOOR_CLASSES = 10, DOOR_WRONG_KEPT = 8 };

static const double DOOR_LEAST_M = 1, DOOR_MOST_M = 2; // the widths; a class is a tenth of the range
static const double DOOR_TOLERANCE_M = 0.04;           // a door that is wider than the agent by less may be closed

typedef struct bench_door {
    double width_m;
    double from[3], to[3]; // on the floor on both sides
} bench_door;

// The rooms stand on a square grid from the origin on. boxes: DOOR_BOXES for each door. The same for the same seed.
void doors_make(uint64_t seed, uint32_t count, bench_box *boxes, bench_door *doors);

typedef struct door_counts {
    uint32_t doors, open;
    uint32_t shut_wrongly; // at least the agent's diameter and the tolerance wide, and closed
    uint32_t open_wrongly; // narrower than the diameter, and open
    uint32_t class_doors[DOOR_CLASSES], class_open[DOOR_CLASSES]; // the first and last also have all others
    uint32_t wrong[DOOR_WRONG_KEPT];                              // of the wrong ones the first
} door_counts;

// Asks for a way between both sides of each door. set: joined. False with one line on stderr where it cannot be asked.
bool doors_judge(const nav_path_set *set, const bench_door *doors, uint32_t count, double radius_m, door_counts *out);

#endif
