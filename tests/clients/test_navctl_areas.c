// The table of areas from the command line into files of tiles, and what is made of it.
#include "tests/check.h"
#include "tests/clients/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

// A file as text; the caller frees.
static char *text_of(const char *path)
{
    size_t count;
    char *text = (char *)read_file(path, &count);
    text = realloc(text, count + 1);
    text[count] = '\0';
    return text;
}

// 20 m of grass, 20 m of water, 20 m of road.
static const char *lane(void)
{
    static const char text[] = "v 0 0 0\nv 20 0 0\nv 20 0 20\nv 0 0 20\nv 40 0 0\nv 40 0 20\nv 60 0 0\nv 60 0 20\n"
                               "o lawn\nusemtl grass\nf 1 4 3 2\no pond\nusemtl water_deep\nf 2 3 6 5\n"
                               "o street\nusemtl road\nf 5 6 8 7\n";
    const char *path = temp_path("lane.obj");
    write_text(path, text);
    return path;
}

START_TEST(names_and_costs_go_with_the_tiles)
{
    const char *mesh = temp_path("lane.navd");
    outcome r = run_navctl("build", lane(), "--area", "water*=7", "--area", "road=2", "--area-type",
                           "7,name=water,cost=10,color=3366cc", "--area-type", "2,name=r&d,cost=0.5", "-o", mesh, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("info", mesh, NULL);
    ck_assert_msg(has(r.out, " m2, water\n") && has(r.out, " 7  water                cost 10, color 3366cc\n"), "%s",
                  r.out);
    r = run_navctl("info", mesh, "--json", NULL);
    ck_assert_msg(has(r.out, "\"area_table\": [{\"id\": 2, \"name\": \"r&d\", \"cost\": 0.5, \"walkable\": true}"),
                  "%s", r.out);
    const char *ground = strstr(r.out, "\"areas_m2\": ");
    ck_assert_ptr_nonnull(ground);
    const double sum = json_value(ground, "2") + json_value(ground, "7") + json_value(ground, "63");
    ck_assert_double_eq_tol(sum, json_value(r.out, "area_m2"), 1e-3);
    ck_assert_double_gt(json_value(ground, "7"), 300);
    r = run_navctl("tile", mesh, "2", "0", NULL);
    ck_assert_msg(has(r.out, ", water\n"), "%s", r.out);
}
END_TEST

START_TEST(a_graph_has_the_costs_of_the_table)
{
    const char *mesh = temp_path("costs.navd"), *xml = temp_path("costs.graphml");
    outcome r =
        run_navctl("build", lane(), "--area", "water*=7", "--area-type", "7,name=water,cost=10", "-o", mesh, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    static outcome with, other;
    with = run_navctl("graph", mesh, NULL);
    ck_assert_msg(has(with.out, "\"area\": 7, \"area_name\": \"water\"") && has(with.out, "\"cost\": 10,"), "%s",
                  with.out);
    other = run_navctl("graph", mesh, "--area-type", "7,cost=1", NULL);
    ck_assert_msg(!has(other.out, "\"cost\": 10,") && has(other.out, "\"area_name\": \"water\""), "%s", other.out);
    // The dearest edge lies in the water: ten times the metres that it is long.
    double dearest[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(i ? other.out : with.out, "\"edges\": [");
        while ((at = strstr(at + 1, "\"cost\": ")) != NULL) {
            double cost = strtod(at + strlen("\"cost\": "), NULL);
            if (cost > dearest[i]) dearest[i] = cost;
        }
    }
    ck_assert_double_gt(dearest[1], 1);
    ck_assert_double_ge(dearest[0], 5 * dearest[1]);
    r = run_navctl("graph", mesh, "-o", xml, NULL);
    ck_assert_int_eq(r.code, 0);
    char *text = text_of(xml);
    ck_assert(has(text, "<data key=\"node_area_name\">water</data>") && has(text, "<data key=\"node_cost\">10</data>"));
    ck_assert(has(text, "<data key=\"edge_cost\">"));
    free(text);
}
END_TEST

// Each command that reads a scene gives it the same areas.
START_TEST(a_graph_of_a_scene_is_that_of_its_tiles)
{
    const char *mesh = temp_path("scene.navd");
    outcome r = run_navctl("build", lane(), "--area", "water*=7", "--area", "street=2", "--area-type", "7,cost=10",
                           "-o", mesh, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    static outcome scene, stored;
    scene = run_navctl("graph", lane(), "--area", "water*=7", "--area", "street=2", "--area-type", "7,cost=10", NULL);
    stored = run_navctl("graph", mesh, NULL);
    ck_assert_msg(scene.code == 0 && has(scene.out, "\"area\": 2"), "%s%s", scene.err, scene.out);
    ck_assert_str_eq(strstr(scene.out, "\"nodes\""), strstr(stored.out, "\"nodes\""));
    r = run_navctl("graph", mesh, "--area", "water*=7", NULL);
    expect_error(&r, 2, "--area: ");
    r = run_navctl("graph", lane(), "--area", "water", NULL);
    expect_error(&r, 2, "--area water: expected PATTERN=ID");
}
END_TEST

START_TEST(nobody_walks_where_the_table_says_so)
{
    const char *mesh = temp_path("dry.navd");
    outcome r = run_navctl("build", lane(), "--json", NULL);
    const double all = json_value(r.out, "area_m2");
    r = run_navctl("build", lane(), "--area", "water*=7", "--area-type", "7,walkable=no", "-o", mesh, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_lt(json_value(r.out, "area_m2"), 0.7 * all);
    r = run_navctl("info", mesh, NULL);
    ck_assert_msg(has(r.out, "cost 1, not walkable\n") && !has(r.out, "  area 7 "), "%s", r.out);
}
END_TEST

START_TEST(flags_of_the_table_are_those_of_the_polygons)
{
    static const char *const flags[] = {"7,flags=6", "7,name=six"};
    size_t count[2];
    uint8_t *bytes[2];
    for (int i = 0; i < 2; i++) {
        const char *mesh = temp_path("flags.bin");
        outcome r = run_navctl("build", lane(), "--area", "water*=7", "--area-type", flags[i], "--area-flags",
                               "7=6,63=1", "-o", mesh, NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        bytes[i] = read_file(mesh, &count[i]);
    }
    ck_assert_uint_eq(count[0], count[1]); // the same flags from the table as from the agent
    ck_assert_mem_eq(bytes[0], bytes[1], count[0]);
    outcome r = run_navctl("build", lane(), "--area", "water*=7", "--area-type", "7,flags=5", "--area-flags", "7=6",
                           "-o", temp_path("flags.bin"), NULL);
    ck_assert_int_eq(r.code, 0);
    size_t other;
    uint8_t *five = read_file(temp_path("flags.bin"), &other);
    ck_assert(other == count[0] && memcmp(five, bytes[0], other) != 0); // the table's go first
    free(five);
    for (int i = 0; i < 2; i++) free(bytes[i]);
}
END_TEST

START_TEST(pictures_have_the_colours_of_the_table)
{
    // The height's colour with four fifths of red, and the patch in the legend.
    static const char ground[] = "rgb(93.12%,15.76%,11.76%)", patch[] = "rgb(100%,0%,0%)";
    const char *mesh = temp_path("red.navd"), *built = temp_path("red.svg"), *stored = temp_path("stored.svg"),
               *other = temp_path("other.svg");
    outcome r = run_navctl("build", lane(), "--area", "water*=7", "--area-type", "7,name=water,color=ff0000", "-o",
                           mesh, "--picture", built, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("render", mesh, "-o", stored, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("render", mesh, "-o", other, "--area-type", "7,color=none", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    char *drawn[3] = {text_of(built), text_of(stored), text_of(other)};
    for (int i = 0; i < 2; i++) ck_assert_msg(has(drawn[i], ground) && has(drawn[i], patch), "%d", i);
    ck_assert(!has(drawn[2], ground) && !has(drawn[2], patch));
    for (int i = 0; i < 3; i++) free(drawn[i]);
    r = run_navctl("render", mesh, "-o", other, "--area-type", "7,color=red", NULL);
    expect_error(&r, 2, "--area-type 7,color=red: expected");
}
END_TEST

START_TEST(what_is_no_area_type_is_refused)
{
    outcome r = run_navctl("build", lane(), "--area-type", "7,cost=0", NULL);
    expect_error(&r, 2, "--area-type 7,cost=0: expected ID,KEY=VALUE,... as in 7,name=water,cost=10,color=3366cc");
    r = run_navctl("graph", lane(), "--area-type", "water,cost=2", NULL);
    expect_error(&r, 2, "--area-type water,cost=2: expected");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_areas");
    TCase *t = tcase_create("navctl_areas");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, names_and_costs_go_with_the_tiles);
    tcase_add_test(t, a_graph_has_the_costs_of_the_table);
    tcase_add_test(t, a_graph_of_a_scene_is_that_of_its_tiles);
    tcase_add_test(t, nobody_walks_where_the_table_says_so);
    tcase_add_test(t, flags_of_the_table_are_those_of_the_polygons);
    tcase_add_test(t, pictures_have_the_colours_of_the_table);
    tcase_add_test(t, what_is_no_area_type_is_refused);
    return run_suite_in_folder(s);
}
