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

// What a file becomes.
typedef struct ground {
    nav_path_set *set;
    nav_climb_set *climb;
    nav_status status;
    char why[WHY_BYTES];
} ground;

// False: it cannot be read, with one line on stderr.
static bool put_mesh(ground *g, const char *path)
{
    uint8_t *bytes;
    size_t size;
    bool ok = store_read_bytes(path, &bytes, &size);
    if (ok) g->status = nav_path_set_put_mesh(g->set, (const char *)bytes, size, g->why, WHY_BYTES);
    free(bytes);
    return ok;
}

static bool has_sheets(const store *s, uint32_t profile)
{
    for (uint32_t i = 0; i < s->tile_count; i++)
        if (s->encoding == GENERATE_NAVD && s->tiles[i].profile == profile && s->tiles[i].sheet != NAV_SHEET_UP)
            return true;
    return false;
}

static void put_tiles(ground *g, const store *tiles, uint32_t profile)
{
    const nav_detour_params params = {.origin_m = {tiles->origin[0], tiles->origin[1], tiles->origin[2]},
                                      .tile_width_m = tiles->tile_width,
                                      .tile_height_m = tiles->tile_height};
    for (uint32_t i = 0; i < tiles->tile_count && g->status == NAV_OK; i++) {
        const stored_tile *t = &tiles->tiles[i];
        if (tiles->encoding == GENERATE_DETOUR)
            g->status = nav_path_set_put_detour(g->set, tiles->kind == STORE_MSET ? &params : NULL, t->bytes, t->size,
                                                g->why, WHY_BYTES);
        else if (t->profile == profile && g->climb)
            g->status = nav_climb_set_put(g->climb, t->bytes, t->size, g->why, WHY_BYTES);
        else if (t->profile == profile)
            g->status = nav_path_set_put(g->set, t->bytes, t->size, g->why, WHY_BYTES);
    }
}

static bool read_tiles(ground *g, const char *path, uint32_t profile, bool may_climb, store *file)
{
    store tiles;
    if (!store_read(path, &tiles)) return false;
    if (has_sheets(&tiles, profile) && !may_climb) {
        g->status = NAV_ERR_ARGUMENT;
        snprintf(g->why, WHY_BYTES,
                 "it has walls or ceilings, over which only path leads, and audit without pictures and comparisons");
    } else if (has_sheets(&tiles, profile)) {
        g->status = nav_climb_set_create(NAV_CLIMB_INNER_DEG, &g->climb);
    }
    if (g->status == NAV_OK) put_tiles(g, &tiles, profile);
    if (file)
        *file = tiles;
    else
        store_deinit(&tiles);
    return true;
}

static void tell_left_out(const ground *g, const char *path)
{
    uint32_t left_out = g->climb ? 0 : nav_path_set_left_out(g->set);
    if (left_out)
        fprintf(stderr, "navctl: %s: %u polygons cross themselves or have no area; paths go around them\n", path,
                left_out);
}

bool path_file_read(const char *path, uint32_t profile, nav_path_set **out, nav_climb_set **climb, store *file)
{
    ground g = {.set = NULL};
    bool read = true;
    if (file) *file = (store){0};
    g.status = nav_path_set_create(&g.set);
    if (g.status == NAV_OK) read = is_mesh(path) ? put_mesh(&g, path) : read_tiles(&g, path, profile, climb, file);
    if (read && g.status == NAV_OK) g.status = g.climb ? nav_climb_set_join(g.climb) : nav_path_set_join(g.set);
    bool ok = read && g.status == NAV_OK;
    if (ok) tell_left_out(&g, path);
    if (read && !ok) fprintf(stderr, "navctl: %s: %s\n", path, g.why[0] ? g.why : nav_status_text(g.status));
    if (!ok || g.climb) {
        nav_path_set_destroy(g.set);
        g.set = NULL;
    }
    if (!ok) {
        nav_climb_set_destroy(g.climb);
        g.climb = NULL;
        if (file) store_deinit(file);
    }
    *out = g.set;
    if (climb) *climb = g.climb;
    return ok;
}
