// The colours of areas in a picture: those of the table of areas, else some of its own, so that areas differ.
#ifndef NAVCTL_AREA_COLOURS_H
#define NAVCTL_AREA_COLOURS_H

#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/drawing/page.h"
#include "navcore/areas.h"

// table: NULL for none, as everywhere here. The colour of ground that has this colour by its height.
colour area_colours_ground(const nav_area_table *table, uint8_t area, colour by_height);

// Has the mesh ground of an area that the legend has to name?
bool area_colours_have_keys(const nav_area_table *table, const draw_mesh *mesh);
// The row of these keys: each a patch and the area's name. y: pixels, the middle of the row.
void area_colours_draw_keys(const page *p, const nav_area_table *table, const draw_mesh *mesh, double y);

#endif
