// What the answers of navcore/path_places.h share. Internal.
//
//   locate.c   the ground nearest to a place
//   raycast.c  a straight line
//   wall.c     the nearest wall
#ifndef NAV_PATH_PLACES_WORK_H
#define NAV_PATH_PLACES_WORK_H

#include "core/path/search_work.h"
#include "navcore/path_places.h"

// An edge of a cell, or the corner where it begins.
typedef struct path_at {
    uint32_t tile, corner;
} path_at;

// Cells that have been seen, by open addressing: those with the stamp of this answer.
typedef struct path_seen {
    uint64_t cell;
    uint32_t stamp;
} path_seen;

struct nav_path_places {
    path_place *near;
    path_queue queue;
    path_at *items;  // that the queue's numbers mean
    path_at *around; // of a vertex
    path_seen *seen;
    uint32_t near_room, item_room, around_room, seen_room;
    uint32_t near_count, item_count, around_count, seen_count;
    uint32_t stamp;
};

// Is it finite, and near_m 0 at least?
static inline bool path_is_place(const double at[3], double near_m)
{
    return isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]) && isfinite(near_m) && near_m >= 0;
}

// --- places.c ---
void nav_path_places_begin(nav_path_places *p);
// An item more for the queue. False: no memory.
bool nav_path_places_push(nav_path_places *p, double f, path_at item);
// *first: it has not been seen before, and is now. False: no memory.
bool nav_path_places_see(nav_path_places *p, uint32_t tile, uint32_t cell, bool *first);
// x, z: fine.
void nav_path_tell_place(const nav_path_set *set, uint32_t tile, uint32_t cell, double x, double z,
                         nav_path_place *out);
void nav_path_tell_edge(const nav_path_set *set, path_at edge, nav_path_edge *out);

#endif
