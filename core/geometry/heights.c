// A mesh that holds a height grid: one block of memory with the mesh, the grid, its samples and its areas.
#include "core/geometry/heights.h"

#include "navcore/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

typedef struct layout {
    size_t grid, samples, areas, bytes;
} layout;

static layout lay_out(uint32_t columns, uint32_t rows, nav_height_format format, bool has_areas)
{
    layout l = {.grid = aligned(sizeof(nav_mesh))};
    l.samples = aligned(l.grid + sizeof(nav_height_grid));
    l.areas = l.samples + (size_t)columns * rows * nav_height_sample_bytes(format);
    l.bytes = aligned(l.areas + (has_areas ? (size_t)(columns - 1) * (rows - 1) : 0));
    return l;
}

static nav_height_grid *grid_of(nav_mesh *m)
{
    return (nav_height_grid *)(void *)((unsigned char *)m + aligned(sizeof(nav_mesh)));
}

// All but samples and areas, which are there but not set.
static nav_mesh *allocate(const nav_mesh_memory *memory, const nav_heights_spec *s, bool has_areas)
{
    const layout l = lay_out(s->columns, s->rows, s->format, has_areas);
    unsigned char *block = memory ? memory->take(memory->user, l.bytes) : aligned_alloc(ALIGN, l.bytes);
    if (!block) return NULL;
    nav_mesh *m = (nav_mesh *)(void *)block;
    *m = (nav_mesh){.bytes = l.bytes, .memory = memory, .heights = grid_of(m)};
    *grid_of(m) = (nav_height_grid){
        .columns = s->columns,
        .rows = s->rows,
        .first_column = s->first_column,
        .first_row = s->first_row,
        .spacing_m = s->spacing_m,
        .scale_m = s->scale_m,
        .offset_m = s->offset_m,
        .format = s->format,
        .diagonal = s->diagonal,
        .samples = block + l.samples,
        .areas = has_areas ? block + l.areas : NULL,
    };
    return m;
}

nav_heights_spec nav_heights_spec_of(const nav_height_grid *g)
{
    return (nav_heights_spec){
        .columns = g->columns,
        .rows = g->rows,
        .first_column = g->first_column,
        .first_row = g->first_row,
        .spacing_m = g->spacing_m,
        .scale_m = g->scale_m,
        .offset_m = g->offset_m,
        .format = g->format,
        .diagonal = g->diagonal,
        .samples = g->samples,
        .areas = g->areas,
    };
}

static void find_heights(const nav_height_grid *g, float *low, float *high)
{
    const size_t count = nav_height_samples(g);
    float least = INFINITY, most = -INFINITY;
    if (g->format == NAV_HEIGHTS_16) {
        const uint16_t *v = g->samples;
        uint16_t a = v[0], b = v[0];
        for (size_t i = 0; i < count; i++) {
            a = v[i] < a ? v[i] : a;
            b = v[i] > b ? v[i] : b;
        }
        least = (float)a, most = (float)b;
    } else {
        const float *v = g->samples;
        for (size_t i = 0; i < count; i++) {
            least = v[i] < least ? v[i] : least;
            most = v[i] > most ? v[i] : most;
        }
    }
    float y0 = (float)(g->offset_m + g->scale_m * (double)least), y1 = (float)(g->offset_m + g->scale_m * (double)most);
    *low = y0 < y1 ? y0 : y1;
    *high = y0 < y1 ? y1 : y0;
}

// Samples and areas are there: what follows from them.
static void finish(nav_mesh *m)
{
    const nav_height_grid *g = m->heights;
    const nav_heights_spec s = nav_heights_spec_of(g);
    size_t cells = nav_height_cells(g), holes = 0;
    for (size_t i = 0; g->areas && i < cells; i++) holes += g->areas[i] == NAV_AREA_HOLE;
    m->tri_count = (uint32_t)(2 * (cells - holes));
    m->hash = nav_heights_hash(&s);
    float low, high;
    find_heights(g, &low, &high);
    m->bounds = (nav_box){
        {nav_height_place(g->first_column, 0, g->spacing_m), low, nav_height_place(g->first_row, 0, g->spacing_m)},
        {nav_height_place(g->first_column, g->columns - 1, g->spacing_m), high,
         nav_height_place(g->first_row, g->rows - 1, g->spacing_m)}};
}

nav_status nav_heights_create_in(const nav_mesh_memory *memory, const nav_heights_spec *s, nav_mesh **out)
{
    *out = NULL;
    nav_mesh *m = allocate(memory, s, s->areas != NULL);
    if (!m) return NAV_ERR_MEMORY;
    nav_height_grid *g = grid_of(m);
    memcpy((void *)(uintptr_t)g->samples, s->samples, nav_height_samples(g) * nav_height_sample_bytes(g->format));
    if (s->areas) memcpy((void *)(uintptr_t)g->areas, s->areas, nav_height_cells(g));
    finish(m);
    *out = m;
    return NAV_OK;
}

nav_status nav_mesh_create_heights(const nav_heights_spec *s, nav_mesh **out)
{
    *out = NULL;
    nav_status status = nav_heights_check(s, NAV_HEIGHTS_SIDE_MAX, NULL, 0);
    return status == NAV_OK ? nav_heights_create_in(NULL, s, out) : status;
}

nav_status nav_heights_patch_in(const nav_mesh_memory *memory, const nav_mesh *base, uint32_t column, uint32_t row,
                                uint32_t columns, uint32_t rows, const void *samples, const uint8_t *areas,
                                nav_mesh **out)
{
    const nav_height_grid *from = base->heights;
    const nav_heights_spec s = nav_heights_spec_of(from);
    *out = NULL;
    nav_mesh *m = allocate(memory, &s, from->areas || areas);
    if (!m) return NAV_ERR_MEMORY;
    const nav_height_grid *g = m->heights;
    const size_t step = nav_height_sample_bytes(g->format), cells = g->columns - 1;
    unsigned char *to = (unsigned char *)(uintptr_t)g->samples;
    uint8_t *to_areas = (uint8_t *)(uintptr_t)g->areas;
    memcpy(to, from->samples, nav_height_samples(g) * step);
    for (uint32_t r = 0; r < rows; r++)
        memcpy(to + ((size_t)(row + r) * g->columns + column) * step,
               (const unsigned char *)samples + (size_t)r * columns * step, columns * step);
    if (from->areas)
        memcpy(to_areas, from->areas, nav_height_cells(g));
    else if (areas)
        memset(to_areas, NAV_AREA_INHERIT, nav_height_cells(g));
    for (uint32_t r = 0; areas && r + 1 < rows; r++)
        memcpy(to_areas + (size_t)(row + r) * cells + column, areas + (size_t)r * (columns - 1), columns - 1);
    finish(m);
    *out = m;
    return NAV_OK;
}

static bool same_head(const nav_height_grid *a, const nav_height_grid *b)
{
    uint8_t heads[2][NAV_HEIGHTS_HEAD_BYTES];
    const nav_heights_spec specs[2] = {nav_heights_spec_of(a), nav_heights_spec_of(b)};
    for (int k = 0; k < 2; k++) nav_heights_store_head(&specs[k], heads[k]);
    return !memcmp(heads[0], heads[1], sizeof heads[0]);
}

// Of `count` equally large items: the first and the last that differ. False: none does.
static bool span_of_difference(const unsigned char *a, const unsigned char *b, size_t count, size_t step, size_t *first,
                               size_t *last)
{
    if (!memcmp(a, b, count * step)) return false;
    size_t low = 0, high = count - 1;
    while (!memcmp(a + low * step, b + low * step, step)) low++;
    while (!memcmp(a + high * step, b + high * step, step)) high--;
    *first = low < *first ? low : *first;
    *last = high > *last ? high : *last;
    return true;
}

bool nav_heights_difference(const nav_mesh *a, const nav_mesh *b, double min_xz[2], double max_xz[2])
{
    const nav_height_grid *p = a->heights, *q = b->heights;
    if (!p || !q || !same_head(p, q)) return false;
    const uint32_t columns = p->columns, rows = p->rows;
    const size_t step = nav_height_sample_bytes(p->format);
    size_t c0 = SIZE_MAX, c1 = 0, r0 = SIZE_MAX, r1 = 0; // cells
    for (uint32_t r = 0; r < rows; r++) {
        size_t first = SIZE_MAX, last = 0, at = (size_t)r * columns * step;
        if (!span_of_difference((const unsigned char *)p->samples + at, (const unsigned char *)q->samples + at, columns,
                                step, &first, &last))
            continue;
        first -= first > 0, last -= last + 1 == columns;
        size_t above = r - (r > 0), below = r - (r + 1 == rows);
        c0 = first < c0 ? first : c0, c1 = last > c1 ? last : c1;
        r0 = above < r0 ? above : r0, r1 = below > r1 ? below : r1;
    }
    for (size_t r = 0; (p->areas || q->areas) && r + 1 < rows; r++)
        for (size_t c = 0; c + 1 < columns; c++) {
            size_t cell = r * (columns - 1) + c;
            if (nav_height_area(p, cell) == nav_height_area(q, cell)) continue;
            c0 = c < c0 ? c : c0, c1 = c > c1 ? c : c1;
            r0 = r < r0 ? r : r0, r1 = r > r1 ? r : r1;
        }
    bool same = c0 > c1;
    min_xz[0] = same ? 0 : (double)nav_height_place(p->first_column, (uint32_t)c0, p->spacing_m);
    min_xz[1] = same ? 0 : (double)nav_height_place(p->first_row, (uint32_t)r0, p->spacing_m);
    max_xz[0] = same ? -1 : (double)nav_height_place(p->first_column, (uint32_t)c1 + 1, p->spacing_m);
    max_xz[1] = same ? -1 : (double)nav_height_place(p->first_row, (uint32_t)r1 + 1, p->spacing_m);
    return true;
}

bool nav_height_is_moved(const float transform[12])
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    for (int k = 0; k < 12; k++)
        if (k % 4 != 3 && transform[k] != identity[k]) return false;
    return true;
}

// The cells of `count` along an axis that touch [low, high]: the first, and how many.
static uint32_t touching(float (*at)(const nav_height_piece *, uint32_t), const nav_height_piece *p, uint32_t count,
                         double spacing, float low, float high, uint32_t *first)
{
    double begin = (double)at(p, 0), guess = floor(((double)low - begin) / spacing) - 1;
    if (!(guess < (double)count) || !(at(p, count) >= low) || !(at(p, 0) <= high)) return 0;
    uint32_t from = guess > 0 ? (uint32_t)guess : 0, end;
    while (from < count && at(p, from + 1) < low) from++;
    for (end = from; end < count && at(p, end) <= high; end++) {
    }
    *first = from;
    return end - from;
}

static float x_of(const nav_height_piece *p, uint32_t k)
{
    return nav_height_piece_x(p, k);
}

static float z_of(const nav_height_piece *p, uint32_t k)
{
    return nav_height_piece_z(p, k);
}

bool nav_height_piece_find(const nav_height_grid *g, const float move[3], const float low[2], const float high[2],
                           nav_height_piece *out)
{
    nav_height_piece p = {.grid = g, .move = {move[0], move[1], move[2]}};
    uint32_t column = 0, row = 0;
    uint32_t columns = touching(x_of, &p, g->columns - 1, g->spacing_m, low[0], high[0], &column);
    uint32_t rows = touching(z_of, &p, g->rows - 1, g->spacing_m, low[1], high[1], &row);
    if (!columns || !rows) return false;
    p.column = column, p.row = row;
    p.columns = columns, p.rows = rows;
    *out = p;
    return true;
}
