// Random regions of floor, as loops of an outline: crates, stars, lakes with rocks, blobs of columns, walls with jogs.
#ifndef NAV_TESTS_OUTLINE_REGIONS_H
#define NAV_TESTS_OUTLINE_REGIONS_H

#include "core/outline/shapes.h"

enum { MOST_CORNERS = 12000, MOST_LOOPS = 600, COLUMN = 128, RADIUS = 256, REGIONS = 7 };

// The region that was made last.
extern nav_loops region;
extern int region_turns;     // how often its loops wind round a free place
extern uint32_t region_seed; // what begin_region() was called with

void begin_region(uint32_t seed);
uint32_t below(uint32_t n);
double part(void); // of 1

// A loop, corner by corner. One of fewer than 3 corners is forgotten.
void begin_loop(void);
void add(double x, double z);
void end_loop(bool reversed);

int32_t corners(void);

// A box around (x, z), turned, with what an agent of the radius cannot enter around it: each round corner in steps.
void add_crate(double x, double z, double half_x, double half_z, double angle, int32_t steps);

// All loops of a region.
void crates(void);
void jogs(void);
typedef void make_region(void);
extern make_region *const regions[REGIONS];

#endif
