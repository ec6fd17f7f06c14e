#include "clients/navctl/tile_files/path_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_BYTES = 256 };

static bool is_mesh(const char *path)
{
    char head[4] = "";
    FILE *f = fopen(path, "rb");
    bool is = f && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, "mesh", sizeof head);
    if (f) fclose(f);
    return is;
}

static bool put_mesh(nav_path_set *set, const char *path, nav_status *s, char *why)
{
    uint8_t *bytes;
    size_t size;
    bool ok = store_read_bytes(path, &bytes, &size);
    if (ok) *s = nav_path_set_put_mesh(set, (const char *)bytes, size, why, WHY_BYTES);
    free(bytes);
    return ok;
}

static bool put_tiles(nav_path_set *set, const char *path, uint32_t profile, nav_status *s, char *why, store *file)
{
    store tiles;
    if (!store_read(path, &tiles)) return false;
    const nav_detour_params params = {.origin_m = {tiles.origin[0], tiles.origin[1], tiles.origin[2]},
                                      .tile_width_m = tiles.tile_width,
                                      .tile_height_m = tiles.tile_height};
    for (uint32_t i = 0; i < tiles.tile_count && *s == NAV_OK; i++) {
        const stored_tile *t = &tiles.tiles[i];
        if (tiles.encoding == GENERATE_DETOUR)
            *s = nav_path_set_put_detour(set, tiles.kind == STORE_MSET ? &params : NULL, t->bytes, t->size, why,
                                         WHY_BYTES);
        else if (t->profile == profile)
            *s = nav_path_set_put(set, t->bytes, t->size, why, WHY_BYTES);
    }
    if (file)
        *file = tiles;
    else
        store_deinit(&tiles);
    return true;
}

bool path_file_read(const char *path, uint32_t profile, nav_path_set **out, store *file)
{
    char why[WHY_BYTES] = "";
    nav_status s = nav_path_set_create(out);
    bool read = true;
    if (file) *file = (store){0};
    if (s == NAV_OK)
        read = is_mesh(path) ? put_mesh(*out, path, &s, why) : put_tiles(*out, path, profile, &s, why, file);
    if (read && s == NAV_OK) s = nav_path_set_join(*out);
    if (read && s == NAV_OK) {
        uint32_t left_out = nav_path_set_left_out(*out);
        if (left_out)
            fprintf(stderr, "navctl: %s: %u polygons cross themselves or have no area; paths go around them\n", path,
                    left_out);
        return true;
    }
    if (read) fprintf(stderr, "navctl: %s: %s\n", path, why[0] ? why : nav_status_text(s));
    nav_path_set_destroy(*out);
    *out = NULL;
    if (file) store_deinit(file);
    return false;
}
