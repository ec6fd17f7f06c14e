// What is known of the distances from a few places. Internal.
//
//   landmarks.c          which places, and what changes of the set mean
//   landmarks_flood.c    the distances
//   ahead.c              what they tell a search
//
// They are kept for each sector of a tile: where two obstacles touch, the vertex has one on each side.
//
// Distances are kept in units of which the farthest is some 65,000: the true distance is at least as many units, and
// less than one more.
#ifndef NAV_PATH_LANDMARKS_H
#define NAV_PATH_LANDMARKS_H

#include "core/path/search_work.h"
#include "navcore/path_landmarks.h"

enum { PATH_FAR = UINT16_MAX };

typedef struct path_rect {
    double x0, z0, x1, z1; // points of the grid
} path_rect;

struct nav_path_landmarks {
    path_place at[PATH_MARKS];
    uint32_t count, lanes; // lanes: distances of a sector
    uint32_t tile_count;
    uint32_t *first;    // of each tile, by its place in the set: its first sector; PATH_NONE: not known
    uint64_t *stamp;    // of the tile when the landmarks were chosen; 0: there was none
    uint16_t *distance; // of each sector: `lanes`, units; PATH_FAR: not known
    uint32_t sector_count;
    double unit; // points of the grid
    // Where ground may have opened since.
    path_rect opened[PATH_MAX_OPENED];
    uint32_t opened_count;
    uint64_t opened_tiles;
};

// The tile is the one that was there when they were chosen, or as good.
static inline const uint16_t *path_distances(const nav_path_landmarks *l, uint32_t tile, uint32_t sector)
{
    return &l->distance[((size_t)l->first[tile] + sector) * l->lanes];
}

static inline double path_to_rect(const path_rect *r, path_spot p)
{
    double x = fmax(fmax(r->x0 - p.x, p.x - r->x1), 0), z = fmax(fmax(r->z0 - p.z, p.z - r->z1), 0);
    return sqrt(x * x + z * z);
}

// --- By the set ---
// Is a tile that comes the same ground as the one at this place? Then what is known of that holds for it.
bool nav_path_landmarks_still(const nav_path_set *set, uint32_t place, const path_tile *t);
// The tile at a place goes; what was known of it is returned.
uint32_t nav_path_landmarks_drop(nav_path_set *set, uint32_t place);
// A tile has come to a place: with what is known of it, or PATH_NONE.
void nav_path_landmarks_put(nav_path_set *set, uint32_t place, uint32_t known);

#endif
