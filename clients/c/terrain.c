// Terrains: cut into blocks, whose meshes are sent and placed; and brush strokes, cut alike.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_AT_ONCE = 256, BLOCK_SAMPLES = (NAVD_HEIGHTS_BLOCK + 1) * (NAVD_HEIGHTS_BLOCK + 1) };

static uint32_t along(uint32_t samples)
{
    return samples < 2 ? 0 : (samples - 2) / NAVD_HEIGHTS_BLOCK + 1;
}

uint32_t navd_terrain_blocks(const navd_heights *t)
{
    return along(t->columns) * along(t->rows);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// A rectangle that is cut.
typedef struct rectangle {
    uint32_t column, row, columns, rows;
} rectangle;

// What of it lies in block (x, z), borders included.
static rectangle part_of(const rectangle *r, uint32_t x, uint32_t z)
{
    const uint32_t first_column = x * NAVD_HEIGHTS_BLOCK, first_row = z * NAVD_HEIGHTS_BLOCK;
    rectangle p = {r->column > first_column ? r->column : first_column, r->row > first_row ? r->row : first_row, 0, 0};
    p.columns = least(r->column + r->columns, first_column + NAVD_HEIGHTS_BLOCK + 1) - p.column;
    p.rows = least(r->row + r->rows, first_row + NAVD_HEIGHTS_BLOCK + 1) - p.row;
    return p;
}

static void copy_part(const rectangle *whole, const rectangle *part, size_t step, const void *samples,
                      const uint8_t *areas, void *out, uint8_t *out_areas)
{
    const uint32_t column = part->column - whole->column, row = part->row - whole->row;
    for (uint32_t r = 0; r < part->rows; r++)
        memcpy((uint8_t *)out + (size_t)r * part->columns * step,
               (const uint8_t *)samples + ((size_t)(row + r) * whole->columns + column) * step, part->columns * step);
    for (uint32_t r = 0; areas && r + 1 < part->rows; r++)
        memcpy(out_areas + (size_t)r * (part->columns - 1), areas + (size_t)(row + r) * (whole->columns - 1) + column,
               part->columns - 1);
}

static navd_status check(navd_client *c, const navd_heights *t, uint32_t most)
{
    char why[160];
    nav_heights_spec spec = navd_heights_to_core(t);
    spec.samples = NULL; // the daemon looks at those
    spec.areas = NULL;
    if (t->bits != 16 && t->bits != 32)
        return navd_client_fail(c, NAV_ERR_ARGUMENT, "bits: %u, expected 16 or 32", t->bits);
    if (nav_heights_check(&spec, most, why, sizeof why) == NAV_OK) return NAVD_OK;
    return navd_client_fail(c, NAV_ERR_ARGUMENT, "%s", why);
}

// --- all of it ---

typedef struct batch {
    navd_heights heights[BLOCKS_AT_ONCE];
    navd_mesh meshes[BLOCKS_AT_ONCE];
    float samples[BLOCKS_AT_ONCE][BLOCK_SAMPLES]; // or of 16 bits
    uint8_t areas[BLOCKS_AT_ONCE][NAVD_HEIGHTS_BLOCK * NAVD_HEIGHTS_BLOCK];
} batch;

static void cut_block(const navd_heights *t, uint32_t block, batch *b, size_t at)
{
    const rectangle whole = {0, 0, t->columns, t->rows};
    const uint32_t x = block % along(t->columns), z = block / along(t->columns);
    const rectangle part = part_of(&whole, x, z);
    copy_part(&whole, &part, t->bits / 8, t->samples, t->areas, b->samples[at], b->areas[at]);
    b->heights[at] = *t;
    b->heights[at].columns = part.columns;
    b->heights[at].rows = part.rows;
    b->heights[at].first_column = (int32_t)part.column;
    b->heights[at].first_row = (int32_t)part.row;
    b->heights[at].samples = b->samples[at];
    b->heights[at].areas = t->areas ? b->areas[at] : NULL;
    b->meshes[at] = (navd_mesh){.heights = &b->heights[at]};
}

typedef struct forward {
    size_t first;
    void (*sent)(void *user, size_t block, uint64_t bytes);
    void *user;
} forward;

static void tell_sent(void *user, size_t mesh, uint64_t bytes)
{
    const forward *f = user;
    if (f->sent) f->sent(f->user, f->first + mesh, bytes);
}

// Applies `count` operations in edits of as many as the daemon takes.
static navd_status edit_all(navd_client *c, uint64_t world, const navd_operation *ops, size_t count,
                            navd_edit_result *out)
{
    const size_t most = c->limits.edit_ops ? c->limits.edit_ops : count;
    navd_status r = NAVD_OK;
    for (size_t done = 0, part; done < count && r == NAVD_OK; done += part) {
        part = count - done < most ? count - done : most;
        r = navd_edit(c, world, NULL, ops + done, part, out);
    }
    return r;
}

navd_status navd_terrain_put(navd_client *c, uint64_t world, uint64_t first_id, const navd_heights *t,
                             const float transform[12], uint8_t area, const char *name,
                             void (*sent)(void *user, size_t block, uint64_t bytes), void *user, navd_edit_result *out)
{
    const size_t count = navd_terrain_blocks(t);
    navd_status r = check(c, t, NAV_HEIGHTS_TERRAIN_MAX);
    if (r != NAVD_OK) return r;
    batch *b = malloc(sizeof *b);
    navd_operation *ops = calloc(count, sizeof *ops);
    if (!b || !ops) r = navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    for (size_t first = 0; first < count && r == NAVD_OK; first += BLOCKS_AT_ONCE) {
        const size_t some = count - first < BLOCKS_AT_ONCE ? count - first : BLOCKS_AT_ONCE;
        forward f = {first, sent, user};
        for (size_t i = 0; i < some; i++) {
            navd_operation *op = &ops[first + i];
            cut_block(t, (uint32_t)(first + i), b, i);
            op->kind = NAVD_PUT_INSTANCE;
            op->id = first_id + first + i;
            op->u.instance.mesh = navd_mesh_hash(&b->meshes[i]);
            op->u.instance.area = area;
            memcpy(op->u.instance.transform, transform, sizeof op->u.instance.transform);
            snprintf(op->name, sizeof op->name, "%s", name);
        }
        r = navd_meshes_put(c, b->meshes, some, tell_sent, &f);
    }
    if (r == NAVD_OK) r = edit_all(c, world, ops, count, out);
    free(b);
    free(ops);
    return r;
}

// --- a stroke ---

// The part that is in block (x, z), as an operation; what it points to is allocated in *memory, which moves on.
static navd_operation stroke_op(const navd_heights *t, const rectangle *whole, uint32_t x, uint32_t z,
                                uint64_t first_id, const void *samples, const uint8_t *areas, uint8_t **memory)
{
    const rectangle part = part_of(whole, x, z);
    const size_t step = t->bits / 8, bytes = (size_t)part.columns * part.rows * step;
    const size_t cells = (size_t)(part.columns - 1) * (part.rows - 1);
    navd_operation op = {.kind = NAVD_PATCH_HEIGHTS, .id = first_id + (uint64_t)z * along(t->columns) + x};
    uint8_t *to = *memory, *to_areas = to + bytes;
    copy_part(whole, &part, step, samples, areas && cells ? areas : NULL, to, to_areas);
    op.u.patch.column = part.column - x * NAVD_HEIGHTS_BLOCK;
    op.u.patch.row = part.row - z * NAVD_HEIGHTS_BLOCK;
    op.u.patch.columns = part.columns;
    op.u.patch.rows = part.rows;
    op.u.patch.bits = t->bits;
    op.u.patch.samples = to;
    op.u.patch.areas = areas && cells ? to_areas : NULL;
    *memory = to_areas + (areas ? (cells + 3) / 4 * 4 : 0);
    return op;
}

size_t navd_terrain_stroke(const navd_heights *t, uint64_t first_id, uint32_t column, uint32_t row, uint32_t columns,
                           uint32_t rows, const void *samples, const uint8_t *areas, navd_operation **out)
{
    const rectangle whole = {column, row, columns, rows};
    *out = NULL;
    if (!columns || !rows || column >= t->columns || row >= t->rows || columns > t->columns - column ||
        rows > t->rows - row || (t->bits != 16 && t->bits != 32))
        return 0;
    const uint32_t x0 = column ? (column - 1) / NAVD_HEIGHTS_BLOCK : 0, z0 = row ? (row - 1) / NAVD_HEIGHTS_BLOCK : 0;
    const uint32_t x1 = least((column + columns - 1) / NAVD_HEIGHTS_BLOCK, along(t->columns) - 1);
    const uint32_t z1 = least((row + rows - 1) / NAVD_HEIGHTS_BLOCK, along(t->rows) - 1);
    const size_t count = (size_t)(x1 - x0 + 1) * (z1 - z0 + 1);
    // Samples on borders go to every block that has them. The operations come first, what they point to follows.
    const size_t wide = columns + (size_t)(x1 - x0), high = rows + (size_t)(z1 - z0);
    navd_operation *ops = malloc(count * sizeof *ops + wide * high * (t->bits / 8 + 1) + 8 * count);
    uint8_t *at = (uint8_t *)(ops + count);
    size_t n = 0;
    if (!ops) return 0;
    for (uint32_t z = z0; z <= z1; z++)
        for (uint32_t x = x0; x <= x1; x++) ops[n++] = stroke_op(t, &whole, x, z, first_id, samples, areas, &at);
    *out = ops;
    return n;
}

navd_status navd_terrain_patch(navd_client *c, uint64_t world, uint64_t first_id, const navd_heights *t,
                               uint32_t column, uint32_t row, uint32_t columns, uint32_t rows, const void *samples,
                               const uint8_t *areas, navd_edit_result *out)
{
    navd_operation *ops;
    navd_status r = check(c, t, NAV_HEIGHTS_TERRAIN_MAX);
    if (r != NAVD_OK) return r;
    if (!columns || !rows || column >= t->columns || row >= t->rows || columns > t->columns - column ||
        rows > t->rows - row)
        return navd_client_fail(c, NAV_ERR_ARGUMENT,
                                "%u by %u samples from column %u, row %u are not within the terrain's %u by %u",
                                columns, rows, column, row, t->columns, t->rows);
    size_t count = navd_terrain_stroke(t, first_id, column, row, columns, rows, samples, areas, &ops);
    if (!ops) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    if (count > c->limits.edit_ops)
        r = navd_client_fail(c, NAV_ERR_LIMIT,
                             "the rectangle touches %zu blocks, and an edit has at most %u operations: send it in "
                             "parts",
                             count, c->limits.edit_ops);
    if (r == NAVD_OK) r = navd_edit(c, world, NULL, ops, count, out);
    free(ops);
    return r;
}

navd_status navd_terrain_remove(navd_client *c, uint64_t world, uint64_t first_id, const navd_heights *t,
                                navd_edit_result *out)
{
    const size_t count = navd_terrain_blocks(t);
    navd_operation *ops = calloc(count + 1, sizeof *ops);
    if (!ops) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    for (size_t i = 0; i < count; i++) {
        ops[i].kind = NAVD_REMOVE_INSTANCE;
        ops[i].id = first_id + i;
    }
    navd_status r = edit_all(c, world, ops, count, out);
    free(ops);
    return r;
}
