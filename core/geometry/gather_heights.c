#include "core/geometry/gather_heights.h"

#include "core/base/endian.h"

#include <math.h>

static size_t first_sample(const nav_height_piece *p, uint32_t row)
{
    return (size_t)(p->row + row) * p->grid->columns + p->column;
}

static size_t first_cell(const nav_height_piece *p, uint32_t row)
{
    return (size_t)(p->row + row) * (p->grid->columns - 1) + p->column;
}

nav_key nav_height_piece_key(const nav_height_piece *p, uint8_t area)
{
    const nav_height_grid *g = p->grid;
    uint8_t head[NAV_HEIGHTS_HEAD_BYTES + 16] = {0};
    nav_heights_spec s = nav_heights_spec_of(g);
    s.columns = p->columns + 1;
    s.rows = p->rows + 1;
    s.first_column += (int32_t)p->column;
    s.first_row += (int32_t)p->row;
    nav_heights_store_head(&s, head);
    for (int k = 0; k < 3; k++) nav_store_f32(head + NAV_HEIGHTS_HEAD_BYTES + 4 * k, p->move[k] + 0.0f);
    head[NAV_HEIGHTS_HEAD_BYTES + 12] = area;
    head[NAV_HEIGHTS_HEAD_BYTES + 13] = 'g';
    nav_key key = nav_key_of(head, sizeof head);
    const size_t step = nav_height_sample_bytes(g->format);
    for (uint32_t r = 0; r <= p->rows; r++)
        key = nav_key_join(
            key, nav_key_of((const unsigned char *)g->samples + first_sample(p, r) * step, (p->columns + 1) * step));
    bool inherits = true; // as where the grid has no areas
    for (uint32_t r = 0; g->areas && r < p->rows; r++)
        for (uint32_t c = 0; c < p->columns; c++) inherits &= g->areas[first_cell(p, r) + c] == NAV_AREA_INHERIT;
    for (uint32_t r = 0; !inherits && r < p->rows; r++)
        key = nav_key_join(key, nav_key_of(g->areas + first_cell(p, r), p->columns));
    return key;
}

uint32_t nav_height_piece_cells(const nav_height_piece *p)
{
    uint32_t holes = 0;
    for (uint32_t r = 0; p->grid->areas && r < p->rows; r++) {
        const uint8_t *areas = p->grid->areas + first_cell(p, r);
        for (uint32_t c = 0; c < p->columns; c++) holes += areas[c] == NAV_AREA_HOLE;
    }
    return p->columns * p->rows - holes;
}

void nav_height_piece_heights(const nav_height_piece *p, float *low, float *high)
{
    const nav_height_grid *g = p->grid;
    double least = INFINITY, most = -INFINITY;
    for (uint32_t r = 0; r <= p->rows; r++) {
        if (g->format == NAV_HEIGHTS_16) {
            const uint16_t *v = (const uint16_t *)g->samples + first_sample(p, r);
            uint16_t a = v[0], b = v[0];
            for (uint32_t c = 1; c <= p->columns; c++) {
                a = v[c] < a ? v[c] : a;
                b = v[c] > b ? v[c] : b;
            }
            least = (double)a < least ? (double)a : least;
            most = (double)b > most ? (double)b : most;
        } else {
            const float *v = (const float *)g->samples + first_sample(p, r);
            float a = v[0], b = v[0];
            for (uint32_t c = 1; c <= p->columns; c++) {
                a = v[c] < a ? v[c] : a;
                b = v[c] > b ? v[c] : b;
            }
            least = (double)a < least ? (double)a : least;
            most = (double)b > most ? (double)b : most;
        }
    }
    float y0 = (float)((double)(float)(g->offset_m + g->scale_m * least) + (double)p->move[1]);
    float y1 = (float)((double)(float)(g->offset_m + g->scale_m * most) + (double)p->move[1]);
    *low = y0 < y1 ? y0 : y1;
    *high = y0 < y1 ? y1 : y0;
}

uint64_t nav_height_piece_areas(const nav_height_piece *p)
{
    uint64_t areas = p->own_areas ? 0 : UINT64_C(1) << p->area;
    for (uint32_t r = 0; p->own_areas && r < p->rows; r++)
        for (uint32_t c = 0; c < p->columns; c++) {
            uint8_t own = p->grid->areas[first_cell(p, r) + c];
            if (own != NAV_AREA_HOLE) areas |= UINT64_C(1) << nav_height_piece_area(p, own);
        }
    return areas & ~(UINT64_C(1) << NAV_AREA_NONE);
}

int nav_height_leaf_fill(const nav_height_piece *p, uint32_t *column, uint32_t *row, nav_mesh_leaf *leaf,
                         uint8_t own[NAV_MESH_FANOUT])
{
    const nav_height_grid *g = p->grid;
    int count = 0;
    memset(leaf, 0, sizeof *leaf);
    for (; *row < p->rows; ++*row, *column = 0)
        for (; *column < p->columns; ++*column) {
            const uint8_t area = nav_height_area(g, first_cell(p, *row) + *column);
            if (count == NAV_MESH_FANOUT) return count;
            if (area == NAV_AREA_HOLE) continue;
            const size_t at = first_sample(p, *row) + *column;
            const int32_t c = g->first_column + (int32_t)(p->column + *column);
            const int32_t r = g->first_row + (int32_t)(p->row + *row);
            const float x[2] = {nav_height_place(c, 0, g->spacing_m), nav_height_place(c, 1, g->spacing_m)};
            const float z[2] = {nav_height_place(r, 0, g->spacing_m), nav_height_place(r, 1, g->spacing_m)};
            const float y[4] = {nav_height_at(g, at), nav_height_at(g, at + 1), nav_height_at(g, at + g->columns),
                                nav_height_at(g, at + g->columns + 1)};
            float corners[18];
            nav_height_triangles(nav_height_is_forward(g->diagonal, c, r, y[0], y[1], y[2], y[3]), x, y, z, corners);
            for (int t = 0; t < 2; t++, count++) {
                own[count] = area;
                for (int k = 0; k < 9; k++) leaf->at[k][count] = corners[9 * t + k];
            }
        }
    return count;
}
