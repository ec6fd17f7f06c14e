/* navd's generator inside of a C program: a yard of triangles becomes tiles, Detour loads them and finds a path; then a
 * gate closes, only the tiles that it touches are built again, and Detour finds the way around.
 *   cc -c embed.c $(pkg-config --cflags navcore)
 *   c++ -std=c++17 -c detour_mesh.cpp $(pkg-config --cflags navcore) -I/usr/include/recastnavigation
 *   c++ embed.o detour_mesh.o $(pkg-config --libs navcore) -lDetour -o embed && ./embed */
#include "detour_mesh.h"

#include <navcore.h>

#include <stdio.h>
#include <stdlib.h>

enum { GROUND, WALL, GATE, INSTANCES };
enum { MAX_SIDE = 16, MAX_TILES = MAX_SIDE * MAX_SIDE }; /* of this yard, along an axis and in all */

/* One of each: a square of 48 m, and a box of 1 m that instances scale. */
static const float ground_verts[] = {0, 0, 0, 0, 0, 48, 48, 0, 48, 48, 0, 0};
static const uint32_t ground_tris[] = {0, 1, 2, 0, 2, 3};
static const float box_verts[] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1};
static const uint32_t box_tris[] = {0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7,
                                    2, 7, 3, 3, 7, 4, 3, 4, 0, 4, 7, 6, 4, 6, 5};

/* A box from (x, 0, z), so wide and deep, 3 m high. */
#define BOX_AT(x, z, wide, deep)                                                                                       \
    {                                                                                                                  \
        wide, 0, 0, x, 0, 3, 0, 0, 0, 0, deep, z                                                                       \
    }

typedef struct yard {
    nav_settings settings;
    nav_mesh *ground, *box;
    nav_instance instances[INSTANCES];
    int32_t first[2], last[2]; /* tiles, along x and z */
    nav_key keys[MAX_TILES];   /* of what each was made from the last time */
    nav_builder *builder;      /* one for each thread; here there is one */
    nav_buffer bytes;          /* of the tile at hand */
    detour_mesh *detour;
    int built, changed; /* tiles, for print_outcome() */
} yard;

static nav_key *key_at(yard *y, int32_t x, int32_t z)
{
    return &y->keys[(z - y->first[1]) * MAX_SIDE + (x - y->first[0])];
}

/* The tiles that an instance touches. */
static void tiles_of(const yard *y, const nav_instance *i, int32_t first[2], int32_t last[2])
{
    float min[3], max[3];
    first[0] = first[1] = 0;
    last[0] = last[1] = -1; /* none */
    if (!nav_instance_bounds(i, min, max)) return;
    const double min_xz[2] = {min[0], min[2]}, max_xz[2] = {max[0], max[2]};
    nav_tile_range(&y->settings, min_xz, max_xz, first, last);
}

/* Builds the tiles first..last and gives Detour those that changed. */
static nav_status build_tiles(yard *y, const int32_t first[2], const int32_t last[2])
{
    for (int32_t z = first[1]; z <= last[1]; z++) {
        for (int32_t x = first[0]; x <= last[0]; x++) {
            const nav_tile_source source = {
                .settings = &y->settings,
                .tile_x = x,
                .tile_z = z,
                .instances = y->instances, /* all of them: few enough; see embed_threads.cpp for many */
                .instance_count = INSTANCES,
            };
            nav_tile_summary tile;
            nav_status s = nav_builder_build(y->builder, &source, key_at(y, x, z), &tile);
            y->built++;
            if (s == NAV_ERR_EXISTS) continue; /* the same as before */
            y->bytes.size = 0;
            if (s == NAV_OK) s = nav_builder_encode_detour(y->builder, &y->bytes);
            if (s != NAV_OK) {
                fprintf(stderr, "embed: %s\n", nav_builder_error(y->builder));
                return s;
            }
            const char *why = "";
            if (!detour_mesh_put(y->detour, x, z, y->bytes.data, y->bytes.size, &why)) {
                fprintf(stderr, "embed: tile %d,%d: %s\n", (int)x, (int)z, why);
                return NAV_ERR_LIMIT;
            }
            *key_at(y, x, z) = tile.content_key;
            y->changed++;
        }
    }
    return NAV_OK;
}

static void print_outcome(yard *y)
{
    printf("tiles built: %d, of these changed: %d\n", y->built, y->changed);
    y->built = y->changed = 0;

    static const float from[3] = {6, 0, 24}, to[3] = {42, 0, 24};
    float length = detour_mesh_path(y->detour, from, to);
    if (length < 0)
        printf("no way leads from the west to the east\n");
    else
        printf("the way from the west to the east is %.1f m long\n", (double)length);
}

/* An edit: what the gate covered and what it covers now is built again. */
static nav_status move_gate(yard *y, float x, float z)
{
    int32_t first[2], last[2], old_first[2], old_last[2];
    nav_instance *gate = &y->instances[GATE];
    tiles_of(y, gate, old_first, old_last);
    gate->transform[3] = x;
    gate->transform[11] = z;
    tiles_of(y, gate, first, last);
    nav_status s = build_tiles(y, old_first, old_last);
    return s == NAV_OK ? build_tiles(y, first, last) : s;
}

static nav_status open_yard(yard *y)
{
    char why[200] = "no memory";
    nav_settings_default(&y->settings);
    y->settings.agent_radius_m = 0.5f;
    nav_status s = nav_settings_check(&y->settings, why, sizeof why);
    if (s == NAV_OK) s = nav_mesh_create(ground_verts, 4, ground_tris, 2, &y->ground);
    if (s == NAV_OK) s = nav_mesh_create(box_verts, 8, box_tris, 10, &y->box);
    if (s == NAV_OK) s = nav_builder_create((size_t)1 << 30, &y->builder);
    if (s == NAV_OK) {
        /* A wall from north to south that leaves 12 m open, and a gate of 8 m that stands aside. */
        const nav_instance ground = {y->ground, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
        const nav_instance wall = {y->box, BOX_AT(23, 0, 2, 36), NAV_AREA_NONE};
        const nav_instance gate = {y->box, BOX_AT(2, 2, 2, 8), NAV_AREA_NONE};
        y->instances[GROUND] = ground;
        y->instances[WALL] = wall;
        y->instances[GATE] = gate;
        tiles_of(y, &ground, y->first, y->last); /* what stands on it is inside, and so are its tiles */

        const float origin[3] = {0, 0, 0}, side_m = (float)y->settings.tile_cells * y->settings.cell_size_m;
        y->detour = detour_mesh_create(origin, side_m);
        if (!y->detour) s = NAV_ERR_MEMORY;
    }
    if (s != NAV_OK) fprintf(stderr, "embed: %s: %s\n", nav_status_text(s), why);
    return s;
}

static void close_yard(yard *y)
{
    detour_mesh_destroy(y->detour);
    nav_buffer_deinit(&y->bytes);
    nav_builder_destroy(y->builder);
    nav_mesh_destroy(y->box);
    nav_mesh_destroy(y->ground);
}

int main(void)
{
    static yard y;
    nav_status s = open_yard(&y);
    if (s == NAV_OK) s = build_tiles(&y, y.first, y.last);
    if (s == NAV_OK) {
        print_outcome(&y);
        printf("the gate closes\n");
        s = move_gate(&y, 23, 36);
    }
    if (s == NAV_OK) print_outcome(&y);
    close_yard(&y);
    return s == NAV_OK ? 0 : 1;
}
