// The shortest paths over tiles of navd or Detour, in any direction: a path bends nowhere but at corners of walls.
//
//   nav_path_set         tiles, sewn together where they meet; takes and drops tiles
//   nav_path_finder      the memory of a search: one for each thread, used again and again
//   nav_path_find()      from a place to another
//
// Shortest is the length seen from above. It is exact: vertices are points of a grid of NAV_PATH_FINE points for each
// column, both ends are moved to the nearest one, and every decision is made with integers. The result is a function of
// the tiles, the query and nothing else: the same bytes on every machine, however the tiles came.
//
// Areas may be excluded, or cost more than others, and off-mesh links may be taken: what is least is then the cost, and
// shortest the least cost. Ground that is flagged unreachable is no ground. Where tiles are missing the ground ends.
// Starts no threads, reads no clock.
#ifndef NAVCORE_PATH_H
#define NAVCORE_PATH_H

#include "navcore/detour.h"
#include "navcore/path_costs.h"
#include "navcore/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NAV_PATH_FINE = 1024,           // points of the grid of ends along a column
    NAV_PATH_MAX_COLUMNS = 1 << 20, // from any tile of a set to any other; half of that at least
    NAV_PATH_MAX_WIDER = 128,       // columns by which an agent's radius may be more than the tiles were built for
};
#define NAV_PATH_ARC_M 0.002 // by which the points of an arc may cut it

// Tiles of one agent profile and grid. One thread changes it; between nav_path_set_join() and the next change any
// number of threads may search it.
typedef struct nav_path_set nav_path_set;

NAV_MUST_USE nav_status nav_path_set_create(nav_path_set **out);
void nav_path_set_destroy(nav_path_set *set); // accepts NULL

// Takes a tile in navd's encoding, in place of the one that was there. Nothing of the bytes is kept. Errors of
// nav_tile_open(); NAV_ERR_ARGUMENT: it is of another grid or agent than those in the set, or of another sheet than up
// (navcore/climb.h has those); NAV_ERR_LIMIT: it is too far from them; NAV_ERR_MEMORY. With a sentence in why, and the
// set is as it was.
NAV_MUST_USE nav_status nav_path_set_put(nav_path_set *set, const uint8_t *tile, size_t bytes, char *why,
                                         size_t why_bytes);
// Takes a polygon mesh in the text format of the literature on any-angle paths ("mesh 2"), as the only tile of an empty
// set. Its y is z, its units are metres, all heights are 0; vertices are moved by less than 1e-4. Errors tell the line
// and the value: NAV_ERR_FORMAT, _TRUNCATED, _VERSION; NAV_ERR_LIMIT: it is more than 131,071 wide. NAV_ERR_ARGUMENT:
// the set is not empty. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_set_put_mesh(nav_path_set *set, const char *text, size_t bytes, char *why,
                                              size_t why_bytes);
// Takes a tile of Detour (the data and dataSize of a dtMeshTile, linked or not), in place of the one at its x, z and
// layer. params: of the dtNavMesh, as dtNavMesh::getParams() has them; NULL: all tiles are layers at one place. Edges
// on borders are open where Detour would link them. Polygons with the flags 0 are no ground, as to a dtQueryFilter.
// Vertices are moved to the fine grid, whose columns are the tile's 1 / bvQuantFactor (without: a 1024th of its width).
// NAV_ERR_ARGUMENT, NAV_ERR_LIMIT, NAV_ERR_MEMORY as above; NAV_ERR_FORMAT, _TRUNCATED, _VERSION: Detour could not take
// it either.
NAV_MUST_USE nav_status nav_path_set_put_detour(nav_path_set *set, const nav_detour_params *params, const uint8_t *tile,
                                                size_t bytes, char *why, size_t why_bytes);
// How many polygons of Detour's tiles are left out after joining, because they cross themselves or have no area.
uint32_t nav_path_set_left_out(const nav_path_set *set);
// There is no such tile any more, in any layer. Nothing happens where there is none.
void nav_path_set_drop(nav_path_set *set, int32_t tile_x, int32_t tile_z);
void nav_path_set_drop_layer(nav_path_set *set, int32_t tile_x, int32_t tile_z, int32_t layer);
// To be called after changes, before the next search. NAV_ERR_MEMORY: call it again. NAV_ERR_LIMIT: so many edges of
// Detour's tiles lie on one border above each other that no generator made them.
NAV_MUST_USE nav_status nav_path_set_join(nav_path_set *set);

// A number for what a tile connects: the edges on its open borders, their heights, and which of them are connected
// within it. While it stays the same when a tile is changed, what is connected outside of that tile stays so, too (by
// ground, not by links). 0: there is no such tile, or it has no such edge. navd's tiles need not be joined.
uint64_t nav_path_set_outline(const nav_path_set *set, int32_t tile_x, int32_t tile_z);

uint32_t nav_path_set_tiles(const nav_path_set *set);
size_t nav_path_set_bytes(const nav_path_set *set); // of memory

typedef struct nav_path_query {
    double from[3], to[3]; // metres, x y z
    double near_m; // how far an end may be from ground: seen from above, and that and the agent's height up or down
    uint32_t max_nodes; // of the search, about 100 bytes each; 0: 2^32 - 2
    // NULL: a metre costs 1, and no area is excluded. Excluded ground is a wall.
    const nav_path_costs *costs;
    // Where areas cost differently: how much more than lower_bound a path may cost, as a share of its cost. 0: 0.01.
    // Smaller ones take longer. With max_nodes used up, or 131072 by the search for the bound, or once stop() says so,
    // the best path so far is the answer, with its bound, whatever the gap; nav_path.limit tells.
    double gap;
    // Off-mesh links are taken where that is shorter. A link costs its length in space, at the cost of its area. It is
    // taken where both of its ends are on ground: within its radius seen from above, and the agent's climb up or down.
    bool links;
    // Of the agent, where it is wider than the tiles were built for: it keeps away from walls by as much as it is
    // wider, and goes around corners in arcs. Less, and 0, mean as they were built. Excluded areas are walls to it. Of
    // links it takes those whose radius is no less, and where it fits at both ends. With costs of ground that differ:
    // NAV_ERR_ARGUMENT. Wider by more than NAV_PATH_MAX_WIDER: NAV_ERR_LIMIT.
    double radius_m;
    // Called now and then: true gives the search up, at the latest before the next 256 nodes. May be NULL.
    bool (*stop)(void *user);
    void *user;
} nav_path_query;

typedef enum nav_path_status {
    NAV_PATH_FOUND,
    NAV_PATH_PARTIAL,  // no way leads to the goal: it ends on the ground nearest to it that one can get to
    NAV_PATH_NO_START, // no ground near enough
    NAV_PATH_NO_GOAL,
    NAV_PATH_LIMIT, // given up before there was a path; nav_path.limit tells why
} nav_path_status;

// What a search was ended by before it was through.
typedef enum nav_path_limit {
    NAV_PATH_NO_LIMIT,
    NAV_PATH_OUT_OF_NODES,
    NAV_PATH_STOPPED, // stop() said so
} nav_path_limit;

// A cell of a tile, as nav_tile_get_cell() counts them.
typedef struct nav_path_cell {
    int32_t tile_x, tile_z;
    int32_t layer; // of Detour's tiles, several of which may be at one place; navd's: 0
    uint32_t cell; // of Detour's: the polygon
} nav_path_cell;

// An off-mesh link that a path takes.
typedef struct nav_path_jump {
    uint32_t point; // where the path leaves the ground; the next one is where it comes down
    uint32_t link;  // nav_link.id
    uint8_t area;
    bool back; // from the link's end to its start
} nav_path_jump;

typedef struct nav_path {
    nav_path_status status;
    double length_m;  // seen from above, links included
    double surface_m; // along the ground: with the heights of every edge that is crossed; links in space
    // A metre seen from above at the cost of its area, and links. No path costs less than lower_bound, and where that
    // is proved to be the cost itself the path is optimal.
    double cost, lower_bound;
    bool optimal;
    // Of NAV_PATH_LIMIT; of a path: why its bound is further away than the gap. A gap below about 1e-3 may be missed
    // without a limit, as edges between areas are cut no finer than a few points of the grid.
    nav_path_limit limit;
    // x y z of the start, each corner where it turns, and the end. Borrowed from the finder until its next search.
    const float *points;
    uint32_t point_count; // at least 2, or 0: no path
    // The cells that it passes, in order, the same one never twice in a row. Those after one another share an edge, or
    // the corner at which the path turns. Borrowed like the points.
    const nav_path_cell *cells;
    uint32_t cell_count;
    const nav_path_jump *jumps; // in order; borrowed like the points
    uint32_t jump_count;
    uint64_t nodes; // that the search made: what the work is measured in
} nav_path;

typedef struct nav_path_finder nav_path_finder;

NAV_MUST_USE nav_status nav_path_finder_create(nav_path_finder **out);
void nav_path_finder_destroy(nav_path_finder *finder);       // accepts NULL
size_t nav_path_finder_bytes(const nav_path_finder *finder); // of memory

// The set has been joined since its last change. Takes memory only where no search before needed as much.
// NAV_ERR_ARGUMENT: a number of the query is not finite, or a cost is out of range. NAV_ERR_FORMAT: the tiles
// contradict themselves, as no generator makes them. NAV_ERR_LIMIT: radius_m. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_find(nav_path_finder *finder, const nav_path_set *set, const nav_path_query *query,
                                      nav_path *out);

#ifdef __cplusplus
}
#endif

#endif
