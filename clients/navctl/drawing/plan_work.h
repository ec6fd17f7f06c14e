// What the drawing of a plan and its legend share. Internal.
#ifndef NAVCTL_PLAN_WORK_H
#define NAVCTL_PLAN_WORK_H

#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/plan.h"

// What the columns and contours of all tiles have in them.
typedef struct plan_ranges {
    double low_m, high_m, far_m; // heights of floors, the largest distance to an edge
    double min[2], max[2];       // x z of what is there, metres; min > max where there is nothing
    bool several, no_region;     // columns with several floors, floors without a region
    bool holes, region_lines;    // in the contours
} plan_ranges;

typedef struct plan_sheet {
    const page *page;
    const plan_tiles *tiles;
    const draw_mesh *mesh, *sides; // sides: whose polygons PLAN_SIDES draws
    plan_ranges ranges;
    unsigned parts;
    double widest_m; // clearance at the upper end of the colours
} plan_sheet;

extern const colour PLAN_SIDE_INNER, PLAN_SIDE_LINK, PLAN_SIDE_BORDERS[4]; // by draw_border
extern const colour PLAN_FLOOR, PLAN_CELL_EDGE, PLAN_BORDER, PLAN_NOTCH, PLAN_UNREACHABLE, PLAN_SOLID, PLAN_TAKEN,
    PLAN_NO_REGION, PLAN_HOLE, PLAN_REGION_LINE;

// layer 0: joined layers.
colour plan_layer_colour(uint32_t layer, double lightness);
// Narrow to wide, 0 to 1: red, amber, green, blue.
colour plan_clearance_colour(double t);
// Near to far.
colour plan_distance_colour(double t);
// The path at hand, which is given up.
void plan_hatch(const page *p);
// A notch, at pixels.
void plan_dot(const page *p, double x, double y, double radius);

plan_ranges plan_ranges_of(const plan_tiles *tiles);
// The columns of all tiles, filled; false: no memory. Then what lies over them.
bool plan_ground_draw(const plan_sheet *s);
void plan_ground_draw_tiles(const plan_sheet *s);
void plan_ground_draw_contours(const plan_sheet *s);

// The edges of a polygon of `sides` and its numbers; false: no memory. Then what lies over all of them.
bool plan_sides_draw(const plan_sheet *s, uint32_t polygon);
void plan_sides_draw_rest(const plan_sheet *s);

// Units of height that the legend takes on a page so many units wide; the sheet needs no page for that.
double plan_legend_height(const plan_sheet *s, double width);
void plan_legend_draw(const plan_sheet *s);

#endif
