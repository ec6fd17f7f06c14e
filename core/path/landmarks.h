// What is known of the distances from a few places. Internal.
//
//   landmarks_choose.c   which places
//   landmarks.c          what changes of the set mean
//   landmarks_flood.c    the distances
//   landmarks_follow.c   those from followers
//   ahead.c              what they tell a search
//
// The first few landmarks are leaders. Their distances are kept for each sector of a tile: where two obstacles touch,
// the vertex has one on each side. They are in units of which the farthest is some 65,000: the true distance is at
// least as many units, and less than one more.
//
// The others follow, a row of them behind the leaders, each the leader that is near it. Seen from far away the shortest
// ways to both are the same but for their ends, so all of a tile is farther from the one than from the other by the
// same length, and one number will do for a tile. It is kept as a range: from the least to the most, in units. Where
// that is wide, there is a byte for each sector, which tells more of a goal.
//
#ifndef NAV_PATH_LANDMARKS_H
#define NAV_PATH_LANDMARKS_H

#include "core/path/search_work.h"
#include "navcore/path_landmarks.h"

enum { PATH_FAR = UINT16_MAX, PATH_MOST_RANGE = 16000 }; // units

typedef struct path_rect {
    double x0, z0, x1, z1; // points of the grid
} path_rect;

struct nav_path_landmarks {
    path_place at[PATH_MARKS];
    uint32_t count, leaders;
    uint32_t rows;  // of followers. Landmark k of row r, from 1, follows leader k - r * leaders
    uint32_t lanes; // distances of a sector, or ranges of a row
    uint32_t tile_count;
    uint32_t *tile;     // at each place of the set: the tile that was there when they were chosen; PATH_NONE: another
    uint32_t *first;    // of each tile, as they were numbered then: its first sector; PATH_NONE: there was none
    uint64_t *stamp;    // of the same; 0: there was none
    uint16_t *distance; // of each sector: `lanes`, units; PATH_FAR: not known
    uint32_t sector_count;
    double unit;               // points of the grid
    int16_t *range;            // of each tile, of each row: `lanes` least ones, then as many that are the most
    uint32_t *fine_first;      // of each tile, of each follower: where its bytes begin; PATH_NONE: there are none
    uint8_t *fine[PATH_MARKS]; // of each follower
    uint32_t fine_count[PATH_MARKS];
    // Where ground may have opened since.
    path_rect opened[PATH_MAX_OPENED];
    uint32_t opened_count;
    uint64_t opened_tiles;
};

// What is known of the tile at a place holds.
static inline bool path_is_known(const nav_path_landmarks *l, uint32_t place)
{
    return place < l->tile_count && l->tile[place] != PATH_NONE;
}

static inline const uint16_t *path_distances(const nav_path_landmarks *l, uint32_t tile, uint32_t sector)
{
    return &l->distance[((size_t)l->first[tile] + sector) * l->lanes];
}

static inline int16_t *path_ranges(const nav_path_landmarks *l, uint32_t tile)
{
    return &l->range[(size_t)tile * l->rows * 2 * l->lanes];
}

static inline uint32_t path_followers(const nav_path_landmarks *l)
{
    return l->rows * l->leaders;
}

// What a byte of a range stands for.
static inline int32_t path_fine_step(int32_t low, int32_t high)
{
    return high - low < 256 ? 1 : (high - low + 255) / 256;
}

static inline double path_to_rect(const path_rect *r, path_spot p)
{
    double x = fmax(fmax(r->x0 - p.x, p.x - r->x1), 0), z = fmax(fmax(r->z0 - p.z, p.z - r->z1), 0);
    return sqrt(x * x + z * z);
}

// --- landmarks_choose.c ---
// So many leaders, or fewer where there is not the ground for it, and the rows that follow them. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_landmarks_choose(nav_path_landmarks *l, const nav_path_set *set);

// --- landmarks_follow.c ---
// A follower counts for nothing: as if it were where its leader is.
void nav_path_landmarks_unfollow(nav_path_landmarks *l, uint32_t k);
// far: of each sector from landmark k; INFINITY: not reached. NAV_ERR_MEMORY: it counts for nothing.
NAV_MUST_USE nav_status nav_path_landmarks_follow(nav_path_landmarks *l, uint32_t k, const nav_path_set *set,
                                                  const double *far);

// --- By the set ---
// Is a tile that comes the same ground as the one at this place? Then what is known of that holds for it.
bool nav_path_landmarks_still(const nav_path_set *set, uint32_t place, const path_tile *t);
// The tile at a place goes; what was known of it is returned.
uint32_t nav_path_landmarks_drop(nav_path_set *set, uint32_t place);
// A tile has come to a place: with what is known of it, or PATH_NONE.
void nav_path_landmarks_put(nav_path_set *set, uint32_t place, uint32_t known);

#endif
