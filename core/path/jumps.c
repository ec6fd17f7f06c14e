// Off-mesh links where both ends are on ground: found as Detour finds it, within the link's radius seen from above and
// the agent's climb up or down. A link that goes both ways is two jumps.
#include "core/path/search_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_mouths(const void *a, const void *b)
{
    const path_mouth *m = a, *n = b;
    if (m->tile != n->tile) return m->tile < n->tile ? -1 : 1;
    if (m->cell != n->cell) return m->cell < n->cell ? -1 : 1;
    return m->jump < n->jump ? -1 : 1;
}

// By place and layer, so that it does not matter in what order the tiles came.
static int compare_tiles(const void *a, const void *b)
{
    return path_tile_order(*(path_tile *const *)a, *(path_tile *const *)b);
}

static nav_status add_jump(nav_path_set *set, const path_jump *j)
{
    path_place *around = NULL;
    uint32_t room = 0, count = 0;
    if (!PATH_GROW(set->jumps, set->jump_room, set->jump_count) ||
        !nav_path_list_near(set, j->from, &around, &room, 0, 0, &count)) {
        free(around);
        return NAV_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!PATH_GROW(set->mouths, set->mouth_room, set->mouth_count)) {
            free(around);
            return NAV_ERR_MEMORY;
        }
        set->mouths[set->mouth_count++] = (path_mouth){around[i].tile, around[i].cell, set->jump_count};
    }
    free(around);
    set->jumps[set->jump_count++] = *j;
    set->link_areas |= UINT64_C(1) << j->area;
    return NAV_OK;
}

static nav_status add_link(nav_path_set *set, const nav_link *l)
{
    path_place from, to;
    double at[2][3];
    for (int k = 0; k < 3; k++) {
        at[0][k] = (double)l->start[k];
        at[1][k] = (double)l->end[k];
    }
    if (!l->flags || l->area >= NAV_AREA_COUNT) return NAV_OK; // nobody may use it
    double climb = (double)set->grid.agent_climb_m, radius = (double)l->radius_m;
    if (!nav_path_locate_within(set, at[0], radius, climb, &from) ||
        !nav_path_locate_within(set, at[1], radius, climb, &to))
        return NAV_OK;
    double x = (double)to.at.x - from.at.x, z = (double)to.at.z - from.at.z;
    double y = (to.y - from.y) * (double)set->grid.cell_height_m / (double)set->grid.cell_size_m * NAV_PATH_FINE;
    path_jump j = {.from = from, .to = to, .length = sqrt(x * x + y * y + z * z), .id = l->id, .area = l->area};
    nav_status s = add_jump(set, &j);
    if (s != NAV_OK || !l->both_ways) return s;
    path_jump back = {.from = to, .to = from, .length = j.length, .id = l->id, .area = l->area, .back = true};
    return add_jump(set, &back);
}

nav_status nav_path_find_jumps(nav_path_set *set)
{
    uint32_t count = 0;
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < set->mouth_count; i++)
        if (set->mouths[i].tile < set->tile_count && set->tiles[set->mouths[i].tile])
            set->tiles[set->mouths[i].tile]->mouth_count = 0;
    set->jump_count = set->mouth_count = 0;
    set->link_areas = 0;
    if (!set->link_count) return NAV_OK;
    const path_tile **order = malloc(set->tile_count * sizeof(path_tile *));
    if (!order) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < set->tile_count; i++) {
        const path_tile *t = set->tiles[i];
        if (t && t->link_count) order[count++] = t;
    }
    if (count) qsort((void *)order, count, sizeof(path_tile *), compare_tiles);
    for (uint32_t i = 0; i < count && s == NAV_OK; i++) {
        const path_tile *t = order[i];
        for (uint32_t k = 0; k < t->link_count && s == NAV_OK; k++) s = add_link(set, &t->link[k]);
    }
    free((void *)order);
    if (s != NAV_OK) {
        set->jump_count = set->mouth_count = 0;
        return s;
    }
    if (set->mouth_count) qsort(set->mouths, set->mouth_count, sizeof *set->mouths, compare_mouths);
    for (uint32_t i = 0; i < set->mouth_count; i++) {
        path_tile *t = set->tiles[set->mouths[i].tile];
        if (!t->mouth_count++) t->first_mouth = i;
    }
    return NAV_OK;
}

uint32_t nav_path_first_mouth(const nav_path_set *set, uint32_t tile, uint32_t cell)
{
    const path_tile *t = set->tiles[tile];
    uint32_t low = t->first_mouth, high = t->first_mouth + t->mouth_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->mouths[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
