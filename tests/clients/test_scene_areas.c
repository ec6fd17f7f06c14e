// Areas on the command line: by name of a scene's materials and objects, and in an agent's settings.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/scene/scene_areas.h"
#include "navcore/settings.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "v 0 0 0\nv 0 0 4\nv 4 0 4\nv 4 0 0\n"
                           "o lawn\nusemtl Grass_01\nf 1 2 3\nusemtl Water_deep\nf 1 3 4\n"
                           "o bank\nusemtl Grass_01\nf 1 2 4\n";

static void read_text(scene *s)
{
    char path[] = "/tmp/test_scene_areas-XXXXXX.obj", why[200];
    int fd = mkstemps(path, 4);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    close(fd);
    bool ok = scene_read(path, s, why, sizeof why);
    unlink(path);
    ck_assert_msg(ok, "%s", why);
    ck_assert_uint_eq(s->instance_count, 2);
}

static scene_area_values rules(int count, const char *const *list)
{
    scene_area_values v = {.rules = {.count = count}};
    for (int i = 0; i < count; i++) v.rules.items[i].value = list[i];
    return v;
}

static const scene_mesh *mesh_of(const scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->instance_count; i++)
        if (!strcmp(s->instances[i].name, name)) return &s->meshes[s->instances[i].mesh];
    ck_abort_msg("no object %s", name);
    return NULL;
}

START_TEST(materials_and_objects_get_areas_by_pattern)
{
    static const char *const list[] = {"Water*=7", "*_01=5", "bank=none", "Grass_01=6"};
    scene s;
    read_text(&s);
    const scene_area_values v = rules(4, list);
    ck_assert(scene_areas_check(&v, "build") && scene_areas_apply(&v, "build", &s));
    const scene_mesh *lawn = mesh_of(&s, "lawn");
    ck_assert_ptr_nonnull(lawn->areas);
    ck_assert_uint_eq(lawn->tri_count, 2);
    ck_assert(lawn->areas[0] == 6 && lawn->areas[1] == 7); // the last rule that fits counts
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_uint_eq(s.instances[i].area, strcmp(s.instances[i].name, "bank") ? NAV_AREA_DEFAULT : NAV_AREA_NONE);
    scene_deinit(&s);
}
END_TEST

START_TEST(a_mesh_that_no_rule_fits_is_as_it_was)
{
    static const char *const list[] = {"Water*=7"};
    scene s;
    read_text(&s);
    const scene_area_values v = rules(1, list);
    ck_assert(scene_areas_apply(&v, "build", &s));
    ck_assert_ptr_null(mesh_of(&s, "bank")->areas);
    const uint8_t *areas = mesh_of(&s, "lawn")->areas;
    ck_assert(areas && areas[0] == NAV_AREA_INHERIT && areas[1] == 7);
    scene_deinit(&s);
}
END_TEST

START_TEST(rules_that_are_none_are_refused)
{
    static const char *const wrong[] = {"water", "=7", "water=", "water=64", "water=x", "water=-1", "water=7 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const scene_area_values v = rules(1, &wrong[i]);
        ck_assert_msg(!scene_areas_check(&v, "build"), "%s", wrong[i]);
    }
}
END_TEST

START_TEST(areas_of_settings_are_lists)
{
    static const char *const wrong[] = {"", "0", "64", "5-3", "1,", "1-", "x", "-1", "1;2"};
    static const char *const wrong_flags[] = {"", "7", "7=", "0=1", "64=1", "7=65536", "7=1,", "7=x"};
    uint64_t areas = 9;
    uint16_t flags[NAV_AREA_COUNT] = {0};
    ck_assert(area_args_walkable("1-3,63", &areas));
    ck_assert_uint_eq(areas, UINT64_C(1) << 63 | 14);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!area_args_walkable(wrong[i], &areas), "%s", wrong[i]);
    ck_assert_uint_eq(areas, UINT64_C(1) << 63 | 14);
    ck_assert(area_args_flags("7=6,8=0x10", flags));
    ck_assert(flags[7] == 6 && flags[8] == 16);
    for (size_t i = 0; i < sizeof wrong_flags / sizeof *wrong_flags; i++)
        ck_assert_msg(!area_args_flags(wrong_flags[i], flags), "%s", wrong_flags[i]);
    ck_assert(flags[7] == 6 && flags[8] == 16);
}
END_TEST

START_TEST(an_area_type_changes_what_is_given)
{
    static const char *const wrong[] = {"",
                                        "7",
                                        "7,",
                                        "0,cost=1",
                                        "64,cost=1",
                                        "-1,cost=1",
                                        "7,cost",
                                        "7,cost=0",
                                        "7,cost=inf",
                                        "7,cost=x",
                                        "7,hue=1",
                                        "7,flags=65536",
                                        "7,color=1000000",
                                        "7,walkable=maybe",
                                        "7,name=a,,cost=2",
                                        "x,cost=1"};
    nav_area_table t = {.count = 0};
    char why[160];
    ck_assert(area_args_type("7,name=deep water,cost=10,flags=0x10,color=3366cc", &t, why, sizeof why));
    ck_assert(area_args_type("2,walkable=no", &t, why, sizeof why));
    ck_assert(area_args_type("7,cost=2.5,flags=none", &t, why, sizeof why));
    ck_assert_uint_eq(t.count, 2);
    const nav_area_type *a = &t.types[1];
    ck_assert(t.types[0].id == 2 && !t.types[0].walkable && a->id == 7 && a->walkable);
    ck_assert_str_eq(a->name, "deep water");
    ck_assert(a->cost == 2.5f && !a->has_flags && a->has_color && a->color == 0x3366cc);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!area_args_type(wrong[i], &t, why, sizeof why), "%s", wrong[i]);
        ck_assert_msg(strstr(why, "expected ID,KEY=VALUE,") != NULL, "%s: %s", wrong[i], why);
    }
    ck_assert(!area_args_type("7,cost=3,name=a\tb", &t, why, sizeof why));
    ck_assert_msg(strstr(why, "U+0009") != NULL, "%s", why);
    ck_assert(t.count == 2 && t.types[1].cost == 2.5f); // as it was
}
END_TEST

int main(void)
{
    Suite *s = suite_create("scene_areas");
    TCase *t = tcase_create("scene_areas");
    suite_add_tcase(s, t);
    tcase_add_test(t, materials_and_objects_get_areas_by_pattern);
    tcase_add_test(t, a_mesh_that_no_rule_fits_is_as_it_was);
    tcase_add_test(t, rules_that_are_none_are_refused);
    tcase_add_test(t, areas_of_settings_are_lists);
    tcase_add_test(t, an_area_type_changes_what_is_given);
    return run_suite(s);
}
