// The points of a path, as few as tell where it goes. Internal to climb.
#ifndef NAV_CLIMB_POINTS_H
#define NAV_CLIMB_POINTS_H

#include "core/climb/climb_work.h"

typedef struct climb_points {
    nav_climb_point *item; // owned
    uint32_t count, room;
} climb_points;

// The path comes to a place and goes on over a triangle, or over a strip. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_climb_add_point(climb_points *l, vec at, const climb_patch *p, uint32_t triangle,
                                            bool strip);
// No more will come: there are two at least.
NAV_MUST_USE nav_status nav_climb_end_points(climb_points *l);

#endif
