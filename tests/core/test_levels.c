// Every level of the processor (core/levels.h), with its fast paths and with their plain twins, makes the same tile of
// the same world, stage by stage.
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/stage_hashes.h"
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
    nav_stage_hashes hashes;
} made;

static made make(nav_level level, bool plain, const nav_tile_source *source)
{
    nav_arena arena;
    nav_tile tile;
    made m = {0};
    nav_arena_init(&arena, (size_t)1 << 30);
    const nav_hooks hooks = {.user = &m.hashes, .made = nav_stage_hashes_made, .plain = plain};
    m.status = nav_build_at(level)(source, NULL, &hooks, &arena, &tile);
    if (m.status == NAV_OK) {
        m.key = tile.content_key;
        m.counts = tile.counts;
        ck_assert_int_eq(nav_tile_encode(&tile, &m.navd), NAV_OK);
        nav_status s = nav_detour_encode(&tile, &m.detour);
        ck_assert(s == NAV_OK || s == NAV_ERR_LIMIT);
        nav_buffer scratch = {0};
        ck_assert_int_eq(nav_stage_hashes_encoded(&m.hashes, &tile, &scratch), NAV_OK);
        ck_assert(nav_key_equal(m.hashes.of[NAV_HASH_NAVD], nav_key_of(m.navd.data, m.navd.size)));
        nav_buffer_deinit(&scratch);
    }
    nav_arena_deinit(&arena);
    return m;
}

static void made_deinit(made *m)
{
    nav_buffer_deinit(&m->navd);
    nav_buffer_deinit(&m->detour);
}

static void compare(const made *a, const made *b, nav_level level, bool plain, int number)
{
    const char *name = nav_level_name(level), *way = plain ? ", plain" : "";
    ck_assert_msg(a->status == b->status, "world %d: %s at level %s%s, %s at base", number, nav_status_name(b->status),
                  name, way, nav_status_name(a->status));
    nav_hash first = nav_stage_hashes_compare(&a->hashes, &b->hashes);
    ck_assert_msg(first == NAV_HASH_COUNT, "world %d: another %s at level %s%s", number, nav_hash_name(first), name,
                  way);
    ck_assert_msg(nav_key_equal(a->key, b->key), "world %d: another content key at level %s%s", number, name, way);
#define COMPARE_COUNT(which)                                                                                           \
    ck_assert_msg(a->counts.which == b->counts.which, "world %d: " #which ": %llu at level %s%s, %llu at base",        \
                  number, (unsigned long long)b->counts.which, name, way, (unsigned long long)a->counts.which);
    NAV_COUNT_LIST(COMPARE_COUNT)
#undef COMPARE_COUNT
    ck_assert_msg(a->navd.size == b->navd.size && (!a->navd.size || !memcmp(a->navd.data, b->navd.data, a->navd.size)),
                  "world %d: other bytes at level %s%s", number, name, way);
    ck_assert_msg(a->detour.size == b->detour.size &&
                      (!a->detour.size || !memcmp(a->detour.data, b->detour.data, a->detour.size)),
                  "world %d: other bytes of Detour at level %s%s", number, name, way);
}

enum { WORLDS = 24 };

START_TEST(all_levels_and_plain_twins_make_the_same_tile)
{
    const bool true_outlines = strcmp(random_kind_name(_i), "soup") != 0; // not yet where triangles are far away
    int with_ground = 0, stages[NAV_HASH_COUNT] = {0};
    for (int number = 0; number < WORLDS; number++) {
        random_world w;
        random_world_init(&w, _i, number);
        if (true_outlines && number % 4 < 2) w.settings.outlines = NAV_OUTLINES_TRUE;
        nav_tile_source source = random_world_source(&w);
        made base = make(NAV_LEVEL_BASE, false, &source);
        ck_assert_int_eq(base.status, NAV_OK);
        with_ground += base.counts.polygons > 0;
        for (int h = 0; h < NAV_HASH_COUNT; h++) stages[h] += !nav_key_is_zero(base.hashes.of[h]);
        for (nav_level level = NAV_LEVEL_BASE; level < NAV_LEVEL_COUNT; level++) {
            for (int plain = 0; plain < 2 && nav_build_at(level); plain++) {
                made other = make(level, plain, &source);
                compare(&base, &other, level, plain, number);
                made_deinit(&other);
            }
        }
        made_deinit(&base);
        random_world_deinit(&w);
    }
    ck_assert_int_gt(with_ground, WORLDS / 3);
    for (int h = 0; h < NAV_HASH_COUNT; h++)
        ck_assert_msg(stages[h] > 0 || (h == NAV_HASH_OUTLINES && !true_outlines), "no hash of %s",
                      nav_hash_name((nav_hash)h));
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
    tcase_add_loop_test(t, all_levels_and_plain_twins_make_the_same_tile, 0, RANDOM_KINDS);
    tcase_add_test(t, a_level_is_found_by_its_name_or_the_error_names_those_that_are_there);
    return run_suite(s);
}
