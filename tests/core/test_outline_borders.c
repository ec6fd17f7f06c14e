// Tiles with true outlines at their common border, each built alone: open alike on both sides, and closed only where
// something stands in the way.
#include "core/build.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"

enum { LOWER, UPPER, TILES }; // the tile 0,0 and that above it: the border is the line z = side

typedef struct pair {
    scene scene;
    nav_mesh *mesh;
    nav_settings set;
    nav_arena arena[TILES];
    nav_tile tile[TILES];
    float side; // of a tile, metres
} pair;

static void begin(pair *p, float cell, float radius, int32_t cells)
{
    *p = (pair){.side = cell * (float)cells};
    nav_settings_default(&p->set);
    p->set.outlines = NAV_OUTLINES_TRUE;
    p->set.cell_size_m = cell;
    p->set.agent_radius_m = radius;
    p->set.tile_cells = cells;
    for (int i = 0; i < TILES; i++) nav_arena_init(&p->arena[i], 0);
}

static void build(pair *p, const nav_volume *volumes, uint32_t volume_count)
{
    p->mesh = scene_mesh(&p->scene);
    const nav_instance in = {p->mesh, NAV_TRANSFORM_IDENTITY, 63};
    for (int i = 0; i < TILES; i++) {
        const nav_tile_source src = {.settings = &p->set,
                                     .tile_z = i,
                                     .instances = &in,
                                     .instance_count = 1,
                                     .volumes = volumes,
                                     .volume_count = volume_count};
        ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &p->arena[i], &p->tile[i]), NAV_OK);
    }
}

static void end(pair *p)
{
    for (int i = 0; i < TILES; i++) nav_arena_deinit(&p->arena[i]);
    nav_mesh_destroy(p->mesh);
    scene_free(&p->scene);
}

// Ends of open edges that both tiles have on the border.
static int32_t common_points(const pair *p)
{
    int32_t points, different = border_difference_of(&p->tile[LOWER], &p->tile[UPPER], true, &points);
    ck_assert_int_eq(different, 0);
    return points;
}

// The floor is a wedge between its own end on the left and a volume on the right, which leaves a foot less than a
// column wide at the border. The lower tile's columns there are floor only beside the middles of the wedge's edges:
//
//        |#|  .  /           #  a column that is no floor, as it stands at a drop
//     ---|#|-.--/-- border   .  the end of what is free: the radius from the volume
//        |#|.  /
//        |#.  / volume
START_TEST(a_wedge_that_ends_in_half_a_column_is_open_on_both_sides)
{
    pair p;
    begin(&p, 1, 0.6f, 24);
    p.set.agent_climb_m = 0.2f;
    scene_floor(&p.scene, 0, 0, 48, 48, 0);
    const nav_volume v = {.point_count = 4,
                          .points = {1.11f, 20, 40, 20, 40, 48, 5.31f, 48},
                          .min_y = -1,
                          .max_y = 1,
                          .area = NAV_AREA_NONE};
    build(&p, &v, 1);
    ck_assert_int_eq(common_points(&p), 2);
    end(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline_borders");
    TCase *t = tcase_create("outline_borders");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, a_wedge_that_ends_in_half_a_column_is_open_on_both_sides);
    return run_suite(s);
}
