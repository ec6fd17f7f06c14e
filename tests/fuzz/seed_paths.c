// Writes small sets of tiles and a mesh for fuzz_paths into a folder.
#include "core/base/endian.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/core/tile_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fixture fix;

static void must(bool good)
{
    if (good) return;
    fprintf(stderr, "seed_paths: failed\n");
    exit(1);
}

static void append(nav_buffer *b, const void *bytes, size_t count)
{
    must(nav_buffer_append(b, bytes, count) == NAV_OK);
}

static void append_tile(nav_buffer *b, const nav_buffer *tile)
{
    uint8_t size[2];
    nav_store_u16(size, (uint16_t)tile->size);
    append(b, size, sizeof size);
    append(b, tile->data, tile->size);
}

// The tile of the fixture behind those that there are.
static void append_fixture(nav_buffer *b, bool detour, int32_t layer)
{
    nav_buffer tile = {0};
    must((detour ? nav_detour_encode(&fix.tile, &tile) : nav_tile_encode(&fix.tile, &tile)) == NAV_OK);
    if (detour) nav_store_i32(tile.data + 16, layer);
    append_tile(b, &tile);
    nav_buffer_deinit(&tile);
}

static void add_rectangle(int32_t x0, int32_t z0, int32_t x1, int32_t z1, int32_t y)
{
    const int32_t v[4] = {fixture_vert(&fix, x0, y, z0), fixture_vert(&fix, x0, y, z1), fixture_vert(&fix, x1, y, z1),
                          fixture_vert(&fix, x1, y, z0)};
    fixture_poly(&fix, 63, 4, v);
}

static void save(const char *folder, const char *name, nav_buffer *b)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    must(f && fwrite(b->data, 1, b->size, f) == b->size && fclose(f) == 0);
    nav_buffer_deinit(b);
}

static void save_floors(const char *folder, const char *name, bool detour)
{
    nav_buffer b = {0};
    append(&b, &(uint8_t){detour}, 1);
    for (int32_t i = 0; i < 3; i++) {
        fixture_floor(&fix, i % 2, i / 2, 3);
        fixture_link(&fix, (nav_link){.id = 7,
                                      .start = {1 + 8 * (float)(i % 2), 0.75f, 1 + 8 * (float)(i / 2)},
                                      .end = {12, 0.75f, 1},
                                      .radius_m = 0.5f,
                                      .area = 9,
                                      .both_ways = 1,
                                      .flags = 1});
        append_fixture(&b, detour, 0);
    }
    append(&b, (uint8_t[]){0, 0x80, 0, 1, 0, 1}, 6); // and out again
    save(folder, name, &b);
}

// Borders that share pieces only, and a layer above.
static void save_pieces(const char *folder)
{
    nav_buffer b = {0};
    append(&b, &(uint8_t){1}, 1);
    fixture_init(&fix, 0, 0);
    add_rectangle(0, 0, 16, 16, 3);
    fixture_finish(&fix);
    append_fixture(&b, true, 0);
    fixture_init(&fix, 1, 0);
    add_rectangle(0, 0, 8, 6, 3);
    add_rectangle(0, 10, 8, 16, 4);
    fixture_finish(&fix);
    append_fixture(&b, true, 0);
    fixture_init(&fix, 1, 0);
    add_rectangle(0, 4, 16, 16, 6);
    fixture_finish(&fix);
    append_fixture(&b, true, 1);
    save(folder, "detour_pieces", &b);
}

static void save_mesh(const char *folder)
{
    static const char ring[] = "mesh\n2\n8 4\n"
                               "0 0 2 0 3\n10 0 2 0 1\n10 10 2 1 2\n0 10.5 2 2 3\n"
                               "3 3 3 -1 0 3\n7 3e0 3 -1 0 1\n7 7 3 -1 1 2\n3 7 3 -1 2 3\n"
                               "4 0 1 5 4 3 -1 1 -1\n4 1 2 6 5 0 -1 2 -1\n4 2 3 7 6 1 -1 3 -1\n4 3 0 4 7 2 -1 0 -1\n";
    static const char dent[] = "mesh 2 5 1 0 0 0 4 0 0 4 4 0 2 1 0 0 4 0 5 0 1 2 3 4 -1 -1 -1 -1 -1";
    nav_buffer b = {0};
    append(&b, &(uint8_t){2}, 1);
    append(&b, ring, strlen(ring));
    save(folder, "mesh", &b);
    append(&b, &(uint8_t){2}, 1);
    append(&b, dent, strlen(dent));
    save(folder, "mesh_dent", &b);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seed_paths FOLDER\n");
        return 2;
    }
    save_floors(argv[1], "navd", false);
    save_floors(argv[1], "detour", true);
    save_pieces(argv[1]);
    save_mesh(argv[1]);
    return 0;
}
