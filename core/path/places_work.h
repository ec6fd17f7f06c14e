// What the answers of navcore/path_places.h share. Internal.
//
//   locate.c   the ground nearest to a place
//   raycast.c  a straight line
//   wall.c     the nearest wall
//   random.c   places at random
//   within.c   all that is within a distance
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
    uint32_t value; // what the answer keeps of it
} path_seen;

typedef struct path_point {
    double x, z;
} path_point;

// A triangle of a cell that places are drawn from: corner 0 and two in a row from corner `triangle` on.
typedef struct path_share {
    double end; // twice the area up to and with it
    uint32_t tile, cell, triangle;
} path_share;

// The memory of these answers: part of the finder, and there when the first was asked for.
struct path_scratch {
    path_place *near;
    path_queue queue;
    path_at *items;  // that the queue's numbers mean
    path_at *around; // of a vertex
    path_seen *seen;
    path_share *shares;
    uint64_t *order; // places of tiles, sorted
    nav_path_place *points;
    path_point *ring, *cut; // of a polygon, and of what is left of it
    nav_path_within_cell *cells;
    float *outline;
    uint32_t *outline_first;
    uint32_t near_room, item_room, around_room, seen_room, share_room, order_room, point_room, ring_room, cut_room,
        cell_room, outline_room, outline_first_room;
    uint32_t near_count, item_count, around_count, seen_count, share_count, order_count;
    uint32_t stamp;
};

// Is it finite, and near_m 0 at least?
static inline bool path_is_place(const double at[3], double near_m)
{
    return isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]) && isfinite(near_m) && near_m >= 0;
}

// --- places.c ---
// The finder's scratch, for a new answer. NULL: no memory.
path_scratch *nav_path_scratch_begin(nav_path_finder *f);
// An item more for the queue. False: no memory.
bool nav_path_scratch_push(path_scratch *p, double f, path_at item);
// The value of a cell, until the next one is seen. *first: it has not been seen before. NULL: no memory.
uint32_t *nav_path_scratch_see(path_scratch *p, uint32_t tile, uint32_t cell, bool *first);
// x, z: fine.
void nav_path_tell_place(const nav_path_set *set, uint32_t tile, uint32_t cell, double x, double z,
                         nav_path_place *out);
void nav_path_tell_edge(const nav_path_set *set, path_at edge, nav_path_edge *out);

#endif
