#include "clients/navctl/scene/scene_frame.h"
#include "clients/navctl/scene/scene_look.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- scenes, as files ---

typedef struct drawing {
    FILE *out;
    int verts;
} drawing;

static void add_quad(drawing *d, const double corners[4][3])
{
    for (int i = 0; i < 4; i++) fprintf(d->out, "v %.4f %.4f %.4f\n", corners[i][0], corners[i][1], corners[i][2]);
    fprintf(d->out, "f %d %d %d %d\n", d->verts + 1, d->verts + 2, d->verts + 3, d->verts + 4);
    d->verts += 4;
}

// A box seen from outside, or a room seen from within.
static void add_box(drawing *d, double x, double y, double z, double w, double h, double l, bool inside)
{
    static const int sides[6][4] = {{0, 1, 5, 4}, {1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    for (int s = 0; s < 6; s++) {
        double corners[4][3];
        for (int i = 0; i < 4; i++) { // bits of a corner: x, z, y
            int c = sides[s][inside ? i : 3 - i];
            corners[i][0] = x + ((c & 1) ? w : 0);
            corners[i][1] = y + ((c & 4) ? h : 0);
            corners[i][2] = z + ((c & 2) ? l : 0);
        }
        add_quad(d, (const double(*)[3])corners);
    }
}

static void add_floor(drawing *d, double size)
{
    const double corners[4][3] = {{0, 0, 0}, {0, 0, size}, {size, 0, size}, {size, 0, 0}};
    add_quad(d, corners);
}

static void draw_room(drawing *d)
{
    add_box(d, 0, 0, 0, 5, 3, 4, true);
    add_box(d, 1, 0, 1, 1, 0.8, 0.6, false);
}

static void draw_dungeon(drawing *d)
{
    for (int i = 0; i < 30; i++) add_box(d, i % 6 * 12, 0, i / 6 * 14, 10, 4, 11, true);
}

static void draw_city(drawing *d)
{
    static const double heights[] = {12, 20, 35, 60, 120, 200};
    add_floor(d, 2000);
    for (int i = 0; i < 625; i++) add_box(d, i % 25 * 80 + 10, 0, i / 25 * 80 + 10, 60, heights[i * 7 % 6], 60, false);
}

static void draw_blocks(drawing *d) // the city, without a ground
{
    for (int i = 0; i < 100; i++) add_box(d, i % 10 * 80 + 10, 0, i / 10 * 80 + 10, 60, 12 + i * 7 % 50, 60, false);
}

static void draw_village(drawing *d)
{
    add_floor(d, 60);
    for (int i = 0; i < 40; i++)
        add_box(d, i * 17 % 55, 0, i * 29 % 53, 0.1 + i % 5 * 0.1, 0.2 + i % 7 * 0.2, 0.3, false);
    for (int i = 0; i < 4; i++) add_box(d, i * 14, 0, i * 9, 8, 4 + i, 6, false);
}

static void draw_terrain(drawing *d, int cells, double step, double height)
{
    for (int i = 0; i < cells * cells; i++) {
        double corners[4][3];
        for (int k = 0; k < 4; k++) {
            int x = i % cells + (k >> 1), z = i / cells + (k == 1 || k == 2);
            corners[k][0] = x * step;
            corners[k][1] = height * sin(x * 9.0 / cells) * cos(z * 7.0 / cells);
            corners[k][2] = z * step;
        }
        add_quad(d, (const double(*)[3])corners);
    }
}

static void draw_hills(drawing *d)
{
    draw_terrain(d, 100, 4, 20);
}

static void draw_mountains(drawing *d)
{
    draw_terrain(d, 64, 125, 800);
}

static void draw_corridor(drawing *d) // its walls are more than its floor
{
    add_box(d, 0, 0, 0, 2, 10, 40, true);
}

static void draw_tower(drawing *d)
{
    add_box(d, 0, 0, 0, 6, 60, 6, true);
    for (int i = 0; i < 30; i++) add_box(d, 0, i * 2, 0, 3, 0.2, 3, false);
}

static const struct {
    const char *name;
    void (*draw)(drawing *);
    bool tells_up, tells_large, tells_small; // it is plain where it was read wrongly
} scenes[] = {{"room.obj", draw_room, false, true, true},           {"dungeon.obj", draw_dungeon, true, true, true},
              {"city.obj", draw_city, true, true, false},           {"blocks.obj", draw_blocks, true, true, false},
              {"village.obj", draw_village, true, true, true},      {"hills.obj", draw_hills, true, true, true},
              {"mountains.obj", draw_mountains, true, true, false}, {"corridor.obj", draw_corridor, false, true, true},
              {"tower.obj", draw_tower, false, true, true}};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

static const char *draw(int i)
{
    const char *path = temp_path(scenes[i].name);
    drawing d = {.out = fopen(path, "w")};
    ck_assert_ptr_nonnull(d.out);
    scenes[i].draw(&d);
    ck_assert_int_eq(fclose(d.out), 0);
    return path;
}

static scene load(const char *path, const char *up, const char *scale)
{
    scene s;
    const scene_frame_values v = {.up = up, .scale = scale};
    ck_assert_int_eq(scene_frame_read(path, &v, NULL, &s), 0);
    return s;
}

static scene_doubts doubts_of(const scene *s)
{
    scene_look look;
    scene_doubts doubts;
    ck_assert(scene_look_at(s, &look));
    scene_look_doubt(&look, &s->frame, 2, &doubts);
    return doubts;
}

// What an option's name is followed by in a sentence, or "".
static const char *advice(const scene_doubts *d, const char *option, char out[32])
{
    out[0] = '\0';
    for (int i = 0; i < d->count; i++) {
        const char *at = strstr(d->text[i], option);
        if (at) sscanf(at + strlen(option), "%31[^ ,);]", out);
    }
    return out;
}

// --- tests ---

START_TEST(what_is_right_is_not_doubted)
{
    for (int i = 0; i < SCENES; i++) {
        scene s = load(draw(i), NULL, NULL);
        scene_doubts d = doubts_of(&s);
        ck_assert_msg(d.count == 0, "%s: %s", scenes[i].name, d.text[0]);
        scene_deinit(&s);
    }
}
END_TEST

START_TEST(a_wrong_axis_is_seen_and_the_advice_mends_it)
{
    static const char *const lying[][2] = {{"z", "y"}, {"-z", "y"}, {"x", "y"}, {"-x", "y"}}; // up as it was taken
    char axis[32], none[32];
    for (int i = 0; i < SCENES; i++) {
        for (size_t k = 0; k < 4; k++) {
            const char *path = draw(i);
            scene s = load(path, lying[k][0], NULL);
            scene_doubts d = doubts_of(&s);
            advice(&d, "--up ", axis);
            scene_deinit(&s);
            if (!scenes[i].tells_up) {
                ck_assert_msg(!axis[0], "%s: %s", scenes[i].name, d.text[0]);
                continue;
            }
            ck_assert_msg(!strcmp(axis[0] == '-' ? axis + 1 : axis, "y"), "%s, %s up: %s", scenes[i].name, lying[k][0],
                          d.text[0]);
            s = load(path, axis, NULL);
            d = doubts_of(&s);
            // Closed on all sides, it may as well stand on its head.
            ck_assert_msg(!*advice(&d, "--scale ", none) && (!d.count || axis[0] == '-'), "%s: %s", scenes[i].name,
                          d.text[0]);
            scene_deinit(&s);
        }
    }
}
END_TEST

START_TEST(a_wrong_unit_is_seen_and_the_advice_mends_it)
{
    char unit[32];
    for (int i = 0; i < SCENES; i++) {
        const char *path = draw(i);
        for (int large = 0; large < 2; large++) {
            scene s = load(path, NULL, large ? "100" : "0.01");
            scene_doubts d = doubts_of(&s);
            advice(&d, "--scale ", unit);
            scene_deinit(&s);
            if (!(large ? scenes[i].tells_large : scenes[i].tells_small)) continue;
            ck_assert_msg(!strcmp(unit, "m"), "%s %s: \"%s\" %s", scenes[i].name, large ? "x 100" : "/ 100", unit,
                          d.text[0]);
        }
    }
}
END_TEST

START_TEST(a_scene_on_its_side_is_measured_as_it_would_stand)
{
    scene s = load(draw(1), "z", "1000");
    scene_doubts d = doubts_of(&s);
    ck_assert_int_eq(d.count, 2);
    ck_assert_msg(strstr(d.text[1], "too large: 70 km x 4000 m, 67 km high"), "%s", d.text[1]);
    ck_assert_msg(
        strstr(d.text[1], "--scale 10 makes it 700 m x 670 m, 40 m high; --scale m makes it 70 m x 67 m, 4 m"), "%s",
        d.text[1]);
    scene_deinit(&s);
}
END_TEST

START_TEST(every_axis_can_be_up_and_nothing_is_mirrored)
{
    static const char *const axes[] = {"x", "y", "z", "-x", "-y", "-z"};
    write_text(temp_path("corner.obj"), "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 2 3\nf 1 3 4\nf 1 4 2\n");
    for (int up = 0; up < 6; up++) {
        scene s = load(temp_path("corner.obj"), axes[up], "cm");
        float height = up < 3 ? s.max[1] : -s.min[1];
        ck_assert_float_eq_tol(height, (float)(up % 3 + 1) * 0.01f, 1e-9f);
        ck_assert_float_eq(up < 3 ? s.min[1] : s.max[1], 0);
        ck_assert_str_eq(scene_frame_up_name(&s.frame), axes[up]);
        const float *v = s.meshes[0].verts; // 0, then where the axes went: their triple product keeps its sign
        double volume = 0;
        for (int k = 0; k < 3; k++)
            volume += (double)v[3 + k] * ((double)v[6 + (k + 1) % 3] * (double)v[9 + (k + 2) % 3] -
                                          (double)v[6 + (k + 2) % 3] * (double)v[9 + (k + 1) % 3]);
        ck_assert_double_eq_tol(volume, 6e-6, 1e-12);
        scene_deinit(&s);
    }
}
END_TEST

START_TEST(an_object_is_turned_about_itself_and_keeps_its_place)
{
    // A post at (100, 0, 5) of a file with Z up, leaning about X by 90 degrees.
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"post\","
        "\"mesh\":0,\"matrix\":[1,0,0,0,0,0,1,0,0,-1,0,0,100,0,5,1]}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
        "\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,0,1]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{"
        "\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA/AACAPwAAAAAAAAAA\"}]}"; // 0,0,0 0,0,1 1,0,0
    write_text(temp_path("post.gltf"), json);
    scene s = load(temp_path("post.gltf"), "z", "0.5");
    const float *t = s.instances[0].transform, *v = s.meshes[0].verts + 3;
    static const float wanted[12] = {1, 0, 0, 50, 0, 0, -1, 2.5f, 0, 1, 0, 0};
    for (int i = 0; i < 12; i++) ck_assert_float_eq_tol(t[i], wanted[i], 1e-6f);
    ck_assert_float_eq_tol(v[1], 0.5f, 1e-6f); // the mesh's own z became y
    ck_assert_float_eq_tol(s.min[1], 2.5f, 1e-6f);
    ck_assert_float_eq_tol(s.max[0], 50.5f, 1e-6f);
    scene_deinit(&s);
}
END_TEST

START_TEST(a_comment_names_the_unit_of_an_obj)
{
    static const struct {
        const char *text;
        double unit;
    } cases[] = {{"# Exported from SketchUp\n# File units = inches\n", 0.0254},
                 {"#\n# This file uses centimeters as units for non-parametric coordinates.\n", 0.01},
                 {"# units: mm\n", 0.001},
                 {"# unit meters\n", 1},
                 {"# Units = feet", 0.3048},
                 {"# 12 units in this file\n", 0},
                 {"# a table of 12 inches\n", 0},
                 {"# units are cm or inches\n", 0},
                 {"v 1 2 3\n", 0},
                 {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(scene_frame_comment_unit(cases[i].text, strlen(cases[i].text)) == cases[i].unit, "%s",
                      cases[i].text);
    write_text(temp_path("maya.obj"), "# uses centimeters as units\nv 0 0 0\nv 0 0 400\nv 400 0 0\nf 1 2 3\n");
    scene s = load(temp_path("maya.obj"), NULL, NULL);
    ck_assert_float_eq_tol(s.max[0], 4, 1e-6f);
    scene_deinit(&s);
    s = load(temp_path("maya.obj"), NULL, "m"); // the command line knows better
    ck_assert_float_eq(s.max[0], 400);
    scene_deinit(&s);
}
END_TEST

START_TEST(build_says_how_it_understood_the_scene)
{
    outcome r = run_navctl("build", yard(), NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert_str_eq(r.err, "");
    ck_assert_msg(strstr(r.out, "size: 40 m x 30 m, 3 m high, from 0,0,0 to 40,3,30\n"), "%s", r.out);
    r = run_navctl("build", yard(), "--scale", "cm", "--json", NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert_msg(strstr(r.err, "warning: the scene looks too small: 0.4 m x 0.3 m, 0.03 m high"), "%s", r.err);
    ck_assert_msg(strstr(r.err, "--scale m makes it 40 m x 30 m, 3 m high"), "%s", r.err);
    ck_assert_msg(strstr(r.err, "warning: nothing to walk on"), "%s", r.err);
    ck_assert_double_eq(json_value(r.out, "unit_m"), 0.01);
    r = run_navctl("graph", yard(), "--up", "z", "-o", temp_path("g.json"), NULL);
    ck_assert_msg(
        strstr(r.err, "most of its floors face the file's y axis, but its z axis was taken for up: try --up y"), "%s",
        r.err);
    r = run_navctl("build", yard(), "--scale", "km", NULL);
    expect_error(&r, 2, "--scale km: expected auto, m, cm");
    r = run_navctl("build", yard(), "--scale", "-2", NULL);
    expect_error(&r, 2, "--scale -2: expected auto, m, cm");
    r = run_navctl("build", yard(), "--up", "w", NULL);
    expect_error(&r, 2, "--up w: expected one of: auto x y z -x -y -z");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("scene_look");
    TCase *t = tcase_create("all");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, what_is_right_is_not_doubted);
    tcase_add_test(t, a_wrong_axis_is_seen_and_the_advice_mends_it);
    tcase_add_test(t, a_wrong_unit_is_seen_and_the_advice_mends_it);
    tcase_add_test(t, a_scene_on_its_side_is_measured_as_it_would_stand);
    tcase_add_test(t, every_axis_can_be_up_and_nothing_is_mirrored);
    tcase_add_test(t, an_object_is_turned_about_itself_and_keeps_its_place);
    tcase_add_test(t, a_comment_names_the_unit_of_an_obj);
    tcase_add_test(t, build_says_how_it_understood_the_scene);
    return run_suite_in_folder(s);
}
