#include "core/path/landmarks.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES = 8,    // that a row of distances is a multiple of
    FEW_WIDE = 4, // one range of so many has bytes for its sectors, at most about
    MANY_CELLS = 200000,
};

void nav_path_landmarks_destroy(nav_path_landmarks *l)
{
    if (!l) return;
    for (uint32_t k = 0; k < PATH_MARKS; k++) free(l->fine[k]);
    free(l->tile);
    free(l->first);
    free(l->stamp);
    free(l->distance);
    free(l->range);
    free(l->fine_first);
    free(l);
}

uint32_t nav_path_landmarks_count(const nav_path_landmarks *l)
{
    return l->count;
}

static uint32_t lanes_of(uint32_t leaders)
{
    return (leaders + LANES - 1) / LANES * LANES;
}

// How many lead, of so many: few enough that they take less memory with all that follow them than as many as may lead.
static uint32_t leaders_of(uint32_t count)
{
    return count <= PATH_LEADERS ? count : PATH_LEADERS / 2;
}

static size_t bytes_of_tile(uint32_t lanes, uint32_t leaders, uint32_t rows)
{
    return 2 * sizeof(uint32_t) + sizeof(uint64_t) +
           (size_t)rows * (2 * lanes * sizeof(int16_t) + leaders * sizeof(uint32_t));
}

size_t nav_path_landmarks_bytes(const nav_path_landmarks *l)
{
    size_t fine = 0;
    for (uint32_t k = 0; k < PATH_MARKS; k++) fine += l->fine_count[k];
    return sizeof *l + l->tile_count * bytes_of_tile(l->lanes, l->leaders, l->rows) +
           (size_t)l->sector_count * l->lanes * sizeof *l->distance + fine;
}

size_t nav_path_landmarks_need(const nav_path_set *set, uint32_t count)
{
    if (count > PATH_MARKS) count = PATH_MARKS;
    uint32_t leaders = leaders_of(count), rows = leaders ? count / leaders - 1 : 0;
    size_t sectors = 0;
    for (uint32_t i = 0; i < set->tile_count; i++)
        if (set->tiles[i]) sectors += set->tiles[i]->sector_count;
    return sectors * (lanes_of(leaders) * sizeof(uint16_t) + rows * leaders / FEW_WIDE) +
           set->tile_count * bytes_of_tile(lanes_of(leaders), leaders, rows);
}

// --- Sectors ---

static nav_status number_all(nav_path_landmarks *l, const nav_path_set *set)
{
    uint64_t sectors = 0;
    size_t room = (size_t)set->tile_count + 1; // never NULL
    l->tile_count = set->tile_count;
    l->tile = malloc(room * sizeof *l->tile);
    l->first = malloc(room * sizeof *l->first);
    l->stamp = calloc(room, sizeof *l->stamp);
    if (!l->tile || !l->first || !l->stamp) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < set->tile_count; i++) {
        const path_tile *t = set->tiles[i];
        l->tile[i] = t ? i : PATH_NONE;
        l->first[i] = t ? (uint32_t)sectors : PATH_NONE;
        l->stamp[i] = t ? t->stamp : 0;
        sectors += t ? t->sector_count : 0;
    }
    if (!sectors) return NAV_ERR_ARGUMENT;
    if (sectors >= PATH_NONE) return NAV_ERR_MEMORY; // far more than a set can hold
    l->sector_count = (uint32_t)sectors;
    return NAV_OK;
}

// Nothing is known yet.
static nav_status make_room(nav_path_landmarks *l)
{
    l->lanes = lanes_of(l->leaders);
    size_t bytes = (size_t)l->sector_count * l->lanes * sizeof *l->distance;
    size_t ranges = (size_t)l->tile_count * l->rows * 2 * l->lanes;
    size_t followers = (size_t)l->tile_count * path_followers(l);
    l->distance = malloc(bytes);
    l->range = malloc((ranges + 1) * sizeof *l->range); // never NULL
    l->fine_first = malloc((followers + 1) * sizeof *l->fine_first);
    if (!l->distance || !l->range || !l->fine_first) return NAV_ERR_MEMORY;
    memset(l->distance, 0xFF, bytes);
    memset(l->fine_first, 0xFF, followers * sizeof *l->fine_first);
    for (size_t i = 0; i < ranges; i++) l->range[i] = i / l->lanes % 2; // where the leader is
    return NAV_OK;
}

nav_status nav_path_landmarks_create(const nav_path_set *set, uint32_t count, nav_path_landmarks **out)
{
    nav_path_landmarks *l = *out = calloc(1, sizeof *l);
    if (!l) return NAV_ERR_MEMORY;
    if (count > PATH_MARKS) count = PATH_MARKS;
    l->leaders = leaders_of(count);
    l->rows = count ? count / l->leaders - 1 : 0;
    l->unit = 1;
    nav_status s = count ? number_all(l, set) : NAV_ERR_ARGUMENT;
    if (s == NAV_OK) s = nav_path_landmarks_choose(l, set);
    if (s == NAV_OK) s = make_room(l);
    if (s == NAV_OK) return NAV_OK;
    nav_path_landmarks_destroy(l);
    *out = NULL;
    return s;
}

uint32_t nav_path_landmarks_leaders(const nav_path_landmarks *l)
{
    return l->leaders;
}

uint32_t nav_path_landmarks_worth(const nav_path_set *set)
{
    return set->cell_count < MANY_CELLS ? PATH_LEADERS : PATH_MARKS;
}

// A flood enters each cell two or three times.
uint64_t nav_path_landmarks_cost(const nav_path_set *set, uint32_t count)
{
    return 2 * set->cell_count * count;
}

// --- Changes of the set ---

static bool same(const void *a, const void *b, size_t count, size_t size)
{
    return !count || memcmp(a, b, count * size) == 0;
}

bool nav_path_landmarks_still(const nav_path_set *set, uint32_t place, const path_tile *t)
{
    const path_tile *o = set->tiles[place];
    return o->vert_count == t->vert_count && o->cell_count == t->cell_count && o->corner_count == t->corner_count &&
           same(o->spot, t->spot, t->corner_count, sizeof *t->spot) &&
           same(o->twin, t->twin, t->corner_count, sizeof *t->twin) &&
           same(o->sector, t->sector, t->corner_count, sizeof *t->sector) &&
           same(o->vert, t->vert, t->corner_count, sizeof *t->vert) && same(o->y, t->y, t->vert_count, sizeof *t->y) &&
           same(o->first, t->first, t->cell_count, sizeof *t->first);
}

uint32_t nav_path_landmarks_drop(nav_path_set *set, uint32_t place)
{
    nav_path_landmarks *l = set->marks;
    if (!l || place >= l->tile_count) return PATH_NONE;
    uint32_t known = l->tile[place];
    l->tile[place] = PATH_NONE;
    if (!set->is_cut) return known;
    nav_path_set_use_landmarks(set, NULL); // the edges of its neighbours change, too
    return PATH_NONE;
}

static double growth(const path_rect *a, const path_rect *b)
{
    double x = fmax(a->x1, b->x1) - fmin(a->x0, b->x0), z = fmax(a->z1, b->z1) - fmin(a->z0, b->z0);
    return x * z - (a->x1 - a->x0) * (a->z1 - a->z0);
}

// To one that there is, where it grows by less than half of what the new one covers, or there is no more room.
static void add_rect(nav_path_landmarks *l, const path_rect *r)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < l->opened_count; i++)
        if (growth(&l->opened[i], r) < growth(&l->opened[best], r)) best = i;
    path_rect *to = &l->opened[best];
    double room = (r->x1 - r->x0) * (r->z1 - r->z0);
    if (!l->opened_count || (l->opened_count < PATH_MAX_OPENED && growth(to, r) > room * 1.5)) {
        l->opened[l->opened_count++] = *r;
        return;
    }
    *to = (path_rect){fmin(to->x0, r->x0), fmin(to->z0, r->z0), fmax(to->x1, r->x1), fmax(to->z1, r->z1)};
}

void nav_path_landmarks_put(nav_path_set *set, uint32_t place, uint32_t known)
{
    nav_path_landmarks *l = set->marks;
    const path_tile *t = set->tiles[place];
    if (!l) return;
    if (set->is_cut) {
        nav_path_set_use_landmarks(set, NULL);
        return;
    }
    if (place < l->tile_count) l->tile[place] = known;
    if ((known != PATH_NONE && place < l->tile_count) || !t->vert_count) return;
    path_rect r = {t->at[0].x, t->at[0].z, t->at[0].x, t->at[0].z};
    for (uint32_t v = 1; v < t->vert_count; v++) {
        r.x0 = fmin(r.x0, t->at[v].x);
        r.z0 = fmin(r.z0, t->at[v].z);
        r.x1 = fmax(r.x1, t->at[v].x);
        r.z1 = fmax(r.z1, t->at[v].z);
    }
    l->opened_tiles++;
    add_rect(l, &r);
}

void nav_path_set_use_landmarks(nav_path_set *set, nav_path_landmarks *l)
{
    nav_path_landmarks_destroy(set->marks);
    set->marks = l;
    if (!l) return;
    for (uint32_t i = 0; set->marks && (i < set->tile_count || i < l->tile_count); i++) {
        const path_tile *t = i < set->tile_count ? set->tiles[i] : NULL;
        uint64_t before = i < l->tile_count ? l->stamp[i] : 0, now = t ? t->stamp : 0;
        if (before == now) continue;
        if (before) (void)nav_path_landmarks_drop(set, i);
        if (set->marks && now) nav_path_landmarks_put(set, i, PATH_NONE);
    }
}

const nav_path_landmarks *nav_path_set_landmarks(const nav_path_set *set)
{
    return set->marks;
}

nav_path_landmarks *nav_path_set_take_landmarks(nav_path_set *set)
{
    nav_path_landmarks *l = set->marks;
    set->marks = NULL;
    return l;
}

uint64_t nav_path_set_opened(const nav_path_set *set)
{
    return set->marks ? set->marks->opened_tiles : 0;
}
