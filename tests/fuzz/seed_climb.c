// Writes small worlds of walls and ceilings for fuzz_climb into a folder.
#include "core/base/endian.h"
#include "navcore/builder.h"
#include "navcore/tile.h"
#include "tests/core/scene.h"

#include <stdio.h>
#include <stdlib.h>

static void must(bool good)
{
    if (good) return;
    fprintf(stderr, "seed_climb: failed\n");
    exit(1);
}

static void save_tile(FILE *f, nav_builder *b, const nav_tile_source *source)
{
    nav_buffer tile = {0};
    nav_tile_view v;
    uint8_t size[2];
    must(nav_builder_build(b, source, NULL, NULL) == NAV_OK && nav_builder_encode_navd(b, &tile) == NAV_OK);
    must(nav_tile_open(tile.data, tile.size, &v, NULL, 0) == NAV_OK && tile.size < 0x8000);
    nav_store_u16(size, (uint16_t)tile.size);
    if (v.cell_count) must(fwrite(size, 1, 2, f) == 2 && fwrite(tile.data, 1, tile.size, f) == tile.size);
    nav_buffer_deinit(&tile);
}

static void save_sheet(FILE *f, nav_builder *b, const nav_instance *instance, const nav_settings *settings)
{
    float low[3], high[3];
    double min[3], max[3];
    int32_t first[2], last[2];
    must(nav_instance_bounds(instance, low, high));
    for (int k = 0; k < 3; k++) {
        min[k] = (double)low[k];
        max[k] = (double)high[k];
    }
    nav_sheet_box_to_frame(settings->sheet, min, max, min, max);
    nav_tile_range(settings, (double[]){min[0], min[2]}, (double[]){max[0], max[2]}, first, last);
    for (int32_t z = first[1]; z <= last[1]; z++)
        for (int32_t x = first[0]; x <= last[0]; x++)
            save_tile(f, b,
                      &(nav_tile_source){
                          .settings = settings, .tile_x = x, .tile_z = z, .instances = instance, .instance_count = 1});
}

static void save(const char *folder, const char *name, const scene *s, int32_t tile_cells)
{
    nav_mesh *mesh = scene_mesh(s);
    nav_builder *b;
    nav_settings settings;
    char path[4096];
    nav_settings_default(&settings);
    settings.generator = NAV_GENERATOR_SURFACE;
    settings.sheets = NAV_SHEETS_ALL;
    settings.tile_cells = tile_cells;
    settings.agent_radius_m = 0.5f;
    settings.agent_height_m = 1;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    must(f && nav_builder_create(0, &b) == NAV_OK);
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        settings.sheet = (nav_sheet)sheet;
        save_sheet(f, b, &(nav_instance){mesh, NAV_TRANSFORM_IDENTITY, 63}, &settings);
    }
    const uint8_t out[6] = {0, 0x80, 0, 0, 0, 1}; // the floor's first one goes again
    must(fwrite(out, 1, sizeof out, f) == sizeof out && fclose(f) == 0);
    nav_builder_destroy(b);
    nav_mesh_destroy(mesh);
}

int main(int argc, char **argv)
{
    scene cube = {0}, step = {0}, hills = {0};
    must(argc == 2);
    scene_box(&cube, 0, 0, 0, 8, 5, 6, 1, 0);
    save(argv[1], "box", &cube, 32);
    for (uint32_t i = 0; i < 3 * cube.tri_count; i += 3) { // inside out
        uint32_t swap = cube.tris[i];
        cube.tris[i] = cube.tris[i + 1];
        cube.tris[i + 1] = swap;
    }
    save(argv[1], "room", &cube, 32);
    scene_floor(&step, 0, 0, 8, 8, 0);
    scene_box(&step, 2, 0, 3, 6, 0.3f, 5, 1, 0);
    scene_box(&step, 5, -1, 6, 7, 3, 7.5f, 0.8f, 0.6f);
    save(argv[1], "step", &step, 32);
    scene_hills(&hills, 4, 3, 3);
    save(argv[1], "hills", &hills, 32);
    scene_free(&cube);
    scene_free(&step);
    scene_free(&hills);
    return 0;
}
