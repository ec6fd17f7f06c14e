// A build that is spoilt at one stage of one tile is found, and so is a stage that is not what is kept.
#include "tests/check.h"
#include "tests/golden/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    nav_stage stage;
    int32_t tile_x, tile_z;
} spoilt;

typedef struct spoiler {
    const nav_hooks *hooks; // of the caller
    const nav_tile_source *source;
} spoiler;

// Changes what a stage has made, before the caller looks at it.
static nav_status spoil(void *user, nav_stage s, const nav_made *made, nav_arena *scratch)
{
    const spoiler *p = user;
    bool here = p->source->tile_x == spoilt.tile_x && p->source->tile_z == spoilt.tile_z;
    if (here && s == spoilt.stage && s == NAV_STAGE_RASTERIZE && made->voxels->solid.span_count)
        made->voxels->solid.top[0]++;
    if (here && s == spoilt.stage && s == NAV_STAGE_ERODE) made->field->floor[made->field->span_count / 2]++;
    if (here && s == spoilt.stage && s == NAV_STAGE_CONTOURS) made->contours->y[0]++;
    if (here && s == spoilt.stage && s == NAV_STAGE_DETAIL) made->detail->tri[0][3] ^= 1;
    return p->hooks->made(p->hooks->user, s, made, scratch);
}

static nav_status spoilt_build(const nav_tile_source *source, const nav_key *known, const nav_hooks *hooks,
                               nav_arena *arena, nav_tile *out)
{
    spoiler p = {hooks, source};
    const nav_hooks own = {.user = &p, .made = spoil, .plain = hooks->plain};
    return nav_build_tile(source, known, &own, arena, out);
}

static golden_world world;
static golden_set set;

static void setup(void)
{
    golden_world_init(&world, 2);
    set = golden_set_of(&world);
}

static void teardown(void)
{
    golden_world_deinit(&world);
}

static const struct {
    nav_stage stage;
    const char *name;
    bool plain; // so that the voxels are in spans
} stages[] = {{NAV_STAGE_RASTERIZE, "heightfield", true},
              {NAV_STAGE_ERODE, "eroded", false},
              {NAV_STAGE_CONTOURS, "contours", false},
              {NAV_STAGE_DETAIL, "detail", false}};

START_TEST(the_first_tile_and_stage_at_which_two_ways_part_are_named)
{
    char text[256], wanted[64];
    const golden_way ways[] = {{"honest", nav_build_tile, stages[_i].plain, 1},
                               {"threads", nav_build_tile, false, 4},
                               {"spoilt", spoilt_build, stages[_i].plain, 2}};
    spoilt.stage = stages[_i].stage;
    spoilt.tile_x = 1;
    spoilt.tile_z = 1;
    ck_assert_msg(!golden_ways_differ(&set, ways, 2, text, sizeof text), "%s", text);
    ck_assert_str_eq(text, "");
    ck_assert(golden_ways_differ(&set, ways, 3, text, sizeof text));
    snprintf(wanted, sizeof wanted, "storeys, tile 1,1: %s is ", stages[_i].name);
    ck_assert_msg(strstr(text, wanted) == text && strstr(text, "by honest") && strstr(text, "by spoilt"),
                  "%s, expected %s", text, wanted);
}
END_TEST

START_TEST(a_stage_that_is_not_what_is_kept_is_named)
{
    char text[256];
    const golden_way honest = {"honest", nav_build_tile, false, 1};
    nav_stage_hashes *now = calloc((size_t)set.tiles, sizeof *now);
    ck_assert_ptr_nonnull(now);
    ck_assert_int_eq(golden_hash(&set, &honest, now), 0);
    ck_assert_msg(!golden_kept_differ(&set, now, golden_kept, golden_kept_count, text, sizeof text), "%s", text);
    now[5].of[NAV_HASH_REGIONS].low ^= 1;
    now[5].of[NAV_HASH_NAVD].low ^= 1;
    now[7].of[NAV_HASH_COMPACT].low ^= 1;
    ck_assert(golden_kept_differ(&set, now, golden_kept, golden_kept_count, text, sizeof text));
    ck_assert_msg(strstr(text, "storeys, tile 2,1: regions is ") == text && strstr(text, "(2 of 9 tiles differ)"), "%s",
                  text);
    ck_assert(golden_kept_differ(&set, now, golden_kept, 1, text, sizeof text));
    ck_assert_msg(strstr(text, "tile 0,0: stages.inc keeps nothing of it") != NULL, "%s", text);
    free(now);
}
END_TEST

START_TEST(every_golden_tile_is_kept_once)
{
    int expected = 0;
    for (int k = 0; k < GOLDEN_WORLD_COUNT; k++) {
        golden_world w;
        golden_world_init(&w, k);
        expected += golden_set_of(&w).tiles;
        golden_world_deinit(&w);
    }
    ck_assert_int_eq(golden_kept_count, expected + RANDOM_KINDS * GOLDEN_RANDOM_WORLDS);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("golden_explains");
    TCase *t = tcase_create("golden_explains");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_first_tile_and_stage_at_which_two_ways_part_are_named, 0,
                        sizeof stages / sizeof *stages);
    tcase_add_test(t, a_stage_that_is_not_what_is_kept_is_named);
    tcase_add_test(t, every_golden_tile_is_kept_once);
    return run_suite(s);
}
