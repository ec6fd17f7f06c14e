#include "core/voxel/raster/heights.h"
#include "core/voxel/raster/heights_columns.h"

#include <string.h>

// As many as stay in the nearest cache.
enum { CHUNK_CELLS = 128 };

typedef struct chunk {
    float verts[18 * CHUNK_CELLS];
    uint8_t areas[2 * CHUNK_CELLS];
    uint32_t count; // triangles
} chunk;

static void flush(raster *r, chunk *c, bool by_lanes)
{
    const nav_triangles tris = {.verts = c->verts, .areas = c->areas, .count = c->count};
    if (by_lanes) {
        nav_triangles_by_lanes(r, &tris);
    } else {
        for (uint32_t i = 0; i < c->count && r->fragments.status == NAV_OK; i++) {
            set_area(r, c->areas[i]);
            nav_triangle_by_edges(r, c->verts + 9 * (size_t)i);
        }
    }
    c->count = 0;
}

// As gathering judges triangles. False: it has no area.
static bool judge(const float v[9], double slope_cos2, bool *walkable)
{
    double ux = (double)v[3] - (double)v[0], uy = (double)v[4] - (double)v[1], uz = (double)v[5] - (double)v[2];
    double wx = (double)v[6] - (double)v[0], wy = (double)v[7] - (double)v[1], wz = (double)v[8] - (double)v[2];
    double nx = uy * wz - uz * wy, ny = uz * wx - ux * wz, nz = ux * wy - uy * wx;
    double length2 = nx * nx + ny * ny + nz * nz;
    *walkable = ny > 0.0 && ny * ny > slope_cos2 * length2;
    return length2 > 0.0;
}

static inline float height_of(const nav_height_piece *p, size_t sample)
{
    return (float)((double)nav_height_at(p->grid, sample) + (double)p->move[1]);
}

// left: which cells, `across` in a row of them, from the piece's first; NULL: all.
static void rasterize_piece(raster *r, const nav_height_piece *p, double slope_cos2, const uint8_t *left, size_t across,
                            bool by_lanes, chunk *c)
{
    const nav_height_grid *g = p->grid;
    for (uint32_t z_at = 0; z_at < p->rows; z_at++) {
        if (left && !memchr(left + z_at * across, 1, p->columns)) continue;
        const float z[2] = {nav_height_piece_z(p, z_at), nav_height_piece_z(p, z_at + 1)};
        const size_t sample = (size_t)(p->row + z_at) * g->columns + p->column;
        const size_t cell = (size_t)(p->row + z_at) * (g->columns - 1) + p->column;
        for (uint32_t k = 0; k < p->columns; k++) {
            if (left && !left[z_at * across + k]) continue;
            const uint8_t own = nav_height_area(g, cell + k);
            if (own == NAV_AREA_HOLE) continue;
            const uint8_t area = nav_height_piece_area(p, own);
            const float x[2] = {nav_height_piece_x(p, k), nav_height_piece_x(p, k + 1)};
            const float y[4] = {height_of(p, sample + k), height_of(p, sample + k + 1),
                                height_of(p, sample + k + g->columns), height_of(p, sample + k + g->columns + 1)};
            const float *raw = y;
            float own_heights[4];
            if (g->diagonal == NAV_DIAGONAL_SHORTER) { // decided where the grid is, wherever it is shown
                for (size_t i = 0; i < 4; i++)
                    own_heights[i] = nav_height_at(g, sample + k + (i & 1) + (i >> 1) * g->columns);
                raw = own_heights;
            }
            const bool forward =
                nav_height_is_forward(g->diagonal, g->first_column + (int32_t)(p->column + k),
                                      g->first_row + (int32_t)(p->row + z_at), raw[0], raw[1], raw[2], raw[3]);
            float *to = c->verts + 9 * (size_t)c->count;
            nav_height_triangles(forward, x, y, z, to);
            for (int t = 0; t < 2; t++) {
                bool walkable;
                float *from = to + 9 * t, *at = c->verts + 9 * (size_t)c->count;
                if (!judge(from, slope_cos2, &walkable)) continue;
                if (at != from) memcpy(at, from, 9 * sizeof *at);
                c->areas[c->count++] = walkable ? area : NAV_AREA_NONE;
            }
            if (c->count > 2 * CHUNK_CELLS - 2) flush(r, c, by_lanes);
        }
    }
}

// Pieces that are blocks of one terrain together, as there are fewest triangles then.
static nav_status rasterize_together(raster *r, const nav_height_piece *pieces, uint32_t count,
                                     const sheet_cells *cells, const nav_config *cfg, nav_arena *arena, chunk *c,
                                     bool *done)
{
    const nav_arena_mark mark = nav_arena_get_mark(arena);
    const uint8_t *left;
    nav_status status = nav_heights_fill_columns(r, pieces, count, cells, cfg, arena, &left);
    *done = left != NULL;
    for (uint32_t i = 0; i < count && left; i++) {
        const nav_height_piece *p = &pieces[i];
        const int32_t x = p->grid->first_column + (int32_t)p->column - cells->column;
        const int32_t z = p->grid->first_row + (int32_t)p->row - cells->row;
        rasterize_piece(r, p, cfg->slope_cos * cfg->slope_cos, left + z * cells->columns + x, (size_t)cells->columns,
                        true, c);
    }
    nav_arena_release(arena, mark);
    return status;
}

nav_status nav_heights_rasterize(raster *r, const nav_triangles *tris, const nav_config *cfg, bool by_lanes,
                                 nav_arena *arena)
{
    const bool by_columns = by_lanes && r->in_bits; // lists of fragments grow in the arena
    const uint32_t count = tris->piece_count;
    nav_status status = NAV_OK;
    sheet_cells cells;
    chunk c;
    bool done = !count;
    c.count = 0;
    if (!done && by_columns && nav_sheet_fits(tris->pieces, count, &cells))
        status = rasterize_together(r, tris->pieces, count, &cells, cfg, arena, &c, &done);
    for (uint32_t i = 0; i < count && status == NAV_OK && !done; i++) {
        bool alone = false;
        if (by_columns && count > 1 && nav_sheet_fits(&tris->pieces[i], 1, &cells))
            status = rasterize_together(r, &tris->pieces[i], 1, &cells, cfg, arena, &c, &alone);
        if (status == NAV_OK && !alone)
            rasterize_piece(r, &tris->pieces[i], cfg->slope_cos * cfg->slope_cos, NULL, 0, by_lanes, &c);
    }
    flush(r, &c, by_lanes);
    return status;
}
