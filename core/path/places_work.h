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

// As path_cross(), over areas that are not excluded. False: both stay as they are.
static inline bool path_cross_open(const nav_path_set *set, uint64_t excluded, uint32_t *tile, uint32_t *corner)
{
    uint32_t to = *tile, at = *corner;
    if (!path_cross(set, &to, &at)) return false;
    const path_tile *t = set->tiles[to];
    if (excluded >> t->area[t->cell[at]] & 1) return false;
    *tile = to;
    *corner = at;
    return true;
}

// For answers by what paths are searched with: the rules under which some ground is excluded.
typedef struct path_fence {
    nav_path_query query;
    nav_path_costs costs;
    path_rules rules; // its `closes`: the set has such ground
} path_fence;

// --- places.c ---
// Borrows from itself: it stays where it is.
NAV_MUST_USE nav_status nav_path_fence_make(const nav_path_set *set, uint64_t excluded, bool (*stop)(void *user),
                                            void *user, path_fence *out);
// All that one can get to within the fence: nav_path_is_flooded(s) tells until the finder is used again.
// NAV_ERR_MEMORY, NAV_ERR_LIMIT: stopped.
NAV_MUST_USE nav_status nav_path_flood_fence(const path_fence *fence, nav_path_finder *f, const nav_path_set *set,
                                             const path_place *start, path_search *s);
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
