// What a tile, and links, connect: as one number.
#include "core/path/difference.h"
#include "core/path/path_work.h"

#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 29;
}

uint64_t nav_path_set_link_ways(const nav_path_set *set)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < set->jump_count; i++) {
        const path_jump *j = &set->jumps[i];
        const path_place *ends[2] = {&j->from, &j->to};
        for (int k = 0; k < 2; k++) {
            uint64_t y;
            memcpy(&y, &ends[k]->y, sizeof y);
            h = mix(mix(h, (uint64_t)(uint32_t)ends[k]->at.x << 32 | (uint32_t)ends[k]->at.z), y);
        }
        uint32_t radius; // which agents may take it
        memcpy(&radius, &j->radius_m, sizeof radius);
        h = mix(mix(h, (uint64_t)j->id << 32 | (uint64_t)j->area << 1 | j->back), radius);
    }
    return h;
}

uint64_t nav_path_set_outline(const nav_path_set *set, int32_t tile_x, int32_t tile_z)
{
    uint32_t place = nav_path_set_find(set, tile_x, tile_z);
    const path_tile *t = place == PATH_NONE ? NULL : set->tiles[place];
    uint64_t h = 0;
    for (int side = 0; t && side < 4; side++)
        for (uint32_t i = t->side_first[side]; i < t->side_first[side + 1]; i++) {
            const path_border *b = &t->border[i];
            h = mix(h, (uint64_t)(uint32_t)b->low << 32 | (uint32_t)b->high);
            h = mix(h, (uint64_t)(uint32_t)b->y_low << 32 | (uint32_t)b->y_high);
            h = mix(h, (uint64_t)(side + 1) << 32 | t->part[t->cell[b->corner]]);
        }
    return h;
}
