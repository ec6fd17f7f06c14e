// After changes only some links are looked up again: a set whose tiles come and go takes the same ways as one that was
// made of them at once.
#include "core/path/difference.h"
#include "navcore/tile.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

enum { AREA = 9, LINKS = 60, ROUNDS = 120, QUERIES = 6 };
#define SIZE 30.0f

static path_world variants[2];

static float random_to(uint32_t *seed, float most)
{
    return (float)(scene_random(seed) % 10000) / 10000 * most;
}

// Links to and fro, some of them long, some with an end where no ground is.
static void build(path_world *w, uint32_t seed, bool linked)
{
    scene s = {0};
    nav_link links[LINKS];

    path_world_boxes(&s, &seed, SIZE, 14, 0);
    for (uint32_t i = 0; i < LINKS; i++) {
        nav_link *l = &links[i];
        *l = (nav_link){
            .id = i + 1, .radius_m = i % 5 ? 0.3f : 4, .area = AREA, .both_ways = (uint8_t)(i % 2), .flags = 1};
        for (int k = 0; k < 3; k += 2) {
            l->start[k] = random_to(&seed, SIZE);
            l->end[k] = i % 3 ? l->start[k] + random_to(&seed, 6) - 3 : random_to(&seed, SIZE);
        }
    }
    nav_settings settings = path_world_settings(16, 0.3f);
    path_world_build_with(w, &s, &settings, &(nav_tile_source){.links = links, .link_count = linked ? LINKS : 0});
    scene_free(&s);
}

static void put(nav_path_set *set, const nav_buffer *tile)
{
    ck_assert_int_eq(nav_path_set_put(set, tile->data, tile->size, NULL, 0), NAV_OK);
}

static void check_same(const nav_path_set *set, const nav_path_set *fresh, nav_path_finder *finders[2], uint32_t *seed)
{
    nav_path_costs costs;
    nav_path_costs_default(&costs);
    costs.cost[AREA] = 0.3f;
    ck_assert_uint_eq(nav_path_set_link_ways(set), nav_path_set_link_ways(fresh));
    for (int i = 0; i < QUERIES; i++) {
        nav_path_query q = {.near_m = 1, .costs = &costs, .links = true, .max_nodes = 4000};
        nav_path p[2];
        for (int k = 0; k < 3; k += 2) {
            q.from[k] = (double)random_to(seed, SIZE);
            q.to[k] = (double)random_to(seed, SIZE);
        }
        ck_assert_int_eq(nav_path_find(finders[0], set, &q, &p[0]), NAV_OK);
        ck_assert_int_eq(nav_path_find(finders[1], fresh, &q, &p[1]), NAV_OK);
        ck_assert_int_eq(p[0].status, p[1].status);
        ck_assert_double_eq(p[0].cost, p[1].cost);
        ck_assert_uint_eq(p[0].jump_count, p[1].jump_count);
        for (uint32_t k = 0; k < p[0].jump_count; k++) ck_assert_uint_eq(p[0].jumps[k].link, p[1].jumps[k].link);
    }
}

// _i 0: few tiles change between two joins; 1: so many that all links are looked up again.
START_TEST(links_lead_where_those_of_a_new_set_do)
{
    uint32_t seed = 7 + (uint32_t)_i, changes = _i ? 90 : 3, ways = 0;
    uint64_t before = 0;
    const nav_buffer *now[PATH_WORLD_TILES] = {0};
    nav_path_finder *finders[2];
    nav_path_set *set;
    build(&variants[0], 11, true);
    build(&variants[1], 12, true);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(nav_path_finder_create(&finders[i]), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&set), NAV_OK);
    ck_assert_uint_eq(variants[0].count, variants[1].count);
    for (int round = 0; round < ROUNDS / (_i ? 10 : 1); round++) {
        nav_path_set *fresh;
        for (uint32_t k = 0; k < changes; k++) {
            uint32_t tile = scene_random(&seed) % variants[0].count, kind = scene_random(&seed) % 5;
            nav_tile_view v;
            if (kind < 4) {
                now[tile] = &variants[kind % 2].tiles[tile];
                put(set, now[tile]);
            } else {
                ck_assert_int_eq(nav_tile_open(variants[0].tiles[tile].data, variants[0].tiles[tile].size, &v, NULL, 0),
                                 NAV_OK);
                now[tile] = NULL;
                nav_path_set_drop(set, v.tile_x, v.tile_z);
            }
        }
        ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
        ck_assert_int_eq(nav_path_set_create(&fresh), NAV_OK);
        for (uint32_t i = 0; i < variants[0].count; i++)
            if (now[i]) put(fresh, now[i]);
        ck_assert_int_eq(nav_path_set_join(fresh), NAV_OK);
        ways += nav_path_set_link_ways(set) != before;
        before = nav_path_set_link_ways(set);
        check_same(set, fresh, finders, &seed);
        nav_path_set_destroy(fresh);
    }
    ck_assert_uint_gt(ways, 5);
    nav_path_set_destroy(set);
    for (int i = 0; i < 2; i++) {
        nav_path_finder_destroy(finders[i]);
        path_world_free(&variants[i]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_links");
    TCase *t = tcase_create("links");
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, links_lead_where_those_of_a_new_set_do, 0, 2);
    suite_add_tcase(s, t);
    return run_suite(s);
}
