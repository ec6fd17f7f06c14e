#include "core/build.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"
#include "tests/golden/worlds.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static nav_tile build(const golden_world *w, int32_t x, int32_t z, nav_arena *a)
{
    nav_tile t;
    nav_tile_source src = golden_world_source(w, x, z);
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, a, &t), NAV_OK);
    return t;
}

START_TEST(neighbours_built_alone_agree_on_every_border_point)
{
    golden_world w;
    golden_world_init(&w, _i);
    nav_arena a, b;
    nav_arena_init(&a, 0);
    nav_arena_init(&b, 0);
    int32_t points = 0;
    for (int32_t z = 0; z < w.tiles_z; z++)
        for (int32_t x = 0; x < w.tiles_x; x++)
            for (int side = 0; side < 2; side++) {
                nav_arena_reset(&a);
                nav_arena_reset(&b);
                nav_tile here = build(&w, x, z, &a), there = build(&w, x + !side, z + side, &b);
                int32_t of_border, different = border_difference_of(&here, &there, side != 0, &of_border);
                ck_assert_msg(different == 0, "%s: tile %d,%d side %d differs in %d points", w.name, x, z, side,
                              different);
                points += of_border;
            }
    ck_assert_int_gt(points, 20);
    nav_arena_deinit(&a);
    nav_arena_deinit(&b);
    golden_world_deinit(&w);
}
END_TEST

static double area_of(const nav_polygons *p)
{
    double sum = 0;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t c = p->first[i]; c < p->first[i + 1]; c++) {
            int32_t u = p->vert[c], v = p->vert[c + 1 < p->first[i + 1] ? c + 1 : p->first[i]];
            sum -= ((double)p->x[u] * p->z[v] - (double)p->x[v] * p->z[u]) / 2;
        }
    return sum;
}

START_TEST(an_open_plane_fills_its_tile)
{
    scene s = {0};
    scene_floor(&s, -20, -20, 40, 40, 1);
    nav_mesh *m = scene_mesh(&s);
    nav_settings set;
    nav_settings_default(&set);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &set, .instances = &in, .instance_count = 1};
    nav_arena a;
    nav_arena_init(&a, 0);
    nav_tile t;
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &a, &t), NAV_OK);
    ck_assert_int_eq(t.polygons.count, 1);
    ck_assert_int_eq(t.polygons.cell_count, 1);
    ck_assert_int_eq(t.polygons.vert_count, 4);
    ck_assert_double_eq(area_of(&t.polygons), 48.0 * 48.0);
    for (int c = 0; c < 4; c++) ck_assert(nav_edge_is_portal(t.polygons.behind[c]));
    nav_key known = t.content_key;
    nav_tile again;
    ck_assert_int_eq(nav_build_tile(&src, &known, NULL, &a, &again), NAV_ERR_EXISTS);
    ck_assert(nav_key_equal(again.content_key, known));
    nav_arena_deinit(&a);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(nothing_to_walk_on_is_an_empty_tile_not_an_error)
{
    nav_settings set;
    nav_settings_default(&set);
    nav_tile_source src = {.settings = &set};
    nav_arena a;
    nav_arena_init(&a, 0);
    nav_tile t;
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &a, &t), NAV_OK);
    ck_assert_int_eq(t.polygons.count, 0);
    set.cell_size_m = 0;
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &a, &t), NAV_ERR_ARGUMENT);
    nav_arena_deinit(&a);
}
END_TEST

typedef struct watch {
    int entered, left, stop_at;
    nav_stage last;
} watch;

static void on_enter(void *user, nav_stage s)
{
    watch *w = user;
    w->entered++;
    w->last = s;
}

static void on_leave(void *user, nav_stage s)
{
    watch *w = user;
    ck_assert_int_eq(s, w->last);
    w->left++;
}

static bool on_cancelled(void *user)
{
    watch *w = user;
    return w->entered == w->stop_at;
}

static void stop_before_every_stage(const golden_world *w, int stages)
{
    nav_arena a;
    nav_arena_init(&a, 0);
    nav_tile_source src = golden_world_source(w, 1, 1);
    for (int stage = 0; stage <= stages; stage++) {
        watch seen = {.stop_at = stage};
        nav_hooks hooks = {.user = &seen, .enter = on_enter, .leave = on_leave, .cancelled = on_cancelled};
        nav_tile t;
        nav_status st = nav_build_tile(&src, NULL, &hooks, &a, &t);
        ck_assert_int_eq(st, stage < stages ? NAV_ERR_CANCELLED : NAV_OK);
        ck_assert_int_eq(seen.entered, stage);
        ck_assert_int_eq(seen.left, stage);
        nav_arena_reset(&a);
    }
    nav_arena_deinit(&a);
}

START_TEST(a_build_can_be_stopped_before_every_stage)
{
    golden_world w;
    golden_world_init(&w, 0);
    w.settings.partition = NAV_PARTITION_WATERSHED; // has all the stages of voxels, with true outlines
    w.settings.outlines = NAV_OUTLINES_TRUE;
    stop_before_every_stage(&w, NAV_STAGE_ENCODE - 1); // all but that of surfaces
    w.settings.outlines = NAV_OUTLINES_VOXEL;
    w.settings.generator = NAV_GENERATOR_SURFACE;
    stop_before_every_stage(&w, 4); // gather, surface, polygons, detail
    golden_world_deinit(&w);
}
END_TEST

START_TEST(any_budget_ends_in_a_tile_or_in_limit)
{
    golden_world w;
    golden_world_init(&w, 2);
    nav_tile_source src = golden_world_source(&w, 1, 1);
    int limits = 0, tiles = 0;
    for (size_t budget = 20000; tiles < 3; budget += budget / 16) {
        nav_arena a;
        nav_arena_init(&a, budget);
        nav_tile t;
        nav_status st = nav_build_tile(&src, NULL, NULL, &a, &t);
        ck_assert_msg(st == NAV_OK || st == NAV_ERR_LIMIT, "budget %zu: %s", budget, nav_status_name(st));
        tiles += st == NAV_OK;
        limits += st != NAV_OK;
        nav_arena_deinit(&a);
    }
    ck_assert_int_gt(limits, 20);
    golden_world_deinit(&w);
}
END_TEST

START_TEST(after_one_tile_the_arena_takes_no_more_memory)
{
    golden_world w;
    golden_world_init(&w, 0);
    nav_arena a;
    nav_arena_init(&a, 0);
    (void)build(&w, 1, 1, &a);
    nav_arena_reset(&a);
    size_t held = a.held_bytes;
    nav_arena_block *block = a.top_block;
    for (int i = 0; i < 3; i++) {
        (void)build(&w, 1, 1, &a);
        nav_arena_reset(&a);
    }
    ck_assert_uint_eq(a.held_bytes, held);
    ck_assert_ptr_eq(a.top_block, block);
    nav_arena_deinit(&a);
    golden_world_deinit(&w);
}
END_TEST

START_TEST(wild_triangles_never_hurt)
{
    uint32_t seed = (uint32_t)_i * 2654435761u + 1;
    scene s = {0};
    static const float specials[] = {0, -0.0f, 1e-30f, 1e6f, -1e6f, 1e20f, 3e38f, 14.4f, 0.3f, 7.2f};
    for (int i = 0; i < 200; i++) {
        float v[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                uint32_t kind = scene_random(&seed) % 16;
                v[c][k] = kind == 0   ? specials[scene_random(&seed) % 10]
                          : kind == 1 ? (kind = scene_random(&seed), memcpy(&v[c][k], &kind, 4), v[c][k])
                          : kind < 6  ? (float)(int)scene_random_between(&seed, -5, 50) * 0.3f
                                      : scene_random_between(&seed, -3, 18);
            }
        scene_triangle(&s, v[0], v[1], v[2]);
    }
    nav_mesh *m = scene_mesh(&s);
    nav_settings set;
    nav_settings_default(&set);
    set.partition = (nav_partition)(_i & 1);
    set.agent_radius_m = _i % 3 ? 0.3f : 0;
    set.region_min_cells = 0;
    set.agent_slope_deg = 80;
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &set, .instances = &in, .instance_count = 1};
    nav_arena a;
    nav_arena_init(&a, 0);
    nav_tile t;
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &a, &t), NAV_OK);
    nav_buffer navd = {0}, detour = {0};
    char why[200] = "";
    ck_assert_int_eq(nav_tile_encode(&t, &navd), NAV_OK);
    ck_assert_int_eq(nav_detour_encode(&t, &detour), NAV_OK);
    if (detour.size) ck_assert_msg(nav_detour_check(detour.data, detour.size, why, sizeof why) == NAV_OK, "%s", why);
    nav_buffer_deinit(&navd);
    nav_buffer_deinit(&detour);
    nav_arena_deinit(&a);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("build");
    TCase *t = tcase_create("build");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, neighbours_built_alone_agree_on_every_border_point, 0, GOLDEN_WORLD_COUNT);
    tcase_add_test(t, an_open_plane_fills_its_tile);
    tcase_add_test(t, nothing_to_walk_on_is_an_empty_tile_not_an_error);
    tcase_add_test(t, a_build_can_be_stopped_before_every_stage);
    tcase_add_test(t, any_budget_ends_in_a_tile_or_in_limit);
    tcase_add_test(t, after_one_tile_the_arena_takes_no_more_memory);
    tcase_add_loop_test(t, wild_triangles_never_hurt, 0, 60);
    return run_suite(s);
}
