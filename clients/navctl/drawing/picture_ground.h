// The ground of a picture: polygons by height and slope with their edges, upper ones over lower ones. What is closer
// than some pixels fades or is left out: heights within a small polygon, edges between small cells, borders of small
// tiles.
#ifndef NAVCTL_PICTURE_GROUND_H
#define NAVCTL_PICTURE_GROUND_H

#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/drawing/page.h"
#include "navcore/areas.h"
#include "navcore/parallel.h"

typedef struct picture_ground {
    const draw_mesh *mesh;
    const nav_area_table *areas;  // their colours; NULL: none
    double colours[2];            // heights that the colours span, metres
    double slice[2];              // heights that are shown; polygons beyond it are a pale shadow
    const nav_parallel *parallel; // NULL: the calling thread alone
} picture_ground;

// What lies at other heights than those shown.
extern const colour PICTURE_SHADOW;

// Height from 0 to 1: sea green, grass, sand, clay.
colour picture_height_colour(double t);

// False: no memory.
bool picture_ground_paint(const page *p, const picture_ground *g);
// Are there tile borders on such a page, or are they too close to each other?
bool picture_ground_has_borders(const page *p, const draw_mesh *m);

#endif
