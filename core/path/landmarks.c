#include "core/path/landmarks.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 8 }; // that a row of distances is a multiple of
static const double TURN = 6.283185307179586;

void nav_path_landmarks_destroy(nav_path_landmarks *l)
{
    if (!l) return;
    free(l->first);
    free(l->stamp);
    free(l->distance);
    free(l);
}

uint32_t nav_path_landmarks_count(const nav_path_landmarks *l)
{
    return l->count;
}

size_t nav_path_landmarks_bytes(const nav_path_landmarks *l)
{
    return sizeof *l + (size_t)l->tile_count * (sizeof *l->first + sizeof *l->stamp) +
           (size_t)l->sector_count * l->lanes * sizeof *l->distance;
}

static uint32_t lanes_of(uint32_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

size_t nav_path_landmarks_need(const nav_path_set *set, uint32_t count)
{
    size_t sectors = 0;
    for (uint32_t i = 0; i < set->tile_count; i++)
        if (set->tiles[i]) sectors += set->tiles[i]->sector_count;
    return sectors * lanes_of(count < PATH_MARKS ? count : PATH_MARKS) * sizeof(uint16_t);
}

// --- Sectors ---

static nav_status number_all(nav_path_landmarks *l, const nav_path_set *set)
{
    l->tile_count = set->tile_count;
    l->first = malloc((l->tile_count + 1) * sizeof *l->first);
    l->stamp = calloc((size_t)l->tile_count + 1, sizeof *l->stamp);
    if (!l->first || !l->stamp) return NAV_ERR_MEMORY;
    uint64_t sectors = 0;
    for (uint32_t i = 0; i < set->tile_count; i++) {
        const path_tile *t = set->tiles[i];
        l->first[i] = t ? (uint32_t)sectors : PATH_NONE;
        l->stamp[i] = t ? t->stamp : 0;
        sectors += t ? t->sector_count : 0;
    }
    if (!sectors) return NAV_ERR_ARGUMENT;
    if (sectors >= PATH_NONE) return NAV_ERR_MEMORY; // far more than a set can hold
    l->sector_count = (uint32_t)sectors;
    size_t bytes = (size_t)l->sector_count * l->lanes * sizeof *l->distance;
    l->distance = malloc(bytes);
    if (!l->distance) return NAV_ERR_MEMORY;
    memset(l->distance, 0xFF, bytes);
    return NAV_OK;
}

// --- Places ---

// Ground that hangs together, by its label.
typedef struct mainland {
    uint32_t cells;
    double x, z; // of its middle
} mainland;

static path_spot spot_of(const path_tile *t, uint32_t cell)
{
    return path_corner(t, t->first[cell]);
}

// The mainlands of a set, by label; to be freed. NULL: no memory.
static mainland *survey(const nav_path_set *set, uint32_t *count, uint32_t *cells)
{
    *count = *cells = 0;
    for (uint32_t i = 0; i < set->tile_count; i++)
        for (uint32_t c = 0; set->tiles[i] && c < set->tiles[i]->cell_count; c++) {
            uint32_t label = path_label(set, i, c);
            if (label >= *count) *count = label + 1;
        }
    mainland *lands = calloc((size_t)*count + 1, sizeof *lands);
    for (uint32_t i = 0; lands && i < set->tile_count; i++)
        for (uint32_t c = 0; set->tiles[i] && c < set->tiles[i]->cell_count; c++) {
            path_spot s = spot_of(set->tiles[i], c);
            mainland *land = &lands[path_label(set, i, c)];
            land->cells++;
            (*cells)++;
            land->x += (s.x - land->x) / land->cells;
            land->z += (s.z - land->z) / land->cells;
        }
    return lands;
}

// In each of `sectors` directions from the middle, the place that is farthest.
static void choose_around(nav_path_landmarks *l, const nav_path_set *set, uint32_t label, const mainland *land,
                          uint32_t sectors)
{
    path_place at[PATH_MARKS];
    double far[PATH_MARKS];
    for (uint32_t k = 0; k < sectors; k++) far[k] = -1;
    for (uint32_t i = 0; i < set->tile_count; i++) {
        const path_tile *t = set->tiles[i];
        for (uint32_t c = 0; t && c < t->cell_count; c++) {
            if (path_label(set, i, c) != label) continue;
            path_spot s = spot_of(t, c);
            double x = s.x - land->x, z = s.z - land->z, d = x * x + z * z;
            uint32_t k = (uint32_t)((atan2(z, x) / TURN + 0.5) * sectors) % sectors;
            if (d <= far[k]) continue;
            far[k] = d;
            at[k] = (path_place){i, c, s, t->y[t->vert[t->first[c]]]};
        }
    }
    for (uint32_t k = 0; k < sectors; k++)
        if (far[k] >= 0) l->at[l->count++] = at[k];
}

// Shared among mainlands by their size; what is left over goes to the largest.
static nav_status choose(nav_path_landmarks *l, const nav_path_set *set, uint32_t most)
{
    uint32_t labels, cells, largest = 0, left = most;
    mainland *lands = survey(set, &labels, &cells);
    if (!lands) return NAV_ERR_MEMORY;
    for (uint32_t k = 0; k < labels; k++)
        if (lands[k].cells > lands[largest].cells) largest = k;
    for (uint32_t k = 0; k < labels; k++)
        if (k != largest) left -= (uint32_t)((uint64_t)most * lands[k].cells / cells);
    choose_around(l, set, largest, &lands[largest], left);
    for (uint32_t k = 0; k < labels; k++) {
        uint32_t share = (uint32_t)((uint64_t)most * lands[k].cells / cells);
        if (k != largest && share) choose_around(l, set, k, &lands[k], share);
    }
    free(lands);
    return NAV_OK;
}

nav_status nav_path_landmarks_create(const nav_path_set *set, uint32_t count, nav_path_landmarks **out)
{
    nav_path_landmarks *l = *out = calloc(1, sizeof *l);
    if (!l) return NAV_ERR_MEMORY;
    if (count > PATH_MARKS) count = PATH_MARKS;
    l->lanes = lanes_of(count);
    l->unit = 1;
    nav_status s = count ? number_all(l, set) : NAV_ERR_ARGUMENT;
    if (s == NAV_OK) s = choose(l, set, count);
    if (s == NAV_OK) return NAV_OK;
    nav_path_landmarks_destroy(l);
    *out = NULL;
    return s;
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
    uint32_t known = l->first[place];
    l->first[place] = PATH_NONE;
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
    if (place < l->tile_count) l->first[place] = known;
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

uint64_t nav_path_set_opened(const nav_path_set *set)
{
    return set->marks ? set->marks->opened_tiles : 0;
}
