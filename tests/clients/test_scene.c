#include "clients/navctl/scene/scene.h"
#include "clients/navctl/scene/weld.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static scene read_good(const char *path)
{
    scene s;
    char why[512] = "";
    ck_assert_msg(scene_read(path, &s, why, sizeof why), "%s: %s", path, why);
    return s;
}

// Expects a refusal whose sentence holds `part`.
static void expect_refused(const char *path, const char *part)
{
    scene s;
    char why[512] = "";
    ck_assert_msg(!scene_read(path, &s, why, sizeof why), "%s was read", path);
    ck_assert_msg(strstr(why, part) != NULL, "%s: \"%s\" says nothing of \"%s\"", path, why, part);
    ck_assert_ptr_null(s.meshes);
    ck_assert_ptr_null(s.instances);
}

// The yard in another format, by Assimp's exporter.
static const char *export_yard(const char *format, const char *name)
{
    const char *obj = temp_path("source.obj"), *path = temp_path(name);
    write_text(obj, YARD_OBJ);
    const struct aiScene *source = aiImportFile(obj, 0);
    ck_assert_ptr_nonnull(source);
    ck_assert_int_eq(aiExportScene(source, format, path, 0), aiReturn_SUCCESS);
    aiReleaseImport(source);
    return path;
}

START_TEST(obj_objects_become_instances_with_their_names)
{
    const char *path = temp_path("yard.obj");
    write_text(path, YARD_OBJ);
    scene s = read_good(path);
    ck_assert_uint_eq(s.instance_count, 4);
    ck_assert_str_eq(s.instances[0].name, "floor");
    ck_assert_str_eq(s.instances[1].name, "crate");
    ck_assert_str_eq(s.instances[2].name, "shed");
    ck_assert_str_eq(s.instances[3].name, "step");
    ck_assert_uint_eq(s.tri_count, 2 + 3 * 10);
    ck_assert_uint_eq(s.meshes[s.instances[1].mesh].vert_count, 8); // 5 quads share their corners
    for (int k = 0; k < 3; k++) {
        ck_assert_float_eq(s.min[k], 0);
        ck_assert_float_eq(s.max[k], ((const float[]){40, 3, 30})[k]);
    }
    scene_deinit(&s);
}
END_TEST

START_TEST(each_format_gives_the_same_triangles)
{
    static const struct {
        const char *format, *name;
        float metres; // of a unit
    } formats[] = {{"ply", "a.ply", 1},         {"plyb", "b.ply", 1},    {"stl", "a.stl", 1},
                   {"stlb", "b.stl", 1},        {"glb2", "yard.glb", 1}, {"gltf2", "yard.gltf", 1},
                   {"fbxa", "yard.fbx", 0.01f}, {"obj", "b.obj", 1}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        scene s = read_good(export_yard(formats[i].format, formats[i].name));
        ck_assert_msg(s.tri_count == 32, "%s: %llu triangles", formats[i].name, (unsigned long long)s.tri_count);
        ck_assert_float_eq_tol(s.max[0], 40 * formats[i].metres, 1e-4f);
        ck_assert_float_eq_tol(s.max[1], 3 * formats[i].metres, 1e-4f);
        ck_assert_float_eq_tol(s.max[2], 30 * formats[i].metres, 1e-4f);
        scene_deinit(&s);
    }
}
END_TEST

START_TEST(names_and_places_survive_in_formats_that_have_them)
{
    static const char *const formats[][2] = {{"glb2", "yard.glb"}, {"fbxa", "yard.fbx"}};
    for (size_t i = 0; i < 2; i++) {
        scene s = read_good(export_yard(formats[i][0], formats[i][1]));
        ck_assert_uint_eq(s.instance_count, 4);
        ck_assert_str_eq(s.instances[0].name, "floor");
        ck_assert_str_eq(s.instances[3].name, "step");
        scene_deinit(&s);
    }
}
END_TEST

START_TEST(nodes_that_show_one_mesh_share_it)
{
    static const char json[] = "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                               "\"nodes\":[{\"name\":\"row\",\"translation\":[100,0,0],\"children\":[1,2]},"
                               "{\"name\":\"post\",\"mesh\":0},{\"name\":\"post\",\"mesh\":0,\"translation\":[0,0,5]}],"
                               "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                               "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
                               "\"min\":[0,0,0],\"max\":[1,0,1]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
                               "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
                               "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA/AACAPwAAAAAAAAAA\"}]}";
    const char *path = temp_path("posts.gltf");
    write_text(path, json);
    scene s = read_good(path);
    ck_assert_uint_eq(s.mesh_count, 1);
    ck_assert_uint_eq(s.instance_count, 2);
    ck_assert_str_eq(s.instances[1].name, "post.2");
    ck_assert_float_eq(s.instances[0].transform[3], 100);
    ck_assert_float_eq(s.instances[1].transform[11], 5);
    ck_assert_float_eq(s.max[0], 101);
    ck_assert_float_eq(s.max[2], 6);
    scene_deinit(&s);
}
END_TEST

static char *replace_all(const char *text, const char *from, const char *to)
{
    size_t from_length = strlen(from), to_length = strlen(to), room = strlen(text) * 2 + 1, n = 0;
    char *out = malloc(room);
    ck_assert_ptr_nonnull(out);
    for (const char *p = text; *p;) {
        if (!strncmp(p, from, from_length)) {
            memcpy(out + n, to, to_length);
            n += to_length;
            p += from_length;
        } else {
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
    return out;
}

START_TEST(an_fbx_with_z_up_is_turned_to_y_up)
{
    size_t count;
    uint8_t *bytes = read_file(export_yard("fbxa", "up.fbx"), &count);
    bytes[count] = '\0';
    char *a = replace_all((char *)bytes, "\"UpAxis\", \"int\", \"Integer\", \"\", 1",
                          "\"UpAxis\", \"int\", \"Integer\", \"\", 2");
    char *b =
        replace_all(a, "\"FrontAxis\", \"int\", \"Integer\", \"\", 2", "\"FrontAxis\", \"int\", \"Integer\", \"\", 1");
    char *c = replace_all(b, "\"FrontAxisSign\", \"int\", \"Integer\", \"\", 1",
                          "\"FrontAxisSign\", \"int\", \"Integer\", \"\", -1");
    const char *path = temp_path("z.fbx");
    write_text(path, c);
    scene s = read_good(path); // the file's z (0 to 30 cm) is height now, its y (0 to 3 cm) points away
    ck_assert_float_eq_tol(s.max[0], 0.4f, 1e-5f);
    ck_assert_float_eq_tol(s.max[1], 0.3f, 1e-5f);
    ck_assert_float_eq_tol(s.min[2], -0.03f, 1e-5f);
    ck_assert_float_eq_tol(s.max[2], 0, 1e-5f);
    scene_deinit(&s);
    free(a);
    free(b);
    free(c);
    free(bytes);
}
END_TEST

START_TEST(an_obj_that_was_cut_is_refused_with_its_line)
{
    const char *path = temp_path("cut.obj");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 1 0");
    expect_refused(path, "line 3: a vertex with 2 of 3 numbers");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 1 0 1\n");
    expect_refused(path, "no faces up to its end at line 3");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2\n");
    expect_refused(path, "line 4: a face with 2 corners");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 9\n");
    expect_refused(path, "line 4: the face names vertex 9, the file has 3");
    write_text(path, "v 0 0 0\nv 1 .5 0\nv 1 0 1\nf 1 2 3\n");
    expect_refused(path, "line 2: a number needs a digit");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 x\n");
    expect_refused(path, "line 4: corner 3");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 2 0 0\nv 2 0 2\nf 1 2 3\nf 3 4 1");
    expect_refused(path, "cut short at line 7");
}
END_TEST

START_TEST(a_whole_obj_may_lack_its_last_line_end_and_join_lines)
{
    const char *path = temp_path("odd.obj");
    write_text(path, "# a \\ in a comment\r\nv 0 0 0\r\nv 1 \\\n 0 0\nv 1 0 1 1.0\nvn 0 1 0\n\nf -1//1 -2//1 -3//1");
    scene s = read_good(path);
    ck_assert_uint_eq(s.tri_count, 1);
    scene_deinit(&s);
}
END_TEST

START_TEST(every_cut_of_a_binary_file_is_refused)
{
    static const char *const formats[][2] = {{"plyb", "yard.ply"}, {"stlb", "yard.stl"}, {"glb2", "yard.glb"}};
    for (size_t i = 0; i < 3; i++) {
        size_t count;
        char name[16];
        uint8_t *bytes = read_file(export_yard(formats[i][0], formats[i][1]), &count);
        snprintf(name, sizeof name, "cut%s", strrchr(formats[i][1], '.'));
        const char *path = temp_path(name);
        for (size_t n = 0; n < count; n += 1 + count / 97) {
            scene s;
            char why[512];
            write_file(path, bytes, n);
            ck_assert_msg(!scene_read(path, &s, why, sizeof why), "%zu of %zu bytes of %s", n, count, formats[i][1]);
        }
        free(bytes);
    }
}
END_TEST

START_TEST(what_is_no_scene_is_said_to_be_none)
{
    uint8_t noise[3000];
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)(i * 7 + i / 256);
    static const char *const endings[] = {"obj", "gltf", "glb", "fbx", "ply"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "noise.%s", endings[i]);
        write_file(temp_path(name), noise, sizeof noise);
        expect_refused(temp_path(name), "not a");
    }
    write_text(temp_path("noise.what"), "hello");
    expect_refused(temp_path("noise.what"), "the name must end in");
    write_text(temp_path("empty.obj"), "");
    expect_refused(temp_path("empty.obj"), "the file is empty");
    expect_refused(temp_path("absent.obj"), "No such file");
    expect_refused("/tmp", "it is a folder");
}
END_TEST

START_TEST(weld_keeps_each_position_once_and_knows_zero_from_nothing)
{
    weld w = {0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            const float p[3] = {(float)(i % 100), (float)(i / 100), 0.1f * (float)i};
            ck_assert_uint_eq(weld_add(&w, p), (uint32_t)i);
        }
    }
    const float zero[3] = {0, 0, 0}, minus_zero[3] = {-0.0f, 0, -0.0f};
    ck_assert_uint_eq(weld_add(&w, zero), 0);
    ck_assert_uint_eq(weld_add(&w, minus_zero), 0);
    ck_assert_uint_eq(w.count, 5000);
    weld_deinit(&w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("scene");
    TCase *t = tcase_create("scene");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, obj_objects_become_instances_with_their_names);
    tcase_add_test(t, each_format_gives_the_same_triangles);
    tcase_add_test(t, names_and_places_survive_in_formats_that_have_them);
    tcase_add_test(t, nodes_that_show_one_mesh_share_it);
    tcase_add_test(t, an_fbx_with_z_up_is_turned_to_y_up);
    tcase_add_test(t, an_obj_that_was_cut_is_refused_with_its_line);
    tcase_add_test(t, a_whole_obj_may_lack_its_last_line_end_and_join_lines);
    tcase_add_test(t, every_cut_of_a_binary_file_is_refused);
    tcase_add_test(t, what_is_no_scene_is_said_to_be_none);
    tcase_add_test(t, weld_keeps_each_position_once_and_knows_zero_from_nothing);
    return run_suite_in_folder(s);
}
