// Writes small valid inputs for fuzz_tile_readers into a folder: each reader's kind, with detail, links and several
// tiles.
#include "core/base/endian.h"
#include "core/tile/detour_packed.h"
#include "tests/core/tile_fixture.h"
#include "tests/core/tile_walk.h"

#include <stdio.h>
#include <stdlib.h>

static fixture fix;

static int save(const char *folder, const char *name, int kind, const nav_buffer *b)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        return 1;
    }
    int failed = fputc(kind, f) == EOF || fwrite(b->data, 1, b->size, f) != b->size;
    return fclose(f) != 0 || failed;
}

static void must(nav_status s)
{
    if (s == NAV_OK) return;
    fprintf(stderr, "seed_tiles: %s\n", nav_status_text(s));
    exit(1);
}

static void floor_with_link(int32_t x, int32_t z)
{
    fixture_floor(&fix, x, z, 3);
    fix.cell_flags[1] = NAV_CELL_RELAXED;
    fixture_link(&fix, (nav_link){.id = 7,
                                  .start = {1, 0.75f, 1},
                                  .end = {12, 0.75f, 1},
                                  .radius_m = 0.5f,
                                  .area = 9,
                                  .both_ways = 1,
                                  .flags = 1});
}

static int save_tiles(const char *folder)
{
    nav_buffer tile = {0}, empty = {0}, detour = {0};
    floor_with_link(0, 0);
    must(nav_tile_encode(&fix.tile, &tile));
    must(nav_detour_encode(&fix.tile, &detour));
    fixture_init(&fix, 4, 4);
    must(nav_tile_encode(&fix.tile, &empty));
    int failed =
        save(folder, "tile", 0, &tile) | save(folder, "tile_empty", 0, &empty) | save(folder, "detour", 1, &detour);
    nav_buffer_deinit(&tile);
    nav_buffer_deinit(&empty);
    nav_buffer_deinit(&detour);
    return failed;
}

// The size of the tile, then its packed form.
static int save_packed(const char *folder)
{
    nav_buffer detour = {0}, packed = {0};
    uint8_t size[2];
    floor_with_link(2, -1);
    fixture_number_by_use(&fix);
    must(nav_detour_encode(&fix.tile, &detour));
    nav_store_u16(size, (uint16_t)detour.size);
    must(nav_buffer_append(&packed, size, sizeof size));
    must(nav_detour_pack(detour.data, detour.size, &fix.settings, &packed));
    int failed = save(folder, "packed", 4, &packed);
    nav_buffer_deinit(&detour);
    nav_buffer_deinit(&packed);
    return failed;
}

static int save_files(const char *folder)
{
    nav_buffer detours[2] = {0}, tiles[2] = {0}, mset = {0}, file = {0}, file_areas = {0};
    nav_area_table areas = {0};
    nav_mset_tile mset_tiles[2] = {0};
    nav_tile_file_tile file_tiles[2] = {0};
    for (int i = 0; i < 2; i++) {
        floor_with_link(i, 0);
        must(nav_detour_encode(&fix.tile, &detours[i]));
        must(nav_tile_encode(&fix.tile, &tiles[i]));
        mset_tiles[i] = (nav_mset_tile){.bytes = detours[i].data, .size = detours[i].size};
        must(nav_mset_describe(&mset_tiles[i], NULL, 0));
        file_tiles[i] = (nav_tile_file_tile){.bytes = tiles[i].data, .size = (uint32_t)tiles[i].size};
        must(nav_tile_file_describe(&file_tiles[i], NULL, 0));
    }
    must(nav_mset_write(&fix.settings, mset_tiles, 2, &mset, NULL, 0));
    must(nav_tile_file_write(file_tiles, 2, NULL, &file, NULL, 0));
    nav_area_type *area = nav_area_table_put(&areas, 9);
    *area = (nav_area_type){
        .id = 9, .name = "ladder", .cost = 2.5f, .has_flags = true, .flags = 4, .has_color = true, .color = 0xcc6633};
    (void)nav_area_table_put(&areas, 63);
    must(nav_tile_file_write(file_tiles, 2, &areas, &file_areas, NULL, 0));
    int failed = save(folder, "mset", 2, &mset) | save(folder, "tile_file", 3, &file) |
                 save(folder, "tile_file_areas", 3, &file_areas);
    for (int i = 0; i < 2; i++) {
        nav_buffer_deinit(&detours[i]);
        nav_buffer_deinit(&tiles[i]);
    }
    nav_buffer_deinit(&mset);
    nav_buffer_deinit(&file);
    nav_buffer_deinit(&file_areas);
    return failed;
}

// The same place in two sheets, and a third one beside.
static int save_sheets(const char *folder)
{
    static const nav_sheet sheets[3] = {NAV_SHEET_UP, NAV_SHEET_ZMINUS, NAV_SHEET_ZMINUS};
    nav_buffer tiles[3] = {0}, file = {0};
    nav_tile_file_tile file_tiles[3] = {0};
    int failed = 0;
    for (int i = 0; i < 3; i++) {
        fixture_floor(&fix, i / 2, 0, 3);
        fix.settings.sheets = NAV_SHEETS_ALL;
        fix.settings.sheet = sheets[i];
        fix.tile.config.sheet = sheets[i];
        if (i) fix.behind[0] = fix.cell_behind[0] = NAV_EDGE_SEAM;
        must(nav_tile_encode(&fix.tile, &tiles[i]));
        file_tiles[i] = (nav_tile_file_tile){.bytes = tiles[i].data, .size = (uint32_t)tiles[i].size};
        must(nav_tile_file_describe(&file_tiles[i], NULL, 0));
    }
    must(nav_tile_file_write(file_tiles, 3, NULL, &file, NULL, 0));
    failed |= save(folder, "tile_sheet", 0, &tiles[1]) | save(folder, "tile_file_sheets", 3, &file);
    for (int i = 0; i < 3; i++) nav_buffer_deinit(&tiles[i]);
    nav_buffer_deinit(&file);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seed_tiles FOLDER\n");
        return 2;
    }
    return save_tiles(argv[1]) | save_packed(argv[1]) | save_files(argv[1]) | save_sheets(argv[1]);
}
