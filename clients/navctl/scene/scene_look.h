// Does a scene look as if its unit or its up axis were misread? Those are the commonest mistakes with scene files. What
// is measured are its size, the heights of its walls, its edges, and which way its open floors face; a scene that may
// well be right is let pass. The thresholds come from levels, terrains and cities in metres, and from the same in
// centimetres, in hundreds of metres and lying on each side.
#ifndef NAVCTL_SCENE_LOOK_H
#define NAVCTL_SCENE_LOOK_H

#include "clients/navctl/output/json.h"
#include "clients/navctl/scene/scene.h"
#include "navcore/settings.h"

typedef struct scene_look {
    float size[3];   // of the bounds
    double faces[6]; // share of the area that faces each of +X +Y +Z -X -Y -Z, within 45 degrees
    // Height of a wall's triangle, were X, Y or Z up, and length of a triangle's longest edge: the median by number and
    // the one by area. 0: there are no walls.
    double wall_m[3], tall_wall_m[3];
    double edge_m, long_edge_m;
    bool has_edges; // enough triangles to speak of a usual edge
} scene_look;

enum { SCENE_DOUBT_BYTES = 320, SCENE_DOUBTS = 2 };

typedef struct scene_doubts {
    int count;
    char text[SCENE_DOUBTS][SCENE_DOUBT_BYTES]; // sentences: what looks wrong and what would mend it
} scene_doubts;

// Looks at a sample of the triangles: milliseconds, whatever the size. False: no memory.
bool scene_look_at(const scene *s, scene_look *out);
// The axis and the unit are doubted each by itself. agent_height_m: of who shall walk there.
void scene_look_doubt(const scene_look *look, const scene_frame *frame, double agent_height_m, scene_doubts *out);

// Both, with the doubts as warnings on stderr.
void scene_look_warn(const scene *s, const nav_settings *agent, scene_doubts *out);
// Says on stderr that none of the scene can be walked on, and what it would take.
void scene_look_say_nothing(const scene *s, const nav_settings *agent);
// The size, unit and axis of a scene as it was understood: a line on stdout, or members of an object that is open.
void scene_look_report(const scene *s, const scene_doubts *doubts, json_writer *json);

// "40 m x 30 m, 3 m high".
void scene_look_size(const float size[3], char *out, size_t bytes);

#endif
