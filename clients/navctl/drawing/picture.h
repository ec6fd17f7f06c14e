// A navigation mesh seen from above, drawn with cairo: the same code makes PNG and SVG. X points right, Z down, upper
// floors cover lower ones.
#ifndef NAVCTL_PICTURE_H
#define NAVCTL_PICTURE_H

#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/drawing/page.h"

#include <stdbool.h>

// size: pixels of the longer side. The whole file or none; false with one line on stderr.
bool picture_write(const char *path, const draw_mesh *mesh, const char *title, int size);

// Height from 0 to 1: sea green, grass, sand, clay.
colour picture_height_colour(double t);

#endif
