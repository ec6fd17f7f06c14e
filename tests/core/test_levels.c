// Every level of machine (core/levels.h) makes the same tile of the same world.
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/golden/random_worlds.h"

#include <string.h>

// What a level makes of a source.
typedef struct made {
    nav_status status;
    nav_key key;
    nav_counts counts;
    nav_buffer navd, detour;
} made;

static made make(nav_level level, const nav_tile_source *source)
{
    nav_arena arena;
    nav_tile tile;
    made m = {0};
    nav_arena_init(&arena, (size_t)1 << 30);
    m.status = nav_build_at(level)(source, NULL, NULL, &arena, &tile);
    if (m.status == NAV_OK) {
        m.key = tile.content_key;
        m.counts = tile.counts;
        ck_assert_int_eq(nav_tile_encode(&tile, &m.navd), NAV_OK);
        nav_status s = nav_detour_encode(&tile, &m.detour);
        ck_assert(s == NAV_OK || s == NAV_ERR_LIMIT);
    }
    nav_arena_deinit(&arena);
    return m;
}

static void made_deinit(made *m)
{
    nav_buffer_deinit(&m->navd);
    nav_buffer_deinit(&m->detour);
}

static void compare(const made *a, const made *b, nav_level level, int number)
{
    const char *name = nav_level_name(level);
    ck_assert_msg(a->status == b->status, "world %d: %s at level %s, %s at base", number, nav_status_name(b->status),
                  name, nav_status_name(a->status));
    ck_assert_msg(nav_key_equal(a->key, b->key), "world %d: another content key at level %s", number, name);
#define COMPARE_COUNT(which)                                                                                           \
    ck_assert_msg(a->counts.which == b->counts.which, "world %d: " #which ": %llu at level %s, %llu at base", number,  \
                  (unsigned long long)b->counts.which, name, (unsigned long long)a->counts.which);
    NAV_COUNT_LIST(COMPARE_COUNT)
#undef COMPARE_COUNT
    ck_assert_msg(a->navd.size == b->navd.size && (!a->navd.size || !memcmp(a->navd.data, b->navd.data, a->navd.size)),
                  "world %d: other bytes at level %s", number, name);
    ck_assert_msg(a->detour.size == b->detour.size &&
                      (!a->detour.size || !memcmp(a->detour.data, b->detour.data, a->detour.size)),
                  "world %d: other bytes of Detour at level %s", number, name);
}

enum { WORLDS = 24 };

START_TEST(all_levels_make_the_same_tile)
{
    int with_ground = 0;
    for (int number = 0; number < WORLDS; number++) {
        random_world w;
        random_world_init(&w, _i, number);
        nav_tile_source source = random_world_source(&w);
        made base = make(NAV_LEVEL_BASE, &source);
        ck_assert_int_eq(base.status, NAV_OK);
        with_ground += base.counts.polygons > 0;
        for (nav_level level = NAV_LEVEL_BASE + 1; level < NAV_LEVEL_COUNT; level++) {
            if (!nav_build_at(level)) continue;
            made other = make(level, &source);
            compare(&base, &other, level, number);
            made_deinit(&other);
        }
        made_deinit(&base);
        random_world_deinit(&w);
    }
    ck_assert_int_gt(with_ground, WORLDS / 3);
}
END_TEST

START_TEST(a_level_is_found_by_its_name_or_the_error_names_those_that_are_there)
{
    char why[96];
    nav_level level = NAV_LEVEL_COUNT;
    for (nav_level l = 0; l < NAV_LEVEL_COUNT; l++) {
        bool here = nav_build_at(l) != NULL;
        ck_assert_int_eq(nav_level_parse(nav_level_name(l), &level, why, sizeof why), here ? NAV_OK : NAV_ERR_ARGUMENT);
        if (here) ck_assert_int_eq(level, l);
        if (!here) ck_assert_msg(strstr(why, nav_level_name(l)) && strstr(why, "has base"), "%s", why);
    }
    ck_assert_int_eq(nav_level_parse("v9", &level, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(why, "v9") && strstr(why, nav_level_name(nav_level_best())), "%s", why);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("levels");
    TCase *t = tcase_create("levels");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, all_levels_make_the_same_tile, 0, RANDOM_KINDS);
    tcase_add_test(t, a_level_is_found_by_its_name_or_the_error_names_those_that_are_there);
    return run_suite(s);
}
