#include "clients/navctl/tile_files/mesh_file.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/tile_files/mesh_glb.h"
#include "clients/navctl/tile_files/mesh_obj.h"
#include "core/base/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool mesh_file_kind_of(const char *path, mesh_file_kind *out)
{
    static const char *const endings[] = {
        [MESH_FILE_DETOUR] = ".bin", [MESH_FILE_NAVD] = ".navd", [MESH_FILE_OBJ] = ".obj", [MESH_FILE_GLB] = ".glb"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < (int)(sizeof endings / sizeof *endings); i++) {
        if (strcasecmp(dot, endings[i]) != 0) continue;
        *out = (mesh_file_kind)i;
        return true;
    }
    return false;
}

generate_encoding mesh_file_encoding(mesh_file_kind kind)
{
    return kind == MESH_FILE_DETOUR ? GENERATE_DETOUR : GENERATE_NAVD;
}

bool mesh_file_has_sheets(mesh_file_kind kind, const nav_settings *settings)
{
    return kind == MESH_FILE_DETOUR && settings->sheets != NAV_SHEETS_UP;
}

bool mesh_file_is_possible(const char *path, mesh_file_kind kind, const nav_settings *settings)
{
    return mesh_file_has_sheets(kind, settings) ? sheet_files_are_possible(path, settings->sheets)
                                                : output_is_possible(path);
}

bool mesh_file_write(const mesh_file *f, uint32_t *seams)
{
    *seams = 0;
    if (f->kind == MESH_FILE_GLB) return mesh_glb_write(f->path, f->tiles, f->tile_count);
    if (f->kind == MESH_FILE_OBJ) return mesh_obj_write(f->path, f->from, f->tiles, f->tile_count);
    if (mesh_file_has_sheets(f->kind, f->settings))
        return sheet_files_write(f->path, f->settings, f->tiles, f->tile_count, f->cells, f->parallel, seams);
    return store_write(f->path, mesh_file_encoding(f->kind), f->settings, f->areas, f->tiles, f->tile_count,
                       f->parallel);
}

static bool hash_one(const char *path, nav_key *sum)
{
    uint8_t block[1 << 16];
    size_t count;
    FILE *f = fopen(path, "rb");
    bool ok = f != NULL;
    while (ok && (count = fread(block, 1, sizeof block, f)) > 0) *sum = nav_key_join(*sum, nav_key_of(block, count));
    ok = ok && !ferror(f);
    if (f) fclose(f);
    return ok;
}

bool mesh_file_hash(const char *path, mesh_file_kind kind, const nav_settings *settings, nav_key *out)
{
    bool some = false;
    *out = (nav_key){0};
    if (!mesh_file_has_sheets(kind, settings)) return hash_one(path, out);
    for (int s = 0; s <= NAV_SHEET_COUNT; s++) {
        if (s < NAV_SHEET_COUNT && !(settings->sheets >> s & 1)) continue;
        char *name = sheet_files_name(path, s);
        const nav_key which = {(uint64_t)s, 1};
        *out = nav_key_join(*out, which); // a sheet without ground has no file
        some |= name && hash_one(name, out);
        free(name);
    }
    return some;
}
