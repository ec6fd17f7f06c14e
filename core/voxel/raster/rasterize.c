// From triangles to the heightfield: each triangle is walked row by row and leaves a fragment in every column that it
// covers. Then the fragments of each column are joined.
#include "core/voxel/raster/heights.h"
#include "core/voxel/raster/raster.h"
#include "core/voxel/raster/triangle.h"

#include <math.h>

// Bit columns where the heights and area types of the triangles fit them.
static nav_status choose_form(raster *r, const nav_triangles *tris, const nav_config *cfg, unsigned ways,
                              nav_arena *arena)
{
    const uint64_t areas = tris->area_types;
    double inv_cell_height = 1.0 / cfg->cell_height_m;
    const bool any = tris->count || tris->piece_count;
    int32_t bottom = any ? floor_to_int(((double)tris->min_y - cfg->origin_m[1]) * inv_cell_height + SLACK) : 0;
    int32_t top = any ? floor_to_int(((double)tris->max_y - cfg->origin_m[1]) * inv_cell_height + SLACK) + 1 : 0;
    r->in_bits = (ways & NAV_RASTER_BITS) && nav_bit_columns_fit(bottom, top, areas);
    return r->in_bits ? nav_bit_columns_init(&r->bits, cfg->width, bottom, top, areas, arena)
                      : nav_fragments_init(&r->fragments, cfg->width, arena);
}

// The scratch of the walk by edges.
static nav_status take_rows(raster *r, nav_arena *arena)
{
    size_t columns = (size_t)r->width + 1;
    double **of_columns[] = {&r->here.low, &r->here.high, &r->above.low, &r->above.high};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++) {
        double *one = *of_columns[k] = NAV_TAKE(arena, double, columns);
        if (!one) return nav_arena_failure(arena);
        for (size_t c = 0; c < columns; c++) one[c] = k % 2 == 0 ? NOTHING_LOW : NOTHING_HIGH;
    }
    return NAV_OK;
}

// Leaves a tile that fits them in `bits`, and any other in spans.
static nav_status rasterize(unsigned ways, const nav_triangles *tris, const nav_config *cfg, nav_arena *arena,
                            nav_bit_columns *bits, nav_heightfield *out)
{
    *bits = (nav_bit_columns){0};
    *out = (nav_heightfield){.width = cfg->width};
    raster r = {
        .width = cfg->width,
        .first_x = (int32_t)cfg->first_column_x,
        .first_z = (int32_t)cfg->first_column_z,
        .origin = {cfg->origin_m[0], cfg->origin_m[1], cfg->origin_m[2]},
        .inv_cell_size = 1.0 / cfg->cell_size_m,
        .inv_cell_height = 1.0 / cfg->cell_height_m,
    };
    nav_status status = choose_form(&r, tris, cfg, ways, arena);
    if (status != NAV_OK) return status;
    status = take_rows(&r, arena);
    if (status != NAV_OK) return status;
    if (ways & NAV_RASTER_LANES) {
        nav_triangles_by_lanes(&r, tris);
    } else {
        for (uint32_t i = 0; i < tris->count && r.fragments.status == NAV_OK; i++) {
            set_area(&r, tris->areas[i]);
            nav_triangle_by_edges(&r, tris->verts + 9 * (size_t)i);
        }
    }
    status = nav_heights_rasterize(&r, tris, cfg, ways & NAV_RASTER_LANES, arena);
    if (status != NAV_OK) return status;
    if (!r.in_bits) return nav_fragments_join(&r.fragments, cfg->climb_vx, out);
    *bits = r.bits;
    return NAV_OK;
}

nav_status nav_rasterize(const nav_triangles *tris, const nav_config *cfg, nav_arena *arena, nav_bit_columns *bits,
                         nav_heightfield *out)
{
    return rasterize(cfg->plain ? NAV_RASTER_PLAIN : NAV_RASTER_BITS | NAV_RASTER_LANES, tris, cfg, arena, bits, out);
}

nav_status nav_heightfield_build_by(unsigned ways, const nav_triangles *tris, const nav_config *cfg, nav_arena *arena,
                                    nav_heightfield *out)
{
    nav_bit_columns bits;
    nav_status status = rasterize(ways, tris, cfg, arena, &bits, out);
    if (status != NAV_OK || bits.columns == 0) return status;
    return nav_bit_columns_read(&bits, cfg->climb_vx, arena, out);
}

nav_status nav_heightfield_build(const nav_triangles *tris, const nav_config *cfg, nav_arena *arena,
                                 nav_heightfield *out)
{
    return nav_heightfield_build_by(NAV_RASTER_BITS | NAV_RASTER_LANES, tris, cfg, arena, out);
}
