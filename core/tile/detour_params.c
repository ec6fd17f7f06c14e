// How a Detour reference shares its bits: | salt, at least 10 | tile | polygon |. The salt is Detour's; the tiles get
// as many of the other 22 as their number needs, and the polygons all that is left.

#include "core/tile/detour.h"
#include "core/tile/refuse.h"

#include <inttypes.h>

uint32_t nav_detour_bits_for(uint32_t count)
{
    uint32_t bits = 0;
    while (bits < 32 && ((uint64_t)1 << bits) < count) bits++;
    return bits;
}

nav_status nav_detour_params_init(nav_detour_params *out, const nav_settings *settings, uint32_t tile_count,
                                  uint32_t most_polys, char *why, size_t why_bytes)
{
    if (tile_count == 0)
        return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "there must be room for at least one tile");
    const uint32_t tile_bits = nav_detour_bits_for(tile_count), poly_bits = nav_detour_bits_for(most_polys);
    if (tile_bits + poly_bits > NAV_DETOUR_REF_BITS)
        return nav_refuse(
            NAV_ERR_LIMIT, why, why_bytes,
            "%" PRIu32 " tiles need %" PRIu32 " bits and the %" PRIu32 " polygons of the largest %" PRIu32
            ", together more than the %d that Detour's 32-bit references have: choose larger tiles (fewer) "
            "or smaller ones (less in each)",
            tile_count, tile_bits, most_polys, poly_bits, NAV_DETOUR_REF_BITS);
    const float side = (float)((double)settings->tile_cells * (double)settings->cell_size_m);
    *out = (nav_detour_params){
        .tile_width_m = side,
        .tile_height_m = side,
        .max_tiles = (int32_t)1 << tile_bits,
        .max_polys = (int32_t)1 << (NAV_DETOUR_REF_BITS - tile_bits),
    };
    double origin[3];
    nav_sheet_to_frame(settings->sheet, settings->origin_m, origin);
    for (int k = 0; k < 3; k++) out->origin_m[k] = (float)origin[k];
    return NAV_OK;
}
