#include "clients/navctl/tile_files/store.h"
#include "clients/navctl/output/output.h"
#include "core/base/endian.h"
#include "core/tile/detour.h"
#include "core/tile/mset.h"
#include "core/tile/tile_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { WHY_BYTES = 256 };

bool store_encoding_of(const char *path, generate_encoding *out)
{
    const char *dot = strrchr(path, '.');
    bool is_detour = dot && !strcasecmp(dot, ".bin"), is_navd = dot && !strcasecmp(dot, ".navd");
    if (is_detour || is_navd) *out = is_detour ? GENERATE_DETOUR : GENERATE_NAVD;
    return is_detour || is_navd;
}

stored_tile *store_list(const generated *g, uint32_t *count)
{
    uint64_t total = (uint64_t)g->tile_count[0] * (uint64_t)g->tile_count[1];
    stored_tile *list = malloc(sizeof *list * (g->filled + 1));
    *count = 0;
    for (uint64_t i = 0; list && i < total; i++) {
        if (!g->tiles[i].bytes) continue;
        list[(*count)++] = (stored_tile){.x = g->first_tile[0] + (int32_t)(i % (uint64_t)g->tile_count[0]),
                                         .z = g->first_tile[1] + (int32_t)(i / (uint64_t)g->tile_count[0]),
                                         .bytes = g->tiles[i].bytes,
                                         .size = g->tiles[i].size};
    }
    return list;
}

static nav_status write_mset(const nav_settings *settings, const stored_tile *tiles, uint32_t count, nav_buffer *out,
                             char *why)
{
    nav_mset_tile *list = calloc((size_t)count + 1, sizeof *list);
    nav_status s = list ? NAV_OK : NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count && s == NAV_OK; i++) {
        list[i] = (nav_mset_tile){.bytes = tiles[i].bytes, .size = tiles[i].size};
        s = nav_mset_describe(&list[i], why, WHY_BYTES);
    }
    if (s == NAV_OK && count == 0) {
        snprintf(why, WHY_BYTES, "no tile has walkable ground, and a Detour file needs at least one tile");
        s = NAV_ERR_ARGUMENT;
    }
    if (s == NAV_OK) s = nav_mset_write(settings, list, count, out, why, WHY_BYTES);
    free(list);
    return s;
}

static nav_status write_navd(const nav_area_table *areas, const stored_tile *tiles, uint32_t count, nav_buffer *out,
                             char *why)
{
    nav_tile_file_tile *list = calloc((size_t)count + 1, sizeof *list);
    nav_status s = list ? NAV_OK : NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count && s == NAV_OK; i++) {
        list[i] = (nav_tile_file_tile){.bytes = tiles[i].bytes, .size = tiles[i].size, .profile = tiles[i].profile};
        s = nav_tile_file_describe(&list[i], why, WHY_BYTES);
    }
    if (s == NAV_OK) s = nav_tile_file_write(list, count, areas, out, why, WHY_BYTES);
    free(list);
    return s;
}

bool store_write(const char *path, generate_encoding encoding, const nav_settings *settings,
                 const nav_area_table *areas, stored_tile *tiles, uint32_t count)
{
    char why[WHY_BYTES] = "";
    nav_buffer file = {0};
    nav_status s = encoding == GENERATE_DETOUR ? write_mset(settings, tiles, count, &file, why)
                                               : write_navd(areas, tiles, count, &file, why);
    bool ok = s == NAV_OK && output_write_file(path, file.data, file.size);
    if (s != NAV_OK) fprintf(stderr, "navctl: cannot write %s: %s\n", path, why[0] ? why : nav_status_text(s));
    nav_buffer_deinit(&file);
    return ok;
}

const char *store_kind_name(store_kind k)
{
    static const char *const names[] = {[STORE_MSET] = "Detour multi-tile file",
                                        [STORE_NAVD] = "navd tile file",
                                        [STORE_DETOUR_TILE] = "Detour tile",
                                        [STORE_NAVD_TILE] = "navd tile"};
    return names[k];
}

static bool read_bytes(const char *path, store *s)
{
    struct stat info;
    FILE *f = fopen(path, "rb");
    bool ok = f && fstat(fileno(f), &info) == 0;
    if (ok && !S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        ok = false;
    }
    if (ok) {
        s->size = (size_t)info.st_size;
        s->bytes = malloc(s->size + 1);
        ok = s->bytes && fread(s->bytes, 1, s->size, f) == s->size;
    }
    if (!ok) fprintf(stderr, "navctl: %s: %s\n", path, strerror(errno));
    if (f) fclose(f);
    return ok;
}

static nav_status open_mset(store *s, char *why)
{
    nav_mset_view v;
    nav_status status = nav_mset_open(s->bytes, s->size, &v, why, WHY_BYTES);
    if (status != NAV_OK) return status;
    s->kind = STORE_MSET;
    s->encoding = GENERATE_DETOUR;
    s->tiles = calloc((size_t)v.tile_count + 1, sizeof *s->tiles);
    if (!s->tiles) return NAV_ERR_MEMORY;
    memcpy(s->origin, v.origin, sizeof s->origin);
    s->tile_width = v.tile_width;
    s->tile_height = v.tile_height;
    s->max_tiles = v.max_tiles;
    s->max_polys = v.max_polys;
    nav_mset_tile t;
    for (size_t at = 0; s->tile_count < v.tile_count && nav_mset_next(&v, &at, &t);) {
        s->tiles[s->tile_count++] = (stored_tile){.x = t.x, .z = t.z, .bytes = t.bytes, .size = (uint32_t)t.size};
    }
    return NAV_OK;
}

static nav_status open_navd(store *s, char *why)
{
    nav_tile_file_view v;
    nav_status status = nav_tile_file_open(s->bytes, s->size, &v, why, WHY_BYTES);
    if (status != NAV_OK) return status;
    s->kind = STORE_NAVD;
    s->encoding = GENERATE_NAVD;
    s->areas = v.areas;
    s->tiles = calloc((size_t)v.tile_count + 1, sizeof *s->tiles);
    if (!s->tiles) return NAV_ERR_MEMORY;
    for (; s->tile_count < v.tile_count; s->tile_count++) {
        nav_tile_file_tile t;
        nav_tile_file_get(&v, s->tile_count, &t);
        s->tiles[s->tile_count] = (stored_tile){t.x, t.z, t.profile, t.bytes, t.size};
    }
    return NAV_OK;
}

static nav_status open_single(store *s, bool is_detour, char *why)
{
    stored_tile tile = {.bytes = s->bytes, .size = (uint32_t)s->size};
    nav_status status;
    if (is_detour) {
        nav_detour_view v;
        status = nav_detour_open(s->bytes, s->size, &v, why, WHY_BYTES);
        tile.x = v.header.x;
        tile.z = v.header.z;
    } else {
        nav_tile_view v;
        status = nav_tile_open(s->bytes, s->size, &v, why, WHY_BYTES);
        tile.x = v.tile_x;
        tile.z = v.tile_z;
    }
    if (status != NAV_OK) return status;
    s->kind = is_detour ? STORE_DETOUR_TILE : STORE_NAVD_TILE;
    s->encoding = is_detour ? GENERATE_DETOUR : GENERATE_NAVD;
    s->tiles = malloc(sizeof *s->tiles);
    if (!s->tiles) return NAV_ERR_MEMORY;
    s->tiles[0] = tile;
    s->tile_count = 1;
    return NAV_OK;
}

bool store_read(const char *path, store *out)
{
    char why[WHY_BYTES] = "";
    *out = (store){0};
    if (!read_bytes(path, out)) {
        store_deinit(out);
        return false;
    }
    uint32_t magic = out->size >= 4 ? nav_load_u32(out->bytes) : 0;
    nav_status s;
    if (magic == NAV_MSET_MAGIC) {
        s = open_mset(out, why);
    } else if (magic == NAV_DETOUR_MAGIC) {
        s = open_single(out, true, why);
    } else if (out->size >= 4 && !memcmp(out->bytes, "NAVF", 4)) {
        s = open_navd(out, why);
    } else if (out->size >= 4 && !memcmp(out->bytes, "NAVT", 4)) {
        s = open_single(out, false, why);
    } else {
        s = NAV_ERR_FORMAT;
        snprintf(why, sizeof why, out->size ? "neither a file of tiles nor a tile" : "the file is empty");
    }
    if (s == NAV_OK) return true;
    fprintf(stderr, "navctl: %s: %s\n", path, why[0] ? why : nav_status_text(s));
    store_deinit(out);
    return false;
}

void store_deinit(store *s)
{
    free(s->bytes);
    free(s->tiles);
    *s = (store){0};
}

bool store_draw(const char *path, generate_encoding encoding, const stored_tile *tiles, uint32_t count, draw_mesh *out)
{
    char why[WHY_BYTES] = "";
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < count && s == NAV_OK; i++) {
        s = encoding == GENERATE_DETOUR ? draw_mesh_add_detour(out, tiles[i].bytes, tiles[i].size, why, sizeof why)
                                        : draw_mesh_add_navd(out, tiles[i].bytes, tiles[i].size, why, sizeof why);
        if (s != NAV_OK) {
            fprintf(stderr, "navctl: %s: tile %d,%d: %s\n", path, tiles[i].x, tiles[i].z,
                    why[0] ? why : nav_status_text(s));
        }
    }
    return s == NAV_OK;
}
