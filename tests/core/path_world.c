#include "tests/core/path_world.h"

#include "navcore/builder.h"
#include "tests/check.h"

#include <math.h>

void path_world_boxes(scene *s, uint32_t *seed, float size, int boxes, float y)
{
    scene_floor(s, 0, 0, size, size, y);
    for (int i = 0; i < boxes; i++) {
        float x = scene_random_between(seed, 1, size - 4), z = scene_random_between(seed, 1, size - 4);
        float turn = scene_random(seed) % 3 ? 0 : scene_random_between(seed, 0, 1.5f);
        scene_box(s, x, y, z, x + scene_random_between(seed, 0.6f, 5), y + 3, z + scene_random_between(seed, 0.6f, 5),
                  cosf(turn), sinf(turn));
    }
}

nav_settings path_world_settings(int32_t tile_cells, float radius_m)
{
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = tile_cells;
    s.agent_radius_m = radius_m;
    return s;
}

void path_world_build(path_world *w, const scene *s, const nav_settings *settings)
{
    path_world_build_mesh(w, scene_mesh(s), settings);
}

static void build(path_world *w, nav_mesh *mesh, const nav_settings *settings, const nav_tile_source *more);

void path_world_build_mesh(path_world *w, nav_mesh *mesh, const nav_settings *settings)
{
    build(w, mesh, settings, &(nav_tile_source){0});
}

void path_world_build_with(path_world *w, const scene *s, const nav_settings *settings, const nav_tile_source *more)
{
    build(w, scene_mesh(s), settings, more);
}

static void build(path_world *w, nav_mesh *mesh, const nav_settings *settings, const nav_tile_source *more)
{
    nav_builder *b;
    *w = (path_world){.settings = *settings, .mesh = mesh};
    ck_assert_int_eq(nav_builder_create(0, &b), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&w->set), NAV_OK);
    nav_instance instance = {w->mesh, NAV_TRANSFORM_IDENTITY, 63};
    float min[3], max[3];
    int32_t first[2], last[2];
    ck_assert(nav_instance_bounds(&instance, min, max));
    nav_tile_range(settings, (double[]){(double)min[0], (double)min[2]}, (double[]){(double)max[0], (double)max[2]},
                   first, last);
    for (int32_t z = first[1]; z <= last[1]; z++)
        for (int32_t x = first[0]; x <= last[0]; x++) {
            nav_tile_source source = *more;
            source.settings = settings;
            source.tile_x = x;
            source.tile_z = z;
            source.instances = &instance;
            source.instance_count = 1;
            char why[200] = "";
            ck_assert_uint_lt(w->count, PATH_WORLD_TILES);
            nav_buffer *out = &w->tiles[w->count++];
            ck_assert_int_eq(nav_builder_build(b, &source, NULL, NULL), NAV_OK);
            ck_assert_int_eq(nav_builder_encode_navd(b, out), NAV_OK);
            ck_assert_int_eq(nav_builder_encode_detour(b, &w->detour[w->count - 1]), NAV_OK);
            nav_status st = nav_path_set_put(w->set, out->data, out->size, why, sizeof why);
            ck_assert_msg(st == NAV_OK, "%s", why);
        }
    ck_assert_int_eq(nav_path_set_join(w->set), NAV_OK);
    nav_builder_destroy(b);
}

void path_world_free(path_world *w)
{
    nav_path_set_destroy(w->set);
    nav_mesh_destroy(w->mesh);
    for (uint32_t i = 0; i < w->count; i++) {
        nav_buffer_deinit(&w->tiles[i]);
        nav_buffer_deinit(&w->detour[i]);
    }
}
