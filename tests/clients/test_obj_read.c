// OBJ files: what tinyobjloader reads, on any number of threads, and what it leaves to Assimp.
#include "clients/navctl/generate/thread_pool.h"
#include "clients/navctl/scene/obj_read.h"
#include "clients/navctl/scene/polygon.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads a text without the help of Assimp.
static obj_result read_text(const char *text, const nav_parallel *parallel, scene *out)
{
    const scene_file file = {.path = "text.obj", .bytes = (const uint8_t *)text, .count = strlen(text)};
    obj_parts parts;
    char why[200] = "";
    *out = (scene){0};
    ck_assert_msg(obj_parts_check(&file, parallel, &parts, why, sizeof why), "%s: %s", text, why);
    obj_result r = obj_read(&parts, parallel, out);
    obj_parts_deinit(&parts);
    return r;
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n"

START_TEST(objects_and_groups_are_instances)
{
    scene s;
    ck_assert_int_eq(read_text(CORNERS "f 1 2 3\no a\nf 1 2 3\ng b  c \nf -4 -3 -2\nf 1 3 4\ng b c\nf 1 2 4\n"
                                       "o empty\no a\nf 2 3 4\ng d\nf 1 2 3\n",
                               NULL, &s),
                     OBJ_READ);
    static const char *const names[] = {"defaultobject", "a", "b c", "d"};
    static const uint32_t counts[] = {1, 2, 3, 1};
    ck_assert_uint_eq(s.instance_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_str_eq(s.instances[i].name, names[i]);
        ck_assert_uint_eq(s.meshes[s.instances[i].mesh].tri_count, counts[i]);
    }
    ck_assert_uint_eq(s.meshes[1].vert_count, 4);
    scene_deinit(&s);
}
END_TEST

START_TEST(each_triangle_knows_its_material)
{
    scene s;
    ck_assert_int_eq(read_text(CORNERS "o a\nf 1 2 3\nusemtl deep water \nf 1 2 3 4\nusemtl mud\nf 1 2 3\n"
                                       "usemtl deep water\no b\nf 1 2 3\n",
                               NULL, &s),
                     OBJ_READ);
    ck_assert_uint_eq(s.material_count, 2);
    ck_assert_str_eq(s.materials[0], "deep water");
    ck_assert_str_eq(s.materials[1], "mud");
    static const uint32_t of_a[] = {UINT32_MAX, 0, 0, 1};
    ck_assert_uint_eq(s.meshes[0].tri_count, 4);
    ck_assert_mem_eq(s.meshes[0].tri_materials, of_a, sizeof of_a);
    ck_assert_uint_eq(s.meshes[1].tri_materials[0], 0);
    scene_deinit(&s);
}
END_TEST

START_TEST(what_would_be_read_otherwise_is_left_to_assimp)
{
    static const char *const odd[] = {
        CORNERS "f 1 2 \\\n3\n",                        // joined lines
        "v 0 0 0 2\nv 1 0 0\nv 1 0 1\nf 1 2 3\n",       // a weight
        CORNERS "v nan 0 0\nf 1 2 3\n",                 // not finite
        CORNERS "f 1 2 3\ng\nf 1 3 4\n",                // a group without a name
        "v 0 0 0\rv 9 9 9\nv 1 0 0\nv 1 0 1\nf 1 2 3\n" // an old line end
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        scene s;
        ck_assert_msg(read_text(odd[i], NULL, &s) == OBJ_ODD, "%s", odd[i]);
        ck_assert_uint_eq(s.mesh_count, 0);
    }
    scene s; // colours and line ends of two bytes are read
    ck_assert_int_eq(read_text("v 0 0 0 1 0 0\r\nv 1 0 0 1 0 0\r\nv 1 0 1 1 0 0\r\nf 1 2 3\r\n", NULL, &s), OBJ_READ);
    scene_deinit(&s);
}
END_TEST

START_TEST(a_fan_begins_at_the_corner_that_points_inwards)
{
    // An arrow head: corner 2 points inwards.
    static const float arrow[] = {0, 0, 0, 4, 0, 1, 1, 0, 2, 1, 0, 5};
    uint32_t tris[] = {0, 1, 2, 0, 2, 3};
    static const uint32_t turned[] = {2, 3, 0, 2, 0, 1};
    ck_assert(polygon_fan(tris, 4, arrow));
    ck_assert_mem_eq(tris, turned, sizeof turned);
    // A cross has four of them.
    static const float cross[] = {1, 0, 0, 2, 0, 0, 2, 0, 1, 3, 0, 1, 3, 0, 2, 2, 0, 2,
                                  2, 0, 3, 1, 0, 3, 1, 0, 2, 0, 0, 2, 0, 0, 1, 1, 0, 1};
    uint32_t fan[30];
    for (uint32_t t = 0; t < 10; t++) memcpy(fan + 3 * (size_t)t, (const uint32_t[]){0, t + 1, t + 2}, 12);
    ck_assert(!polygon_fan(fan, 12, cross));
    ck_assert_uint_eq(fan[29], 11);
}
END_TEST

START_TEST(threads_do_not_show)
{
    enum { SIDE = 200 };
    size_t room = (size_t)SIDE * SIDE * 80, n = 0;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++) n += (size_t)snprintf(text + n, room - n, "v %d.25 0.%d %d\n", x, x * z % 7, z);
    for (int z = 0; z + 1 < SIDE; z++) {
        if (z % 20 == 0) n += (size_t)snprintf(text + n, room - n, "o row%d\nusemtl m%d\n", z, z % 3);
        for (int x = 1; x < SIDE; x++) {
            int a = z * SIDE + x, b = a + SIDE;
            n += (size_t)snprintf(text + n, room - n, "f %d %d %d %d\n", a, b, b + 1, x % 2 ? a + 1 : a - SIDE * SIDE);
        }
    }
    scene one, four;
    thread_pool *pool = thread_pool_create(4);
    const nav_parallel parallel = thread_pool_parallel(pool);
    ck_assert_int_eq(read_text(text, NULL, &one), OBJ_READ);
    ck_assert_int_eq(read_text(text, &parallel, &four), OBJ_READ);
    ck_assert_uint_eq(one.mesh_count, 10);
    ck_assert_uint_eq(four.mesh_count, 10);
    for (uint32_t i = 0; i < 10; i++) {
        const scene_mesh *a = &one.meshes[i], *b = &four.meshes[i];
        ck_assert_str_eq(one.instances[i].name, four.instances[i].name);
        ck_assert_uint_eq(a->vert_count, b->vert_count);
        ck_assert_uint_eq(a->tri_count, b->tri_count);
        ck_assert_mem_eq(a->verts, b->verts, 12 * (size_t)a->vert_count);
        ck_assert_mem_eq(a->tris, b->tris, 12 * (size_t)a->tri_count);
        ck_assert_mem_eq(a->tri_materials, b->tri_materials, 4 * (size_t)a->tri_count);
    }
    scene_deinit(&one);
    scene_deinit(&four);
    // A fault is named with its line, whichever part it is in.
    const scene_file file = {.path = "text.obj", .bytes = (const uint8_t *)text, .count = n};
    obj_parts parts;
    char why[2][200] = {"", ""};
    memcpy(strstr(text, "f 30001 "), "f 3000x ", 8);
    ck_assert(!obj_parts_check(&file, NULL, &parts, why[0], sizeof why[0]));
    ck_assert(!obj_parts_check(&file, &parallel, &parts, why[1], sizeof why[1]));
    ck_assert_str_eq(why[0], why[1]);
    ck_assert_ptr_nonnull(strstr(why[0], "corner 1 of the face"));
    thread_pool_destroy(pool);
    free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("obj_read");
    TCase *t = tcase_create("obj_read");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, objects_and_groups_are_instances);
    tcase_add_test(t, each_triangle_knows_its_material);
    tcase_add_test(t, what_would_be_read_otherwise_is_left_to_assimp);
    tcase_add_test(t, a_fan_begins_at_the_corner_that_points_inwards);
    tcase_add_test(t, threads_do_not_show);
    return run_suite(s);
}
