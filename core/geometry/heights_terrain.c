// A terrain: a height grid in blocks, which are shared between terrains that were made from each other by patches.
#include "core/geometry/heights.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    atomic_uint refs; // terrains that have it
    nav_mesh *mesh;
} block;

struct nav_heights {
    nav_heights_spec spec; // without samples and areas
    uint32_t across, down; // blocks
    block *blocks[];       // row by row
};

static void block_unref(block *b)
{
    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1) return;
    nav_mesh_destroy(b->mesh);
    free(b);
}

// Takes the mesh over, also when it fails.
static block *block_create(nav_mesh *mesh)
{
    block *b = malloc(sizeof *b);
    if (!b) {
        nav_mesh_destroy(mesh);
        return NULL;
    }
    atomic_init(&b->refs, 1);
    b->mesh = mesh;
    return b;
}

static uint32_t blocks_along(uint32_t samples)
{
    return (samples - 2) / NAV_HEIGHTS_BLOCK + 1;
}

static nav_heights *allocate(const nav_heights_spec *s)
{
    const uint32_t across = blocks_along(s->columns), down = blocks_along(s->rows);
    nav_heights *h = calloc(1, sizeof *h + (size_t)across * down * sizeof h->blocks[0]);
    if (!h) return NULL;
    h->spec = *s;
    h->spec.samples = NULL;
    h->spec.areas = NULL;
    h->across = across;
    h->down = down;
    return h;
}

void nav_heights_destroy(nav_heights *h)
{
    if (!h) return;
    for (size_t i = 0; i < (size_t)h->across * h->down; i++) block_unref(h->blocks[i]);
    free(h);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// A rectangle of samples, and the areas of the cells between them, copied out of larger ones.
typedef struct cutting {
    float samples[(NAV_HEIGHTS_BLOCK + 1) * (NAV_HEIGHTS_BLOCK + 1)]; // of any format
    uint8_t areas[NAV_HEIGHTS_BLOCK * NAV_HEIGHTS_BLOCK];
} cutting;

// whole_columns: samples in a row of the larger ones. areas: may be NULL.
static void cut(cutting *to, const void *samples, const uint8_t *areas, size_t step, uint32_t whole_columns,
                uint32_t column, uint32_t row, uint32_t columns, uint32_t rows)
{
    const unsigned char *from = samples;
    for (uint32_t r = 0; r < rows; r++)
        memcpy((unsigned char *)to->samples + (size_t)r * columns * step,
               from + ((size_t)(row + r) * whole_columns + column) * step, columns * step);
    for (uint32_t r = 0; areas && r + 1 < rows; r++)
        memcpy(to->areas + (size_t)r * (columns - 1), areas + (size_t)(row + r) * (whole_columns - 1) + column,
               columns - 1);
}

nav_status nav_heights_create(const nav_heights_spec *s, nav_heights **out)
{
    *out = NULL;
    nav_status status = nav_heights_check(s, NAV_HEIGHTS_TERRAIN_MAX, NULL, 0);
    if (status != NAV_OK) return status;
    if (s->first_column || s->first_row) return NAV_ERR_ARGUMENT;
    nav_heights *h = allocate(s);
    cutting *part = malloc(sizeof *part);
    status = h && part ? NAV_OK : NAV_ERR_MEMORY;
    for (uint32_t i = 0; status == NAV_OK && i < h->across * h->down; i++) {
        nav_heights_spec b = *s;
        nav_mesh *mesh;
        uint32_t column = i % h->across * NAV_HEIGHTS_BLOCK, row = i / h->across * NAV_HEIGHTS_BLOCK;
        b.columns = least(NAV_HEIGHTS_BLOCK + 1, s->columns - column);
        b.rows = least(NAV_HEIGHTS_BLOCK + 1, s->rows - row);
        b.first_column = (int32_t)column;
        b.first_row = (int32_t)row;
        cut(part, s->samples, s->areas, nav_height_sample_bytes(s->format), s->columns, column, row, b.columns, b.rows);
        b.samples = part->samples;
        b.areas = s->areas ? part->areas : NULL;
        status = nav_heights_create_in(NULL, &b, &mesh);
        if (status != NAV_OK) break;
        h->blocks[i] = block_create(mesh);
        status = h->blocks[i] ? NAV_OK : NAV_ERR_MEMORY;
    }
    free(part);
    if (status == NAV_OK)
        *out = h;
    else
        nav_heights_destroy(h);
    return status;
}

// The part of the rectangle that is in block (x, z); its samples may belong to the blocks beside it as well.
static nav_status patch_block(const nav_heights *base, uint32_t x, uint32_t z, uint32_t column, uint32_t row,
                              uint32_t columns, uint32_t rows, const void *samples, const uint8_t *areas, cutting *part,
                              block **out)
{
    const nav_mesh *mesh = base->blocks[(size_t)z * base->across + x]->mesh;
    const nav_height_grid *g = mesh->heights;
    const uint32_t first_column = (uint32_t)g->first_column, first_row = (uint32_t)g->first_row;
    uint32_t from_column = column > first_column ? column : first_column;
    uint32_t from_row = row > first_row ? row : first_row;
    uint32_t part_columns = least(column + columns, first_column + g->columns) - from_column;
    uint32_t part_rows = least(row + rows, first_row + g->rows) - from_row;
    nav_mesh *patched;
    cut(part, samples, areas, nav_height_sample_bytes(g->format), columns, from_column - column, from_row - row,
        part_columns, part_rows);
    const bool has_cells = part_columns > 1 && part_rows > 1;
    nav_status s = nav_heights_patch_in(NULL, mesh, from_column - first_column, from_row - first_row, part_columns,
                                        part_rows, part->samples, areas && has_cells ? part->areas : NULL, &patched);
    if (s != NAV_OK) return s;
    *out = block_create(patched);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

nav_status nav_heights_patch(const nav_heights *base, uint32_t column, uint32_t row, uint32_t columns, uint32_t rows,
                             const void *samples, const uint8_t *areas, nav_heights **out)
{
    *out = NULL;
    const nav_heights_spec *s = &base->spec;
    if (!columns || !rows || column >= s->columns || row >= s->rows || columns > s->columns - column ||
        rows > s->rows - row)
        return NAV_ERR_ARGUMENT;
    nav_heights_spec given = *s;
    given.samples = samples;
    given.columns = columns;
    given.rows = rows;
    given.areas = areas;
    if (columns > 1 && rows > 1) {
        nav_status status = nav_heights_check(&given, NAV_HEIGHTS_TERRAIN_MAX, NULL, 0);
        if (status != NAV_OK) return status;
    } else if (!nav_heights_are_finite(samples, (size_t)columns * rows, s->format)) {
        return NAV_ERR_ARGUMENT;
    }
    nav_heights *h = allocate(s);
    cutting *part = malloc(sizeof *part);
    nav_status status = h && part ? NAV_OK : NAV_ERR_MEMORY;
    if (status != NAV_OK) goto done;
    const uint32_t x0 = column ? (column - 1) / NAV_HEIGHTS_BLOCK : 0, z0 = row ? (row - 1) / NAV_HEIGHTS_BLOCK : 0;
    const uint32_t x1 = least((column + columns - 1) / NAV_HEIGHTS_BLOCK, h->across - 1);
    const uint32_t z1 = least((row + rows - 1) / NAV_HEIGHTS_BLOCK, h->down - 1);
    for (size_t i = 0; i < (size_t)h->across * h->down; i++) {
        const uint32_t x = (uint32_t)(i % h->across), z = (uint32_t)(i / h->across);
        if (x < x0 || x > x1 || z < z0 || z > z1) {
            h->blocks[i] = base->blocks[i];
            atomic_fetch_add_explicit(&h->blocks[i]->refs, 1, memory_order_relaxed);
        } else if (status == NAV_OK) {
            status = patch_block(base, x, z, column, row, columns, rows, samples, areas, part, &h->blocks[i]);
        }
    }
done:
    free(part);
    if (status == NAV_OK)
        *out = h;
    else
        nav_heights_destroy(h);
    return status;
}

uint32_t nav_heights_block_count(const nav_heights *h)
{
    return h->across * h->down;
}

const nav_mesh *nav_heights_block(const nav_heights *h, uint32_t i)
{
    return i < h->across * h->down ? h->blocks[i]->mesh : NULL;
}

uint32_t nav_heights_show(const nav_heights *h, const float offset_m[3], uint8_t area, const double *min_xz,
                          const double *max_xz, nav_instance *out, uint32_t room)
{
    uint32_t count = 0;
    double side = h->spec.spacing_m * NAV_HEIGHTS_BLOCK;
    uint32_t first[2] = {0, 0}, last[2] = {h->across - 1, h->down - 1};
    for (int k = 0; k < 2 && min_xz; k++) {
        double low = (min_xz[k] - (double)offset_m[2 * k]) / side - 1e-3, end = (double)last[k] + 1;
        double high = (max_xz[k] - (double)offset_m[2 * k]) / side + 1e-3;
        if (!(low < end) || !(high >= 0)) return 0;
        first[k] = low > 0 ? (uint32_t)low : 0;
        last[k] = high < end ? least((uint32_t)high, last[k]) : last[k];
    }
    for (uint32_t z = first[1]; z <= last[1]; z++)
        for (uint32_t x = first[0]; x <= last[0]; x++) {
            const nav_mesh *mesh = h->blocks[(size_t)z * h->across + x]->mesh;
            const nav_instance shown = {mesh, {1, 0, 0, offset_m[0], 0, 1, 0, offset_m[1], 0, 0, 1, offset_m[2]}, area};
            if (count++ < room) out[count - 1] = shown;
        }
    return count;
}
