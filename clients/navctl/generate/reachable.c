#include "clients/navctl/generate/reachable.h"
#include "core/reach/packed.h"

#include <stdlib.h>

static uint64_t total(const reachable *r)
{
    return (uint64_t)r->count[0] * (uint64_t)r->count[1];
}

nav_status reachable_init(reachable *r)
{
    r->tiles = calloc(total(r), sizeof *r->tiles);
    return r->tiles ? NAV_OK : NAV_ERR_MEMORY;
}

void reachable_deinit(reachable *r)
{
    for (uint64_t i = 0; r->tiles && i < total(r); i++) {
        nav_buffer_deinit(&r->tiles[i].packed);
        nav_parts_unref(r->tiles[i].parts);
    }
    free(r->tiles);
    nav_reach_destroy(r->connectivity);
    *r = (reachable){0};
}

nav_status reachable_keep(reachable *r, uint64_t i, const nav_tile *tile, nav_arena *arena)
{
    nav_status s = nav_tile_pack(tile, &r->tiles[i].packed);
    return s == NAV_OK ? nav_parts_create(tile, arena, &r->tiles[i].parts) : s;
}

static int32_t find_part(void *user, int32_t x, int32_t z, const nav_place_query *q, double *distance2)
{
    const reachable *r = user;
    uint64_t i = (uint64_t)(z - r->first[1]) * (uint64_t)r->count[0] + (uint64_t)(x - r->first[0]);
    const nav_buffer *packed = &r->tiles[i].packed;
    nav_tile tile;
    int32_t *part;
    uint32_t count;
    nav_arena_reset(r->arena);
    if (nav_tile_unpack(packed->data, packed->size, r->settings, r->arena, &tile) != NAV_OK) return -1;
    if (nav_parts_of_polygons(&tile.polygons, r->arena, &part, &count) != NAV_OK) return -1;
    return nav_parts_find(&tile, part, q, distance2);
}

nav_status reachable_solve(reachable *r, nav_arena *arena)
{
    r->arena = arena;
    nav_status s = nav_reach_create(r->settings, r->goal, find_part, r, &r->connectivity);
    for (uint64_t i = 0; i < total(r) && s == NAV_OK; i++) {
        nav_parts *parts = r->tiles[i].parts;
        int32_t x = r->first[0] + (int32_t)(i % (uint64_t)r->count[0]),
                z = r->first[1] + (int32_t)(i / (uint64_t)r->count[0]);
        r->tiles[i].parts = NULL; // the connectivity's from now on
        if (parts) s = nav_reach_put(r->connectivity, x, z, parts);
    }
    return s == NAV_OK ? nav_reach_update(r->connectivity) : s;
}

nav_status reachable_mask(const reachable *r, uint64_t i, nav_arena *arena, nav_tile *out, bool *changed)
{
    int32_t x = r->first[0] + (int32_t)(i % (uint64_t)r->count[0]),
            z = r->first[1] + (int32_t)(i / (uint64_t)r->count[0]);
    const nav_parts *parts = nav_reach_get(r->connectivity, x, z);
    const nav_buffer *packed = &r->tiles[i].packed;
    uint32_t count = parts ? parts->count : 0;
    nav_tile tile;
    *changed = false;
    if (!count) return NAV_OK;
    uint8_t *off = NAV_TAKE(arena, uint8_t, count);
    if (!off) return nav_arena_failure(arena);
    if (!nav_reach_mask(r->connectivity, x, z, off)) return NAV_OK;
    *changed = true;
    nav_status s = nav_tile_unpack(packed->data, packed->size, r->settings, arena, &tile);
    return s == NAV_OK ? nav_tile_mask(&tile, off, count, r->mode, arena, out) : s;
}
