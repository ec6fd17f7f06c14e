// The shortest paths over tiles of all sheets: floors, walls and ceilings, for an agent that stands on any of them.
//
//   nav_climb_set        tiles of any sheets, joined where the surface goes on; takes and drops tiles
//   nav_climb_seam       where one sheet's cell meets another's: the table that goes beside one navmesh for each sheet
//   nav_climb_nearest()  the place of the surface that is nearest to a place
//   nav_climb_finder     the memory of a search: one for each thread, used again and again
//   nav_climb_find()     from a place to another
//
// The surface is the height triangles of the cells. Tiles of one sheet are joined along their borders; sheets are
// joined where an edge of theirs is the same line (the surface goes on, or the agent goes over a rim), and where floor
// meets wall at an inner edge, from whose corner both keep the agent's radius: there a flat strip leads from one edge
// to the other. A path is the shortest of those that pass the same triangles in the same order, and cannot be made
// shorter by passing any corner on its other side. Length is that over the surface.
//
// The answer is a function of the tiles and the query, however the tiles came. Starts no threads, reads no clock.
#ifndef NAVCORE_CLIMB_H
#define NAVCORE_CLIMB_H

#include "navcore/path_costs.h"
#include "navcore/sheets.h"
#include "navcore/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NAV_CLIMB_INNER_DEG 120.0 // the turn of an inner seam at most, where nothing else is said

// Tiles of one agent profile. One thread changes it; between nav_climb_set_join() and the next change any number of
// threads may ask it.
typedef struct nav_climb_set nav_climb_set;

// inner_deg: the most that an inner seam turns, above 0 and below 180. NAV_ERR_ARGUMENT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_climb_set_create(double inner_deg, nav_climb_set **out);
void nav_climb_set_destroy(nav_climb_set *set); // accepts NULL

// Takes a tile in navd's encoding, in place of the one of its sheet, x and z. Nothing of the bytes is kept. What it
// costs depends on the tile and on those that it touches. Errors of nav_tile_open(); NAV_ERR_ARGUMENT: it is of another
// grid or agent than those in the set; NAV_ERR_MEMORY. With a sentence in why, and the set is as it was.
NAV_MUST_USE nav_status nav_climb_set_put(nav_climb_set *set, const uint8_t *tile, size_t bytes, char *why,
                                          size_t why_bytes);
// There is no such tile any more. Nothing happens where there is none.
void nav_climb_set_drop(nav_climb_set *set, nav_sheet sheet, int32_t tile_x, int32_t tile_z);
// To be called after changes, before the next question. NAV_ERR_MEMORY: call it again.
NAV_MUST_USE nav_status nav_climb_set_join(nav_climb_set *set);

uint32_t nav_climb_set_tiles(const nav_climb_set *set);
uint64_t nav_climb_set_triangles(const nav_climb_set *set);
size_t nav_climb_set_bytes(const nav_climb_set *set);   // of memory; joins are counted when they are joined
uint32_t nav_climb_set_parts(const nav_climb_set *set); // that nothing joins to each other

typedef struct nav_climb_side {
    nav_sheet sheet;
    int32_t tile_x, tile_z;
    uint32_t cell;
    float from[3], to[3]; // world, metres, in the order of the cell's corners
} nav_climb_side;

// A portal between a cell of one sheet and a cell of another.
typedef struct nav_climb_seam {
    nav_climb_side sides[2]; // the lower sheet first. from of one is opposite to to of the other
    double turn_deg; // between the normals: positive at an inner edge, negative at a rim, about 0 where it is smooth
    double length_m;
    bool strip; // an inner seam: the segments are apart, and what lies between is crossed
} nav_climb_seam;

uint32_t nav_climb_set_seams(const nav_climb_set *set);
// By sheet, tile and place along the border of the first side. Heap block of nav_climb_set_seams() items, free() it.
NAV_MUST_USE nav_status nav_climb_set_list_seams(const nav_climb_set *set, nav_climb_seam **out);

// A place on the surface.
typedef struct nav_climb_place {
    double at[3], normal[3]; // world
    nav_sheet sheet;
    int32_t tile_x, tile_z;
    uint32_t cell;
    uint8_t area;
    uint32_t part; // places with the same number are connected; numbers hold until the set is changed
} nav_climb_place;

typedef struct nav_climb_near {
    double at[3];
    double near_m;     // how far the surface may be
    uint32_t sheets;   // NAV_SHEETS_*; 0: all
    double normal[3];  // surface that looks elsewhere, by more than 60 degrees, does not count; 0, 0, 0: any
    uint64_t excluded; // areas that do not count
} nav_climb_near;

// NAV_ERR_NOT_FOUND: there is none near enough. NAV_ERR_ARGUMENT: a number is not finite.
NAV_MUST_USE nav_status nav_climb_nearest(const nav_climb_set *set, const nav_climb_near *query, nav_climb_place *out);

typedef struct nav_climb_query {
    nav_climb_near from, to;     // their `excluded` does not count
    const nav_path_costs *costs; // NULL: a metre costs 1, and no area is excluded. Excluded surface is a wall
    uint32_t max_nodes;          // of the search, about 160 bytes each; 0: no limit
    bool (*stop)(void *user);    // called now and then: true gives the search up. May be NULL
    void *user;
} nav_climb_query;

typedef enum nav_climb_status {
    NAV_CLIMB_FOUND,
    NAV_CLIMB_PARTIAL,  // no way leads to the goal: it ends at the place nearest to it that one can get to
    NAV_CLIMB_NO_START, // no surface near enough
    NAV_CLIMB_NO_GOAL,
    NAV_CLIMB_LIMIT, // given up before there was a path
} nav_climb_status;

typedef struct nav_climb_point {
    double at[3];
    // Of the surface that the path goes on over, at the last point of that it came over.
    float normal[3];
    uint8_t sheet, area;
    bool strip; // up to the next point it crosses the strip of an inner seam; normal, sheet, area: of before
} nav_climb_point;

typedef struct nav_climb_path {
    nav_climb_status status;
    double length_m; // over the surface
    double cost;     // metres at the cost of their area
    // The start, each place where the path comes onto another plane, turns, or comes to another sheet or area, and the
    // end. Between two points it is straight, on the surface. Borrowed from the finder until its next search.
    const nav_climb_point *points;
    uint32_t point_count;     // at least 2, or 0: no path
    nav_climb_place from, to; // on the surface, where status is neither NO_START nor NO_GOAL
    uint64_t nodes;           // that the search made: what the work is measured in
} nav_climb_path;

typedef struct nav_climb_finder nav_climb_finder;

NAV_MUST_USE nav_status nav_climb_finder_create(nav_climb_finder **out);
void nav_climb_finder_destroy(nav_climb_finder *finder); // accepts NULL

// The set has been joined since its last change. NAV_ERR_ARGUMENT: a number of the query is not finite, or a cost is
// out of range. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_climb_find(nav_climb_finder *finder, const nav_climb_set *set, const nav_climb_query *query,
                                       nav_climb_path *out);

typedef struct nav_climb_walk_query {
    nav_climb_near from;
    double direction[3]; // as far as it lies in the surface where the walk begins
    double length_m;
    uint64_t excluded; // areas that are walls
} nav_climb_walk_query;

typedef struct nav_climb_walked {
    nav_climb_status status; // FOUND, or NO_START
    bool blocked;            // by a wall, or by a strip's end, before all of the length
    double length_m;
    const nav_climb_point *points; // as those of a path
    uint32_t point_count;
    nav_climb_place end;
    double direction[3]; // there, in the surface
} nav_climb_walked;

// Straight on over the surface, around its bends and over seams, until a wall: what a mover does in one step, or a ray.
// The strip of an inner seam is crossed whole or not at all. NAV_ERR_ARGUMENT: a number is not finite, or the direction
// is that of the normal. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_climb_walk(nav_climb_finder *finder, const nav_climb_set *set,
                                       const nav_climb_walk_query *query, nav_climb_walked *out);

// What random pairs of places tell about a set: how far one has to go, and whether the answers hold.
typedef struct nav_climb_audit {
    uint32_t pairs, found, unreachable; // unreachable: of another part
    // Answers that contradict the parts, that are shorter than the straight line, or that could not be had. Each is a
    // defect.
    uint32_t wrong_part, too_short, limited;
    double length_m, straight_m;       // of the found ones
    double mean_ratio, worst_ratio;    // length over straight line
    double off_surface_m, off_plane_m; // at most: of points and of middles of steps; of a step's end
} nav_climb_audit;

// Places are uniform by area; pairs are the same for a seed and a set. stop may be NULL: true ends it, with the pairs
// so far. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_climb_audit_run(nav_climb_finder *finder, const nav_climb_set *set, uint64_t seed,
                                            uint32_t pairs, bool (*stop)(void *user), void *user, nav_climb_audit *out);

#ifdef __cplusplus
}
#endif

#endif
