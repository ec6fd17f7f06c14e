// A plan: what generation made of a scene, part by part, seen from above. Layers are hues, cells shades and lines,
// portals lines in the colour of their clearance, notches dots. Sides are the edges of each polygon within it, by what
// is behind them, with its number and those of its vertices. Spans, distances and regions colour each column, by its
// uppermost floor; contours are the lines before cells are cut.
#ifndef NAVCTL_PLAN_H
#define NAVCTL_PLAN_H

#include "clients/navctl/drawing/plan_tiles.h"

#include <stdbool.h>

enum {
    PLAN_LAYERS = 1,
    PLAN_CELLS = 2,
    PLAN_PORTALS = 4,
    PLAN_NOTCHES = 8,
    PLAN_POLYGONS = 16,
    PLAN_SPANS = 32,
    PLAN_DISTANCE = 64,
    PLAN_REGIONS = 128,
    PLAN_CONTOURS = 256,
    PLAN_SIDES = 512,
    // Sets of them:
    PLAN_COLUMNS = PLAN_SPANS | PLAN_DISTANCE | PLAN_REGIONS, // fill the columns: one of them at most
    PLAN_STAGES = PLAN_COLUMNS | PLAN_CONTOURS,               // need plan_tiles_take_stage()
};
#define PLAN_PART_NAMES "layers, cells, portals, notches, polygons, spans, distance, regions, contours, sides"

// "layers,portals" into bits. False with one sentence in `why`.
bool plan_parse(const char *list, unsigned *parts, char *why, size_t why_bytes);

typedef struct plan_look {
    const plan_tiles *tiles; // that the mesh was joined from; may be NULL where none of PLAN_STAGES is shown
    const draw_mesh *mesh;
    const draw_mesh *sides;   // whose polygons PLAN_SIDES draws; NULL: those of the mesh
    const char *title, *note; // note: stands before the counts below the title, or ""
    unsigned parts;
    int size;                     // pixels of the longer side
    const nav_parallel *parallel; // NULL: the calling thread alone
} plan_look;

// The whole file or none; false with one line on stderr.
bool plan_write(const char *path, const plan_look *look);

#endif
