#include "tests/core/voxel_fixture.h"
#include "tests/check.h"

nav_settings settings;
nav_arena arena;

void setup(void)
{
    nav_settings_default(&settings);
    nav_arena_init(&arena, 0);
}

void teardown(void)
{
    nav_arena_deinit(&arena);
}

nav_config config(int32_t x, int32_t z)
{
    nav_config c;
    nav_config_init(&c, &settings, x, z);
    return c;
}

nav_heightfield rasterize(const nav_mesh *m, int32_t x, int32_t z)
{
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    nav_tile_source src = {.settings = &settings, .tile_x = x, .tile_z = z, .instances = &in, .instance_count = 1};
    nav_config c = config(x, z);
    nav_triangles t;
    nav_heightfield f;
    ck_assert_int_eq(nav_triangles_gather(&src, &c, &arena, &t), NAV_OK);
    ck_assert_int_eq(nav_heightfield_build(&t, &c, &arena, &f), NAV_OK);
    return f;
}

nav_compact_heightfield compact_heightfield(const nav_mesh *m, int32_t x, int32_t z)
{
    nav_heightfield s = rasterize(m, x, z);
    nav_config c = config(x, z);
    nav_filter_low_obstacles(&s, &c);
    nav_filter_ledges(&s, &c);
    nav_filter_low_ceilings(&s, &c);
    nav_compact_heightfield f;
    ck_assert_int_eq(nav_compact_build(&s, &c, &arena, &f), NAV_OK);
    return f;
}
