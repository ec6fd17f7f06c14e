#include "clients/navctl/bake/build_file.h"
#include "core/tile/tile_format.h"

#include <stdio.h>
#include <stdlib.h>

unsigned build_file_encodings(mesh_file_kind kind, const nav_settings *settings)
{
    const unsigned own = 1u << mesh_file_encoding(kind);
    return mesh_file_has_sheets(kind, settings) ? own | 1u << GENERATE_NAVD : own;
}

bool build_file_cells(const tile_set *tiles, sheet_cells *out)
{
    uint32_t count;
    nav_tile_view v;
    stored_tile *list = tile_set_list(tiles, &count);
    *out = (sheet_cells){0};
    bool ok = list && sheet_cells_init(out, count);
    for (uint32_t i = 0; i < count && ok; i++) {
        if (nav_tile_open(list[i].bytes, list[i].size, &v, NULL, 0) != NAV_OK || !v.cell_count) continue;
        ok = nav_buffer_append(&out->tiles[i], list[i].bytes, list[i].size) == NAV_OK;
    }
    free(list);
    return ok;
}

bool build_file_write(const scene_build *b, uint32_t profile, const char *path, mesh_file_kind kind, const char *from)
{
    nav_settings settings = b->input->profiles[profile].settings;
    nav_area_table_apply(b->input->areas, &settings);
    const tile_set *tiles = scene_build_tiles(b, profile, mesh_file_encoding(kind));
    sheet_cells cells = {0};
    uint32_t count = 0, seams;
    stored_tile *list = tile_set_list(tiles, &count);
    bool ok = list != NULL;
    if (ok && mesh_file_has_sheets(kind, &settings))
        ok = build_file_cells(scene_build_tiles(b, profile, GENERATE_NAVD), &cells);
    if (!ok) fprintf(stderr, "navctl: no memory left\n");
    const mesh_file file = {.path = path,
                            .kind = kind,
                            .from = from,
                            .settings = &settings,
                            .areas = b->input->areas,
                            .tiles = list,
                            .tile_count = count,
                            .cells = &cells};
    ok = ok && mesh_file_write(&file, &seams);
    sheet_cells_deinit(&cells);
    free(list);
    return ok;
}
