// How much farther ground is from a landmark than from the leader that it follows: a range for each tile, and a byte
// for each sector where that is wide.
#include "core/path/landmarks.h"

#include <stdlib.h>

enum { WIDE = 3 }; // units

typedef struct follower {
    nav_path_landmarks *l;
    const nav_path_set *set;
    const double *far; // of each sector
    uint32_t k, number, row, lane;
    double apart; // from its leader, units
} follower;

static int16_t *range_of(const follower *f, uint32_t tile)
{
    return &path_ranges(f->l, tile)[(size_t)f->row * 2 * f->l->lanes + f->lane];
}

static uint32_t *fine_of(const follower *f, uint32_t tile)
{
    return &f->l->fine_first[(size_t)tile * path_followers(f->l) + f->number];
}

static follower follower_of(nav_path_landmarks *l, uint32_t k)
{
    uint32_t number = k - l->leaders;
    return (follower){.l = l, .k = k, .number = number, .row = number / l->leaders, .lane = number % l->leaders};
}

static void unfollow(follower *f)
{
    nav_path_landmarks *l = f->l;
    for (uint32_t i = 0; i < l->tile_count; i++) {
        int16_t *range = range_of(f, i);
        range[0] = 0;
        range[l->lanes] = 1;
        *fine_of(f, i) = PATH_NONE;
    }
    free(l->fine[f->k]);
    l->fine[f->k] = NULL;
    l->fine_count[f->k] = 0;
}

void nav_path_landmarks_unfollow(nav_path_landmarks *l, uint32_t k)
{
    follower f = follower_of(l, k);
    unfollow(&f);
}

static bool has_tile(const follower *f, uint32_t tile)
{
    return f->l->first[tile] != PATH_NONE;
}

// How much farther a sector is, which its leader knows. What the follower did not reach is as far by way of the leader,
// or less.
static void difference(const follower *f, size_t sector, double out[2])
{
    uint16_t known = f->l->distance[sector * f->l->lanes + f->lane];
    bool reached = f->far[sector] < INFINITY;
    out[0] = reached ? f->far[sector] / f->l->unit - known : -f->apart;
    out[1] = reached ? out[0] : f->apart + 1;
}

static bool leader_knows(const follower *f, size_t sector)
{
    return f->l->distance[sector * f->l->lanes + f->lane] != PATH_FAR;
}

// *bytes: that the follower needs so far. False: it is too far from its leader.
static bool find_range(follower *f, uint32_t tile, uint32_t *bytes)
{
    const nav_path_landmarks *l = f->l;
    double low = INFINITY, high = -INFINITY;
    bool all = true;
    int16_t *range = range_of(f, tile);
    for (size_t i = l->first[tile], end = i + f->set->tiles[tile]->sector_count; i < end; i++) {
        double d[2];
        if (!leader_knows(f, i)) continue;
        difference(f, i, d);
        low = fmin(low, d[0]);
        high = fmax(high, d[1]);
        all = all && f->far[i] < INFINITY;
    }
    if (low > high) return true;
    if (low < -PATH_MOST_RANGE || high > PATH_MOST_RANGE) return false;
    range[0] = (int16_t)floor(low);
    range[l->lanes] = (int16_t)ceil(high);
    if (range[l->lanes] - range[0] <= WIDE || !all) return true;
    *fine_of(f, tile) = *bytes;
    *bytes += f->set->tiles[tile]->sector_count;
    return true;
}

static void fill_in(const follower *f, uint32_t tile)
{
    const nav_path_landmarks *l = f->l;
    const int16_t *range = range_of(f, tile);
    int32_t step = path_fine_step(range[0], range[l->lanes]);
    uint8_t *to = &l->fine[f->k][*fine_of(f, tile)];
    for (size_t i = l->first[tile], end = i + f->set->tiles[tile]->sector_count; i < end; i++, to++) {
        double d[2];
        difference(f, i, d);
        *to = leader_knows(f, i) ? (uint8_t)fmin((d[0] - range[0]) / step, UINT8_MAX) : 0;
    }
}

nav_status nav_path_landmarks_follow(nav_path_landmarks *l, uint32_t k, const nav_path_set *set, const double *far)
{
    follower f = follower_of(l, k);
    path_place leader = l->at[f.lane];
    const path_tile *t = set->tiles[leader.tile];
    uint32_t bytes = 0;
    f.set = set;
    f.far = far;
    f.apart = far[l->first[leader.tile] + t->sector[t->first[leader.cell]]] / l->unit;
    unfollow(&f);
    bool near = f.apart < PATH_MOST_RANGE;
    for (uint32_t i = 0; near && i < l->tile_count; i++) near = !has_tile(&f, i) || find_range(&f, i, &bytes);
    l->fine[k] = near ? malloc(bytes + 1) : NULL; // never NULL for want of bytes
    if (!l->fine[k]) {
        unfollow(&f);
        return near ? NAV_ERR_MEMORY : NAV_OK;
    }
    l->fine_count[k] = bytes + 1;
    for (uint32_t i = 0; i < l->tile_count; i++)
        if (has_tile(&f, i) && *fine_of(&f, i) != PATH_NONE) fill_in(&f, i);
    return NAV_OK;
}
