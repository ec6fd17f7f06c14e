// MSET: a header with Detour's navmesh parameters (detour_params.c), then one record a tile.

#include "core/tile/mset.h"

#include "core/base/endian.h"
#include "core/tile/refuse.h"

#include <stdlib.h>

enum { RECORD_BYTES = 8 };
static const uint32_t FIRST_SALT = 1; // what Detour gives to a tile slot that was never used

nav_status nav_mset_describe(nav_mset_tile *tile, char *why, size_t why_bytes)
{
    nav_detour_view view;
    nav_status s = nav_detour_open(tile->bytes, tile->size, &view, why, why_bytes);
    if (s != NAV_OK) return s;
    tile->x = view.header.x;
    tile->z = view.header.z;
    tile->poly_count = (uint32_t)view.header.poly_count;
    return NAV_OK;
}

static int compare_places(const void *a, const void *b)
{
    const nav_mset_tile *l = a, *r = b;
    if (l->z != r->z) return l->z < r->z ? -1 : 1;
    return (l->x > r->x) - (l->x < r->x);
}

static void append_header(nav_buffer *out, const nav_detour_params *params, uint32_t count)
{
    uint8_t *p = out->data + out->size;
    nav_store_u32(p, NAV_MSET_MAGIC);
    nav_store_u32(p + 4, NAV_MSET_VERSION);
    nav_store_u32(p + 8, count);
    for (int a = 0; a < 3; a++) nav_store_f32(p + 12 + 4 * a, params->origin_m[a]);
    nav_store_f32(p + 24, params->tile_width_m);
    nav_store_f32(p + 28, params->tile_height_m);
    nav_store_i32(p + 32, params->max_tiles);
    nav_store_i32(p + 36, params->max_polys);
    out->size += NAV_MSET_HEADER_BYTES;
}

nav_status nav_mset_write(const nav_settings *settings, nav_mset_tile *tiles, uint32_t count, nav_buffer *out,
                          char *why, size_t why_bytes)
{
    if (count == 0) return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "there is no tile to write");
    qsort(tiles, count, sizeof *tiles, compare_places); // no two are equal, see below
    uint32_t most = 0;
    size_t bytes = NAV_MSET_HEADER_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        if (i && compare_places(&tiles[i - 1], &tiles[i]) == 0)
            return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tile (%d, %d) appears twice", tiles[i].x, tiles[i].z);
        if (tiles[i].poly_count > most) most = tiles[i].poly_count;
        bytes += RECORD_BYTES + tiles[i].size;
    }
    nav_detour_params params;
    nav_status s = nav_detour_params_init(&params, settings, count, most, why, why_bytes);
    if (s != NAV_OK) return s;
    s = nav_buffer_reserve(out, bytes);
    if (s != NAV_OK) return nav_refuse(s, why, why_bytes, "no memory for a file of %zu bytes", bytes);

    append_header(out, &params, count);
    for (uint32_t i = 0; i < count; i++) {
        tiles[i].ref = FIRST_SALT << NAV_DETOUR_REF_BITS | i * (uint32_t)params.max_polys;
        uint8_t *p = out->data + out->size;
        nav_store_u32(p, tiles[i].ref);
        nav_store_u32(p + 4, (uint32_t)tiles[i].size);
        memcpy(p + RECORD_BYTES, tiles[i].bytes, tiles[i].size);
        out->size += RECORD_BYTES + tiles[i].size;
    }
    return NAV_OK;
}

static nav_status check_params(const nav_mset_view *v, char *why, size_t why_bytes)
{
    if (v->max_tiles < 1 || v->max_polys < 1 ||
        nav_detour_bits_for((uint32_t)v->max_tiles) + nav_detour_bits_for((uint32_t)v->max_polys) > NAV_DETOUR_REF_BITS)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "%d tiles of %d polygons do not fit into 22 bits",
                          v->max_tiles, v->max_polys);
    if (v->tile_count > (uint32_t)v->max_tiles)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "%u tiles where at most %d are allowed", v->tile_count,
                          v->max_tiles);
    bool finite = v->tile_width > 0 && v->tile_width < 1e9f && v->tile_height > 0 && v->tile_height < 1e9f;
    for (int a = 0; a < 3; a++) finite = finite && v->origin[a] >= -1e9f && v->origin[a] <= 1e9f;
    if (!finite) return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "the grid's origin or tile size is not a number");
    return NAV_OK;
}

static nav_status check_tile(const nav_mset_view *v, const nav_mset_tile *tile, char *why, size_t why_bytes)
{
    uint32_t poly_bits = nav_detour_bits_for((uint32_t)v->max_polys),
             tile_bits = nav_detour_bits_for((uint32_t)v->max_tiles);
    uint32_t index = tile->ref >> poly_bits & (((uint32_t)1 << tile_bits) - 1);
    if (tile->ref >> (tile_bits + poly_bits) == 0 || index >= (uint32_t)v->max_tiles)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "tile (%d, %d) has reference %u", tile->x, tile->z,
                          tile->ref);
    if (nav_detour_bits_for(tile->poly_count) > poly_bits)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "tile (%d, %d) has %u polygons, more than %d", tile->x,
                          tile->z, tile->poly_count, v->max_polys);
    return NAV_OK;
}

nav_status nav_mset_open(const uint8_t *bytes, size_t size, nav_mset_view *out, char *why, size_t why_bytes)
{
    if (size < NAV_MSET_HEADER_BYTES)
        return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "%zu bytes are less than a header's 40", size);
    if (nav_load_u32(bytes) != NAV_MSET_MAGIC)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "not a multi-tile file (MSET)");
    if (nav_load_u32(bytes + 4) != NAV_MSET_VERSION)
        return nav_refuse(NAV_ERR_VERSION, why, why_bytes, "version %u, not 1", nav_load_u32(bytes + 4));
    *out = (nav_mset_view){
        .bytes = bytes,
        .size = size,
        .tile_count = nav_load_u32(bytes + 8),
        .origin = {nav_load_f32(bytes + 12), nav_load_f32(bytes + 16), nav_load_f32(bytes + 20)},
        .tile_width = nav_load_f32(bytes + 24),
        .tile_height = nav_load_f32(bytes + 28),
        .max_tiles = nav_load_i32(bytes + 32),
        .max_polys = nav_load_i32(bytes + 36),
    };
    nav_status s = check_params(out, why, why_bytes);
    size_t at = NAV_MSET_HEADER_BYTES;
    for (uint32_t i = 0; s == NAV_OK && i < out->tile_count; i++) {
        if (size - at < RECORD_BYTES)
            return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "the file ends before tile %u of %u", i,
                              out->tile_count);
        uint32_t tile_bytes = nav_load_u32(bytes + at + 4);
        nav_mset_tile tile = {bytes + at + RECORD_BYTES, tile_bytes, 0, 0, 0, nav_load_u32(bytes + at)};
        at += RECORD_BYTES;
        if (size - at < tile_bytes)
            return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "the file ends inside of tile %u of %u", i,
                              out->tile_count);
        char reason[256] = "";
        s = nav_mset_describe(&tile, reason, sizeof reason);
        if (s != NAV_OK) return nav_refuse(s, why, why_bytes, "tile %u of %u: %s", i, out->tile_count, reason);
        s = check_tile(out, &tile, why, why_bytes);
        at += tile_bytes;
    }
    if (s == NAV_OK && at != size)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "%zu bytes follow the last tile", size - at);
    return s;
}

bool nav_mset_next(const nav_mset_view *v, size_t *at, nav_mset_tile *out)
{
    if (*at == 0) *at = NAV_MSET_HEADER_BYTES;
    if (*at >= v->size) return false;
    const uint8_t *p = v->bytes + *at;
    *out = (nav_mset_tile){.bytes = p + RECORD_BYTES, .size = nav_load_u32(p + 4), .ref = nav_load_u32(p)};
    *at += RECORD_BYTES + out->size;
    out->x = nav_load_i32(out->bytes + 8); // the header's first numbers behind magic and version
    out->z = nav_load_i32(out->bytes + 12);
    out->poly_count = nav_load_u32(out->bytes + 24);
    return true;
}
