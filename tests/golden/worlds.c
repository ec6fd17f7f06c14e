#include "tests/golden/worlds.h"

#include "tests/core/scene.h"

#include <stdlib.h>
#include <string.h>

static void make_yard(scene *s)
{
    uint32_t seed = 3;
    scene_floor(s, 0, 0, 58, 44, 0);
    for (int i = 0; i < 90; i++) {
        float x = scene_random_between(&seed, 0, 56), z = scene_random_between(&seed, 0, 42);
        float w = scene_random_between(&seed, 0.3f, 5), d = scene_random_between(&seed, 0.3f, 5);
        static const float heights[5] = {0.3f, 0.6f, 1.5f, 3, 12};
        static const float turns[4][2] = {{1, 0}, {0.8f, 0.6f}, {0.96f, 0.28f}, {0.28f, 0.96f}};
        const float *t = turns[scene_random(&seed) % 4];
        scene_box(s, x, 0, z, x + w, heights[scene_random(&seed) % 5], z + d, t[0], t[1]);
    }
}

static void make_storeys(scene *s)
{
    for (int k = 0; k < 3; k++) {
        float y = 3.0f * (float)k;
        scene_box(s, 0, y - 0.3f, 0, 34, y, 12, 1, 0); // slabs with an open strip for the stairs
        scene_box(s, 0, y - 0.3f, 17, 34, y, 30, 1, 0);
        for (int i = 0; i < 10; i++) { // stairs up to the next storey
            float x = 6 + (float)i, top = y + 0.3f * (float)(i + 1);
            scene_box(s, x, y - 0.3f, 12, x + 1, top, 17, 1, 0);
        }
        for (int i = 0; i < 5; i++)
            scene_box(s, 3 + 6 * (float)i, y, 4, 3.4f + 6 * (float)i, y + 2.9f, 4.4f, 0.8f, 0.6f);
    }
}

// Twelve triangles in a row have one area: a box in the yard, a strip of the hills.
static nav_mesh *mesh_with_areas(const scene *s, int count)
{
    static const uint8_t list[] = {NAV_AREA_INHERIT, NAV_AREA_NONE, 7, 40, 1, 2, 12, 62, 5, 33};
    if (!count) return scene_mesh(s);
    uint8_t *areas = malloc(s->tri_count);
    if (!areas) abort();
    for (uint32_t i = 0; i < s->tri_count; i++) areas[i] = list[(i + 10) / 12 % (uint32_t)(count + 1)];
    nav_mesh *m = scene_mesh_with_areas(s, areas);
    free(areas);
    return m;
}

void golden_world_init(golden_world *w, int k)
{
    enum { YARD, HILLS, STOREYS };
    static const struct {
        const char *name;
        int scene;
        nav_partition partition;
        nav_triangulation triangulation;
        float relaxation_m;
        int areas; // of the triangles, beside those that inherit; 0: all do
        nav_outlines outlines;
        nav_generator generator;
    } worlds[GOLDEN_WORLD_COUNT] = {
        {"yard", YARD, NAV_PARTITION_CONVEX, NAV_TRIANGULATION_EARS, 0, 0, NAV_OUTLINES_VOXEL, NAV_GENERATOR_VOXEL},
        {"hills", HILLS, NAV_PARTITION_CONVEX, NAV_TRIANGULATION_EARS, 0, 0, NAV_OUTLINES_VOXEL, NAV_GENERATOR_VOXEL},
        {"storeys", STOREYS, NAV_PARTITION_CONVEX, NAV_TRIANGULATION_EARS, 0, 0, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_VOXEL},
        {"yard_monotone", YARD, NAV_PARTITION_MONOTONE, NAV_TRIANGULATION_EARS, 0, 0, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_VOXEL},
        {"storeys_watershed", STOREYS, NAV_PARTITION_WATERSHED, NAV_TRIANGULATION_EARS, 0, 0, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_VOXEL},
        {"hills_watershed_delaunay", HILLS, NAV_PARTITION_WATERSHED, NAV_TRIANGULATION_DELAUNAY, 0, 0,
         NAV_OUTLINES_VOXEL, NAV_GENERATOR_VOXEL},
        {"yard_watershed_min_area", YARD, NAV_PARTITION_WATERSHED, NAV_TRIANGULATION_MIN_AREA, 0, 0, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_VOXEL},
        {"storeys_relaxed", STOREYS, NAV_PARTITION_CONVEX, NAV_TRIANGULATION_EARS, 0.5f, 0, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_VOXEL},
        {"yard_areas", YARD, NAV_PARTITION_CONVEX, NAV_TRIANGULATION_EARS, 0, 3, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_VOXEL},
        {"hills_areas_watershed", HILLS, NAV_PARTITION_WATERSHED, NAV_TRIANGULATION_EARS, 0, 9, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_VOXEL},
        {"yard_surface", YARD, NAV_PARTITION_CONVEX, NAV_TRIANGULATION_EARS, 0, 0, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_SURFACE},
        {"hills_areas_surface", HILLS, NAV_PARTITION_CONVEX, NAV_TRIANGULATION_EARS, 0, 9, NAV_OUTLINES_VOXEL,
         NAV_GENERATOR_SURFACE},
    };
    memset(w, 0, sizeof *w);
    w->unit = k < GOLDEN_WORLD_COUNT ? 1 : 128;
    k %= GOLDEN_WORLD_COUNT;
    w->name = worlds[k].name;
    nav_settings_default(&w->settings);
    w->settings.partition = worlds[k].partition;
    w->settings.triangulation = worlds[k].triangulation;
    w->settings.relaxation_m = worlds[k].relaxation_m;
    w->settings.outlines = worlds[k].outlines;
    w->settings.generator = worlds[k].generator;
    scene s = {0};
    w->instance_count = 1;
    w->tiles_x = 5, w->tiles_z = 4;
    switch (worlds[k].scene) {
    case YARD:
        make_yard(&s);
        break;
    case HILLS:
        scene_hills(&s, 60, 0.9f, 5);
        w->tiles_x = w->tiles_z = 4;
        break;
    default:
        make_storeys(&s);
        w->tiles_x = w->tiles_z = 3;
        w->settings.cell_size_m = 0.25f;
        w->volume_count = 3;
        w->volumes[0] = (nav_volume){4, {20, 18, 20, 24, 26, 24, 26, 18}, 2.5f, 4, 5, 0};
        w->volumes[1] = (nav_volume){3, {1, 18, 1, 22, 6, 22}, -1, 1, NAV_AREA_NONE, 0};
        w->volumes[2] = (nav_volume){4, {10, 17, 10, 30, 12, 30, 12, 17}, -1, 10, 9, 0};
        w->settings.area_flags[5] = 6;
        w->link_count = 2;
        w->links[0] = (nav_link){7, {30, 6, 8}, {30, 3, 20}, 0.6f, 3, 0, 2};
        w->links[1] = (nav_link){4, {2, 0, 10}, {2, 0, 19}, 0.6f, 63, 1, 1};
    }
    w->mesh = mesh_with_areas(&s, worlds[k].areas);
    scene_free(&s);
    w->instances[0] = (nav_instance){w->mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    if (worlds[k].scene == HILLS) { // the hills once more, turned, scaled and shifted, with an area type of their own
        const float turned[12] = {0.48f, 0, 0.64f, 4, 0, 0.7f, 0, 0.5f, -0.64f, 0, 0.48f, 30};
        w->instances[1] = w->instances[0];
        memcpy(w->instances[1].transform, turned, sizeof turned);
        w->instances[1].area = 12;
        w->instance_count = 2;
    }
}

void golden_world_deinit(golden_world *w)
{
    nav_mesh_destroy(w->mesh);
    memset(w, 0, sizeof *w);
}

nav_tile_source golden_world_source(const golden_world *w, int32_t x, int32_t z)
{
    return (nav_tile_source){.settings = &w->settings,
                             .tile_x = x,
                             .tile_z = z,
                             .instances = w->instances,
                             .instance_count = w->instance_count,
                             .volumes = w->volumes,
                             .volume_count = w->volume_count,
                             .links = w->links,
                             .link_count = w->link_count};
}
