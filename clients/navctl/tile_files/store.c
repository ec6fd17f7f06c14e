#include "clients/navctl/tile_files/store.h"
#include "clients/navctl/output/output.h"
#include "core/base/endian.h"
#include "core/base/parallel.h"
#include "core/tile/detour.h"
#include "core/tile/mset.h"
#include "core/tile/tile_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { WHY_BYTES = 256, MOST_SLICES = 32 };

bool store_encoding_of(const char *path, generate_encoding *out)
{
    const char *dot = strrchr(path, '.');
    bool is_detour = dot && !strcasecmp(dot, ".bin"), is_navd = dot && !strcasecmp(dot, ".navd");
    if (is_detour || is_navd) *out = is_detour ? GENERATE_DETOUR : GENERATE_NAVD;
    return is_detour || is_navd;
}

stored_tile *store_list(const generated *g, uint32_t *count)
{
    stored_tile *list = malloc(sizeof *list * (g->filled + 1));
    *count = 0;
    for (uint64_t i = 0; list && i < g->grids.total; i++) {
        if (!g->tiles[i].bytes) continue;
        stored_tile *t = &list[(*count)++];
        *t = (stored_tile){.bytes = g->tiles[i].bytes, .size = g->tiles[i].size};
        t->sheet = sheet_grids_at(&g->grids, i, &t->x, &t->z)->sheet;
    }
    return list;
}

// Something that is done to each tile, in slices.
typedef struct slices {
    nav_status (*take)(struct slices *all, int slice, uint32_t tile, char *why);
    const stored_tile *tiles;
    uint32_t count;
    int slice_count;
    struct slice_end {
        nav_status status;
        uint32_t tile; // that failed
        char why[WHY_BYTES];
    } ends[MOST_SLICES];
    void *out; // of take()
} slices;

static void take_slice(void *user, int which)
{
    slices *all = user;
    struct slice_end *end = &all->ends[which];
    uint32_t first = (uint32_t)((uint64_t)all->count * (uint64_t)which / (uint64_t)all->slice_count);
    uint32_t last = (uint32_t)((uint64_t)all->count * ((uint64_t)which + 1) / (uint64_t)all->slice_count);
    for (uint32_t i = first; i < last && end->status == NAV_OK; i++) {
        end->tile = i;
        end->status = all->take(all, which, i, end->why);
    }
}

// NULL: all went well; else what went wrong with the first tile that failed.
static const struct slice_end *run_slices(slices *all, const nav_parallel *parallel)
{
    all->slice_count = parallel ? MOST_SLICES : 1;
    nav_parallel_run(parallel, take_slice, all, all->slice_count);
    for (int i = 0; i < all->slice_count; i++)
        if (all->ends[i].status != NAV_OK) return &all->ends[i];
    return NULL;
}

static nav_status describe_mset(slices *all, int slice, uint32_t i, char *why)
{
    nav_mset_tile *tile = (nav_mset_tile *)all->out + i;
    (void)slice;
    *tile = (nav_mset_tile){.bytes = all->tiles[i].bytes, .size = all->tiles[i].size};
    return nav_mset_describe(tile, why, WHY_BYTES);
}

static nav_status describe_navd(slices *all, int slice, uint32_t i, char *why)
{
    nav_tile_file_tile *tile = (nav_tile_file_tile *)all->out + i;
    (void)slice;
    *tile = (nav_tile_file_tile){
        .bytes = all->tiles[i].bytes, .size = all->tiles[i].size, .profile = all->tiles[i].profile};
    return nav_tile_file_describe(tile, why, WHY_BYTES);
}

// A Detour file is of one sheet: it has one frame.
static bool is_of_one_sheet(const stored_tile *tiles, uint32_t count, char *why)
{
    for (uint32_t i = 1; i < count; i++) {
        if (tiles[i].sheet == tiles[0].sheet) continue;
        snprintf(why, WHY_BYTES, "tiles of sheets %s and %s do not go into one Detour file: write a .navd file",
                 nav_sheet_name(tiles[0].sheet), nav_sheet_name(tiles[i].sheet));
        return false;
    }
    return true;
}

static nav_status write_mset(const nav_settings *settings, void *list, uint32_t count, nav_buffer *out, char *why)
{
    if (count) return nav_mset_write(settings, list, count, out, why, WHY_BYTES);
    snprintf(why, WHY_BYTES, "no tile has walkable ground, and a Detour file needs at least one tile");
    return NAV_ERR_ARGUMENT;
}

bool store_write(const char *path, generate_encoding encoding, const nav_settings *settings,
                 const nav_area_table *areas, const stored_tile *tiles, uint32_t count, const nav_parallel *parallel)
{
    const bool detour = encoding == GENERATE_DETOUR;
    char why[WHY_BYTES] = "";
    nav_buffer file = {0};
    slices all = {.take = detour ? describe_mset : describe_navd, .tiles = tiles, .count = count};
    all.out = calloc((size_t)count + 1, detour ? sizeof(nav_mset_tile) : sizeof(nav_tile_file_tile));
    nav_status s = all.out ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK && detour && !is_of_one_sheet(tiles, count, why)) s = NAV_ERR_ARGUMENT;
    const struct slice_end *bad = s == NAV_OK ? run_slices(&all, parallel) : NULL;
    if (bad) {
        s = bad->status;
        memcpy(why, bad->why, sizeof why);
    }
    if (s == NAV_OK)
        s = detour ? write_mset(settings, all.out, count, &file, why)
                   : nav_tile_file_write(all.out, count, areas, &file, why, WHY_BYTES);
    free(all.out);
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

bool store_read_bytes(const char *path, uint8_t **bytes, size_t *size)
{
    struct stat info;
    *bytes = NULL;
    *size = 0;
    FILE *f = fopen(path, "rb");
    bool ok = f && fstat(fileno(f), &info) == 0;
    if (ok && !S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        ok = false;
    }
    if (ok) {
        *size = (size_t)info.st_size;
        *bytes = malloc(*size + 1);
        ok = *bytes && fread(*bytes, 1, *size, f) == *size;
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
        s->tiles[s->tile_count] =
            (stored_tile){.x = t.x, .z = t.z, .sheet = t.sheet, .profile = t.profile, .bytes = t.bytes, .size = t.size};
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
        tile.sheet = v.sheet;
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

bool store_is_tiles(const char *path)
{
    uint8_t start[4] = {0};
    generate_encoding encoding;
    if (store_encoding_of(path, &encoding)) return true;
    FILE *f = fopen(path, "rb");
    bool some = f && fread(start, 1, sizeof start, f) == sizeof start;
    if (f) fclose(f);
    const uint32_t magic = nav_load_u32(start);
    return some && (magic == NAV_MSET_MAGIC || magic == NAV_DETOUR_MAGIC || !memcmp(start, "NAVF", 4) ||
                    !memcmp(start, "NAVT", 4));
}

bool store_read(const char *path, store *out)
{
    char why[WHY_BYTES] = "";
    *out = (store){0};
    if (!store_read_bytes(path, &out->bytes, &out->size)) {
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
        snprintf(why, sizeof why,
                 out->size ? "neither a file of tiles nor a tile; navctl build makes tiles of a scene"
                           : "the file is empty");
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

static nav_status draw_detour(slices *all, int slice, uint32_t i, char *why)
{
    return draw_mesh_add_detour((draw_mesh *)all->out + slice, all->tiles[i].bytes, all->tiles[i].size, why, WHY_BYTES);
}

static nav_status draw_navd(slices *all, int slice, uint32_t i, char *why)
{
    return draw_mesh_add_navd((draw_mesh *)all->out + slice, all->tiles[i].bytes, all->tiles[i].size, why, WHY_BYTES);
}

bool store_draw(const char *path, generate_encoding encoding, const stored_tile *tiles, uint32_t count,
                const nav_parallel *parallel, draw_mesh *out)
{
    draw_mesh parts[MOST_SLICES];
    for (int i = 0; i < MOST_SLICES; i++) draw_mesh_init(&parts[i]);
    slices all = {
        .take = encoding == GENERATE_DETOUR ? draw_detour : draw_navd, .tiles = tiles, .count = count, .out = parts};
    const struct slice_end *bad = run_slices(&all, parallel);
    nav_status s = NAV_OK;
    if (bad) {
        s = bad->status;
        fprintf(stderr, "navctl: %s: tile %d,%d: %s\n", path, tiles[bad->tile].x, tiles[bad->tile].z,
                bad->why[0] ? bad->why : nav_status_text(s));
    }
    for (int i = 0; i < all.slice_count; i++) {
        if (s == NAV_OK && (s = draw_mesh_append(out, &parts[i])) != NAV_OK)
            fprintf(stderr, "navctl: %s: %s\n", path, nav_status_text(s));
        draw_mesh_deinit(&parts[i]);
    }
    return s == NAV_OK;
}
