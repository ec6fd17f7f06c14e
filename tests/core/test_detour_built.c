// Detour judges tiles as the pipeline builds them: the worlds that the golden test pins, tile by tile, each built
// alone.
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/detour_judge.h"
#include "tests/core/tile_walk.h"
#include "tests/golden/worlds.h"

#include <stdlib.h>

static char why[256];

static void build(const golden_world *w, int32_t x, int32_t z, nav_arena *arena, nav_buffer *detour, nav_buffer *own)
{
    nav_arena_reset(arena);
    nav_tile tile;
    nav_tile_source source = golden_world_source(w, x, z);
    ck_assert_int_eq(nav_build_tile(&source, NULL, &(nav_hooks){.unit = w->unit}, arena, &tile), NAV_OK);
    detour->size = own->size = 0;
    ck_assert_int_eq(nav_detour_encode(&tile, detour), NAV_OK);
    ck_assert_int_eq(nav_tile_encode(&tile, own), NAV_OK);
}

// All tiles of a world in one navmesh.
static judge *judged(const golden_world *w)
{
    float side = (float)((double)w->settings.tile_cells * (double)w->settings.cell_size_m);
    const float origin[3] = {(float)w->settings.origin_m[0], (float)w->settings.origin_m[1],
                             (float)w->settings.origin_m[2]};
    judge *j = judge_create(origin, side, side, 1024, 4096);
    ck_assert_ptr_nonnull(j);
    nav_arena arena;
    nav_arena_init(&arena, 0);
    nav_buffer detour = {0}, own = {0};
    for (int32_t z = 0; z < w->tiles_z; z++) {
        for (int32_t x = 0; x < w->tiles_x; x++) {
            build(w, x, z, &arena, &detour, &own);
            if (detour.size) ck_assert_uint_ne(judge_add(j, detour.data, detour.size), 0);
        }
    }
    nav_buffer_deinit(&detour);
    nav_buffer_deinit(&own);
    nav_arena_deinit(&arena);
    return j;
}

START_TEST(the_readers_take_every_tile_that_is_built)
{
    golden_world w;
    golden_world_init(&w, _i);
    nav_arena arena;
    nav_arena_init(&arena, 0);
    nav_buffer detour = {0}, own = {0};
    for (int32_t z = 0; z < w.tiles_z; z++) {
        for (int32_t x = 0; x < w.tiles_x; x++) {
            build(&w, x, z, &arena, &detour, &own);
            nav_tile_view tile;
            nav_status s = nav_tile_open(own.data, own.size, &tile, why, sizeof why);
            ck_assert_msg(s == NAV_OK, "%s %d,%d: %s", w.name, x, z, why);
            walk_tile(&tile);
            if (!detour.size) continue;
            nav_detour_view view;
            s = nav_detour_open(detour.data, detour.size, &view, why, sizeof why);
            ck_assert_msg(s == NAV_OK, "%s %d,%d: %s", w.name, x, z, why);
            walk_detour(&view);
        }
    }
    nav_buffer_deinit(&detour);
    nav_buffer_deinit(&own);
    nav_arena_deinit(&arena);
    golden_world_deinit(&w);
}
END_TEST

// Portals of a tile towards tiles that were built; asserts that each is linked.
static int check_portals(const judge *j, const golden_world *w, int32_t x, int32_t z, const nav_detour_view *v)
{
    static const int step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}; // sides 0, 2, 4, 6
    int portals = 0;
    for (int32_t p = 0; p < v->header.off_mesh_base; p++) {
        nav_detour_poly poly;
        nav_detour_get_poly(v, (uint32_t)p, &poly);
        for (int k = 0; k < poly.vert_count; k++) {
            if (!(poly.neighbour[k] & NAV_DETOUR_PORTAL)) continue;
            const int *to = step[(poly.neighbour[k] & 7) / 2];
            if (x + to[0] < 0 || x + to[0] >= w->tiles_x || z + to[1] < 0 || z + to[1] >= w->tiles_z) continue;
            ck_assert_msg(judge_edge_links(j, judge_ref(j, x, z, p), k) > 0, "%s: tile %d,%d polygon %d edge %d",
                          w->name, x, z, p, k);
            portals++;
        }
    }
    return portals;
}

START_TEST(every_portal_is_linked_and_no_tile_runs_out_of_links)
{
    golden_world w;
    golden_world_init(&w, _i);
    judge *j = judged(&w);
    int portals = 0;
    for (int32_t z = 0; z < w.tiles_z; z++) {
        for (int32_t x = 0; x < w.tiles_x; x++) {
            size_t size;
            const uint8_t *bytes = judge_tile(j, x, z, &size);
            if (!bytes) continue;
            ck_assert_int_gt(judge_free_links(j, x, z), 0);
            nav_detour_view v;
            ck_assert_int_eq(nav_detour_open(bytes, size, &v, why, sizeof why), NAV_OK);
            portals += check_portals(j, &w, x, z, &v);
        }
    }
    ck_assert_int_gt(portals, 10);
    judge_destroy(j);
    golden_world_deinit(&w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("detour, built tiles");
    TCase *t = tcase_create("worlds");
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, the_readers_take_every_tile_that_is_built, 0, GOLDEN_BUILD_COUNT);
    tcase_add_loop_test(t, every_portal_is_linked_and_no_tile_runs_out_of_links, 0, GOLDEN_BUILD_COUNT);
    suite_add_tcase(s, t);
    return run_suite(s);
}
