// A floor plan as its file says it: floors, areas, obstacles, stairs and links as rings and lines, seen from above. The
// three formats (plan_geojson.c, plan_wkt.c, plan_svg.c) end here; plan_scene.h makes meshes of it. Any thread.
//
//        +----------------+      Places are x to the right and y up the sheet, heights rise towards the reader. All
//        | floor   .--.   |      lengths are in units of the file until the meshes are made.
//        |        ( ob )  |
//        |  area   '--'   |
//        +----------------+
#ifndef NAVCTL_PLAN_FEATURES_H
#define NAVCTL_PLAN_FEATURES_H

#include "clients/navctl/scene/scene_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum plan_kind { PLAN_FLOOR, PLAN_AREA, PLAN_OBSTACLE, PLAN_STAIRS, PLAN_LINK, PLAN_KIND_COUNT } plan_kind;

// What lies inside of a feature's rings.
typedef enum plan_rule {
    PLAN_POLYGONS, // a ring that is no hole begins a polygon, the holes behind it are its own; the polygons together.
                   // A ring that crosses itself has inside what it goes round, in either sense
    PLAN_NONZERO,  // what the rings together go round
    PLAN_EVEN_ODD, // what an odd number of rings goes round
} plan_rule;

typedef struct plan_place {
    double x, y;
} plan_place;

typedef struct plan_ring {
    uint32_t first, count; // places; the last is not the first again
    bool hole;
    bool line; // not closed
} plan_ring;

typedef struct plan_feature {
    plan_kind kind;
    char *name;                              // NULL: the file gives none
    char where[64];                          // "feature 3", "line 12"
    double height, to_height, width, radius; // NAN: not said
    int area;                                // -1: not said
    bool one_way;
    plan_rule rule;
    uint32_t first_ring, ring_count; // all rings, or all lines
} plan_feature;

typedef struct plan_features {
    plan_feature *features;
    uint32_t count, capacity;
    plan_ring *rings;
    uint32_t ring_count, ring_capacity;
    plan_place *places;
    uint32_t place_count, place_capacity;
    char *why; // where the first thing that is wrong is said
    size_t why_bytes;
} plan_features;

enum {
    PLAN_MOST_FEATURES = 1 << 20,
    PLAN_MOST_PLACES = 1 << 22,
    PLAN_MOST_BYTES = 1 << 26, // of a file
    PLAN_NAME_BYTES = 200,
};

// Each reads a whole file. False, with a sentence that names the feature, the ring and the value.
bool plan_geojson_read(plan_features *p, const scene_file *file);
bool plan_wkt_read(plan_features *p, const scene_file *file);
bool plan_svg_read(plan_features *p, const scene_file *file);

void plan_features_deinit(plan_features *p); // accepts a zeroed one

// --- what readers use ---

// Always false.
__attribute__((format(printf, 2, 3))) bool plan_fail(plan_features *p, const char *format, ...);
// The same with the feature's name and place in front.
__attribute__((format(printf, 3, 4))) bool plan_fail_at(plan_features *p, const plan_feature *f, const char *format,
                                                        ...);
// "floor" and so on; PLAN_KIND_COUNT: none.
plan_kind plan_kind_named(const char *name, size_t length);
const char *plan_kind_name(plan_kind k);

// A new feature, the last of them. NULL: there are too many, or no memory; said.
plan_feature *plan_add_feature(plan_features *p, plan_kind kind);
// Is that the name of a property?
bool plan_is_property(const char *key);
// Sets the property of that name from a text. False: it is no such value; said.
bool plan_set(plan_features *p, plan_feature *f, const char *key, const char *value);
// Begins a ring of the last feature; places follow, then its end. A ring that ends where it began is closed; so is one
// that does not, unless it is a line. Fewer than three different places are no ring, fewer than two no line.
bool plan_begin_ring(plan_features *p, bool hole, bool line);
bool plan_add_place(plan_features *p, double x, double y);
bool plan_end_ring(plan_features *p);
// The height that a file gives with a place: of a floor all must be the same. The first and the last of a link and of
// stairs are where they begin and end.
bool plan_add_height(plan_features *p, double height);
// Once the feature's rings and properties are known: does it have what its kind needs?
bool plan_end_feature(plan_features *p);

#endif
