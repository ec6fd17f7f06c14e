// A plan: what generation made of a scene, part by part, seen from above. Layers are hues, cells shades and outlines,
// portals lines in the colour of their clearance, notches dots.
#ifndef NAVCTL_PLAN_H
#define NAVCTL_PLAN_H

#include "clients/navctl/drawing/draw_mesh.h"

#include <stdbool.h>

enum {
    PLAN_LAYERS = 1,
    PLAN_CELLS = 2,
    PLAN_PORTALS = 4,
    PLAN_NOTCHES = 8,
    PLAN_POLYGONS = 16,
};

// "layers,portals" into bits. False with the unknown word in `wrong`, which has room for 32 bytes.
bool plan_parse(const char *list, unsigned *parts, char *wrong);

// note: stands before the counts below the title, or "". size: pixels of the longer side. The whole file or none; false
// with one line on stderr.
bool plan_write(const char *path, const draw_mesh *mesh, const char *title, const char *note, unsigned parts, int size);

#endif
