// What the drawing of a plan and its legend share. Internal.
#ifndef NAVCTL_PLAN_WORK_H
#define NAVCTL_PLAN_WORK_H

#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/plan.h"

typedef struct plan_sheet {
    const page *page;
    const draw_mesh *mesh;
    unsigned parts;
    double widest_m; // clearance at the upper end of the colours
} plan_sheet;

extern const colour PLAN_FLOOR, PLAN_CELL_EDGE, PLAN_BORDER, PLAN_NOTCH, PLAN_UNREACHABLE;

// layer 0: joined layers.
colour plan_layer_colour(uint32_t layer, double lightness);
// Narrow to wide, 0 to 1: red, amber, green, blue.
colour plan_clearance_colour(double t);
// The path at hand, which is given up.
void plan_hatch(const page *p);
// A notch, at pixels.
void plan_dot(const page *p, double x, double y, double radius);

// Units of height that the legend takes on a page so many units wide.
double plan_legend_height(const draw_mesh *mesh, unsigned parts, double width);
void plan_legend_draw(const plan_sheet *s);

#endif
