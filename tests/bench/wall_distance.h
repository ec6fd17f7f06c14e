// How far the edge of a mesh is from what ends the scene's floor, less the agent's radius. Along every edge with
// nothing behind it, each tenth of a metre, the nearest wall and the nearest drop are looked for among the scene's own
// triangles. The nearer one is what the edge is about, and should be the agent's radius away.
//
//      ////// wall, [floor + climb, floor + height] //////
//            |  d: at its best the radius
//      --x---x---x---x--  edge of the mesh, samples
#ifndef BENCH_WALL_DISTANCE_H
#define BENCH_WALL_DISTANCE_H

#include "navcore/settings.h"
#include "tests/bench/ground.h"
#include "tests/bench/peer.h"

enum { DISTANCE_BINS = 1000 };

// Lengths are weights: a sample stands for its part of the edge.
typedef struct distances {
    double length_m, error_sum, error_max, bias_sum; // the bias counts too near as negative
    double nearest_m;
    double bin_m[DISTANCE_BINS]; // lengths by error, millimetre by millimetre
} distances;

// The least distance of all counts only what ends the floor however one takes the heights: parts of blocks that are
// higher than the climb over every floor that the disc is over, and lower than the agent's head over every one of them,
// by a voxel each; and sure drops. A place without a floor has none.
typedef struct least_distance {
    bool known;
    double m, at[3];
    double too_near_m; // length of the edges that are nearer than the radius less 5 mm
} least_distance;

typedef struct wall_report {
    double edges_m; // of all edges with nothing behind
    distances walls, drops;
    least_distance least;
    double surface_m2, baseless_m2; // of the detail triangles, seen from above; of those without a floor within climb
} wall_report;

// A place on an edge: how far along (0 to 1), and its height.
typedef struct edge_point {
    double along, y;
} edge_point;

// Adds an edge with nothing behind it, from a to b. heights: at least two, from 0 to 1.
void wall_distance_add_edge(ground *g, const nav_settings *settings, const float a[3], const float b[3],
                            const edge_point *heights, int count, wall_report *out);
// Adds all of these Detour tiles. False with one line on stderr for each that cannot be read.
bool wall_distance_add_tiles(ground *g, const nav_settings *settings, const peer_tile *tiles, uint32_t count,
                             wall_report *out);

double distances_mean(const distances *d); // of the error; 0 of nothing
// The error that this share of the length stays under.
double distances_quantile(const distances *d, double share);
// Adds what `more` has, as if it had been one mesh.
void distances_add(distances *d, const distances *more);

#endif
