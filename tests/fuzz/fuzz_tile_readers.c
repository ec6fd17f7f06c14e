// The readers of tiles and of files of tiles on any bytes: an error, or a view that can be walked to its end. What
// paths make of tiles is fuzz_paths. The first byte chooses the reader, so that one corpus serves all. Checksums of
// navd tiles are made right first: else nothing behind them would ever be reached.
#include "core/base/endian.h"
#include "core/graph/graph.h"
#include "core/tile/detour_packed.h"
#include "tests/core/tile_walk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

// Their graph, too: an error, or one whose edges lead to its nodes.
static void join_tiles(const nav_tile_view *tiles, uint32_t count)
{
    nav_arena arena;
    nav_graph g;
    nav_arena_init(&arena, (size_t)1 << 26);
    if (nav_graph_build(tiles, count, &arena, &g, NULL, 0) == NAV_OK)
        for (uint32_t i = 0; i < g.edge_count; i++)
            if (g.edges[i].nodes[0] >= g.node_count || g.edges[i].nodes[1] >= g.node_count) abort();
    nav_arena_deinit(&arena);
}

static void join_file(const nav_tile_file_view *file)
{
    enum { MOST = 8 };
    nav_tile_view views[MOST];
    uint32_t n = file->tile_count < MOST ? file->tile_count : MOST;
    for (uint32_t i = 0; i < n; i++) {
        nav_tile_file_tile tile;
        nav_tile_file_get(file, i, &tile);
        if (nav_tile_open(tile.bytes, tile.size, &views[i], NULL, 0) != NAV_OK) abort();
    }
    join_tiles(views, n);
}

enum { CHECKSUM_AT = 16 };

static void seal(uint8_t *tile, size_t count)
{
    if (count >= NAV_TILE_HEADER_BYTES) nav_store_u64(tile + CHECKSUM_AT, nav_tile_checksum(tile, count));
}

// Seals the table of areas, and the tiles where the file's records say they are.
static void seal_file(uint8_t *file, size_t count)
{
    if (count < NAV_TILE_FILE_HEADER_BYTES) return;
    size_t tiles = nav_load_u32(file + 16), areas = nav_load_u32(file + 20);
    bool has_areas = nav_load_u32(file + 4) == NAV_TILE_FILE_AREAS_VERSION && areas <= NAV_AREA_TYPES;
    size_t records = NAV_TILE_FILE_HEADER_BYTES + (has_areas ? areas * NAV_TILE_FILE_AREA_BYTES : 0);
    if (records > count) return;
    if (has_areas)
        nav_store_u64(file + 24, nav_tile_file_areas_checksum(file + NAV_TILE_FILE_HEADER_BYTES, (uint32_t)areas));
    for (size_t i = 0; i < tiles; i++) {
        size_t record = records + i * NAV_TILE_FILE_RECORD_BYTES;
        if (record + NAV_TILE_FILE_RECORD_BYTES > count) return;
        uint64_t offset = nav_load_u64(file + record + 40);
        uint32_t size = nav_load_u32(file + record + 12);
        if (offset <= count && size <= count - offset) seal(file + offset, size);
    }
}

// A size, then a packed tile: what comes out of it is looked at like any Detour tile.
static void unpack(const uint8_t *bytes, size_t count)
{
    nav_buffer tile = {0};
    nav_detour_view v;
    if (count >= 2 && nav_detour_unpack(bytes + 2, count - 2, nav_load_u16(bytes), &tile) == NAV_OK) {
        if (tile.size != nav_load_u16(bytes)) abort();
        if (nav_detour_open(tile.data, tile.size, &v, NULL, 0) == NAV_OK) (void)walk_detour(&v);
    }
    nav_buffer_deinit(&tile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count == 0) return 0;
    size_t size = count - 1;
    uint8_t *copy = malloc(size ? size : 1); // exactly sized
    if (!copy) return 0;
    memcpy(copy, bytes + 1, size);
    char why[256];
    nav_tile_view tile;
    nav_detour_view detour;
    nav_mset_view mset;
    nav_tile_file_view file;
    switch (bytes[0] == 4 ? 4 : bytes[0] & 3) {
    case 0:
        seal(copy, size);
        if (nav_tile_open(copy, size, &tile, why, sizeof why) != NAV_OK) break;
        (void)walk_tile(&tile);
        join_tiles(&tile, 1);
        break;
    case 1:
        if (nav_detour_open(copy, size, &detour, why, sizeof why) == NAV_OK) (void)walk_detour(&detour);
        break;
    case 2:
        if (nav_mset_open(copy, size, &mset, why, sizeof why) == NAV_OK) (void)walk_mset(&mset);
        break;
    case 4:
        unpack(copy, size);
        break;
    default:
        seal_file(copy, size);
        if (nav_tile_file_open(copy, size, &file, why, sizeof why) != NAV_OK) break;
        (void)walk_tile_file(&file);
        join_file(&file);
        break;
    }
    free(copy);
    return 0;
}
