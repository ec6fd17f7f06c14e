// Height grids from anybody's bytes: the string that mesh.put brings, a stroke on what came of it, and a tile of both.
//
//     form | vertices, triangles | column, row, columns, rows of the stroke | the string, cut or padded to its length
#include "core/build.h"
#include "core/tile/tile_format.h"
#include "daemon/work/mesh_job.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { HEAD = 9, MOST_SAMPLES = 1 << 14 };

static uint32_t number(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static void build(const nav_mesh *mesh, uint8_t turn)
{
    nav_settings settings;
    nav_settings_default(&settings);
    nav_instance shown = {mesh, NAV_TRANSFORM_IDENTITY, 63};
    if (turn & 1) shown.transform[3] = 3.7f, shown.transform[11] = -2;
    if (turn & 2) shown.transform[0] = -1.5f;
    float min[3], max[3];
    if (!nav_instance_bounds(&shown, min, max)) return;
    for (int k = 0; k < 3; k++)
        if (min[k] < -NAV_WORLD_REACH_M || max[k] > NAV_WORLD_REACH_M) return; // no daemon takes it
    nav_tile_source source = {.settings = &settings, .instances = &shown, .instance_count = 1};
    nav_tile_at(&settings, (double)min[0] + 1, (double)min[2] + 1, &source.tile_x, &source.tile_z);
    nav_arena arena;
    nav_tile tile;
    nav_buffer out = {0};
    nav_arena_init(&arena, (size_t)256 << 20);
    if (nav_build_tile(&source, NULL, NULL, &arena, &tile) == NAV_OK && nav_tile_encode(&tile, &out) != NAV_OK) abort();
    nav_buffer_deinit(&out);
    nav_arena_deinit(&arena);
}

static void patch(const nav_mesh *mesh, const uint8_t *at)
{
    const nav_height_grid *g = mesh->heights;
    const uint32_t column = at[0] % g->columns, row = at[1] % g->rows;
    const uint32_t columns = 1 + at[2] % (g->columns - column), rows = 1 + at[3] % (g->rows - row);
    uint8_t *samples = calloc((size_t)columns * rows, sizeof(float)); // of either format
    nav_mesh *patched;
    double min[2], max[2];
    if (samples && nav_heights_patch_in(NULL, mesh, column, row, columns, rows, samples, NULL, &patched) == NAV_OK) {
        if (!nav_heights_difference(mesh, patched, min, max)) abort();
        build(patched, 0);
        nav_mesh_destroy(patched);
    }
    free(samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < HEAD) return 0;
    nd_mesh_job *j = calloc(1, sizeof *j);
    if (!j) return 0;
    j->form = np_mesh_form_of(bytes[0] & 1, bytes[0] & 2 ? 16 : 32);
    j->vertices = number(bytes + 1) % MOST_SAMPLES;
    j->triangles = number(bytes + 3) % (2 * MOST_SAMPLES);
    const size_t whole = np_mesh_bytes(j->vertices, j->triangles, j->form), given = count - HEAD;
    if (nav_buffer_reserve(&j->bytes, whole) == NAV_OK) {
        memset(j->bytes.data, 0, whole);
        memcpy(j->bytes.data, bytes + HEAD, given < whole ? given : whole);
        j->bytes.size = whole;
        nd_mesh_job_run(j);
        if ((j->status == NAV_OK) != (j->mesh != NULL)) abort();
        if (j->status == NAV_ERR_FORMAT && !j->why[0]) abort();
        if (j->mesh) {
            build(j->mesh, bytes[0] >> 2);
            patch(j->mesh, bytes + 5);
        }
    }
    nd_mesh_job_destroy(j);
    return 0;
}
