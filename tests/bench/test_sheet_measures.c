// Does the bench's judge of walls and ceilings say what it claims, and are its scenes what they say?
#include "tests/bench/sheet_scenes.h"
#include "tests/bench/stand_check.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

static const stand_limits LIMITS = {
    .radius_m = 0.6, .height_m = 2, .tolerance_m = 0.45, .rim_deg = 60, .samples = 20000, .seed = 3};

// A rectangle across `axis` at `height`, that looks along it, or against it.
static void add_face(tri_space *s, int axis, double height, const double min[3], const double max[3], bool against)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double p[4][3];
    for (int i = 0; i < 4; i++) {
        p[i][axis] = height;
        p[i][u] = i == 1 || i == 2 ? max[u] : min[u];
        p[i][v] = i > 1 ? max[v] : min[v];
    }
    tri_space_add(s, p[0], p[against ? 2 : 1], p[against ? 1 : 2]);
    tri_space_add(s, p[0], p[against ? 3 : 2], p[against ? 2 : 3]);
}

// The six faces of a room, seen from within, each drawn in by `inset`; skip: one that is left out, or -1.
static void make_room(tri_space *s, double inset, int skip)
{
    static const double low[3] = {0, 0, 0}, high[3] = {20, 8, 12};
    for (int face = 0; face < 6; face++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) {
            min[k] = low[k] + (k == face / 2 ? 0 : inset);
            max[k] = high[k] - (k == face / 2 ? 0 : inset);
        }
        if (face == skip) continue;
        add_face(s, face / 2, face % 2 ? high[face / 2] : low[face / 2], min, max, face % 2);
    }
}

static stand_report check(tri_space *solid, tri_space *mesh)
{
    stand_report r;
    tri_space_finish(solid, 2);
    tri_space_finish(mesh, 1);
    stand_check(solid, mesh, &LIMITS, "test", NULL, &r);
    tri_space_deinit(solid);
    tri_space_deinit(mesh);
    return r;
}

START_TEST(faces_drawn_in_by_the_radius_are_right)
{
    tri_space solid = {0}, mesh = {0};
    make_room(&solid, 0, -1);
    make_room(&mesh, 0.6, -1);
    const stand_report r = check(&solid, &mesh);
    ck_assert_uint_gt(r.asked, 10000);
    ck_assert_uint_eq(r.covered, r.asked);
    ck_assert_uint_eq(r.right, r.sampled);
    ck_assert_uint_eq(r.twice, 0);
}
END_TEST

START_TEST(a_face_that_is_missing_is_missed)
{
    tri_space solid = {0}, mesh = {0};
    make_room(&solid, 0, -1);
    make_room(&mesh, 0.6, 2); // the floor
    const stand_report r = check(&solid, &mesh);
    // Of what is asked, which keeps 1.05 m from the corners: the floor's part.
    const double x = 20 - 2.1, y = 8 - 2.1, z = 12 - 2.1;
    ck_assert_double_eq_tol(1 - r.recall, x * z / (2 * (x * y + y * z + z * x)), 0.02);
    ck_assert_uint_eq(r.right, r.sampled);
}
END_TEST

START_TEST(a_mesh_that_keeps_no_distance_is_stuck)
{
    tri_space solid = {0}, mesh = {0};
    make_room(&solid, 0, -1);
    make_room(&mesh, 0, -1);
    const stand_report r = check(&solid, &mesh);
    ck_assert_uint_eq(r.covered, r.asked);
    ck_assert_uint_gt(r.stuck, 0);
    ck_assert_uint_eq(r.baseless, 0);
    // Nearer to a corner than radius less tolerance, 0.15 m.
    const double all = 2 * (20 * 8 + 8 * 12 + 12 * 20.), left = 2 * (19.7 * 7.7 + 7.7 * 11.7 + 11.7 * 19.7);
    ck_assert_double_eq_tol((double)r.stuck / (double)r.sampled, 1 - left / all, 0.01);
}
END_TEST

START_TEST(a_mesh_over_nothing_is_baseless)
{
    static const double min[3] = {2, 0, 2}, max[3] = {8, 0, 8};
    tri_space solid = {0}, mesh = {0};
    make_room(&solid, 0, -1);
    make_room(&mesh, 0.6, -1);
    add_face(&mesh, 1, 4, min, max, true); // in mid-air
    const stand_report r = check(&solid, &mesh);
    ck_assert_double_eq_tol((double)r.baseless / (double)r.sampled, 36 / (36 + 808.6), 0.01);
}
END_TEST

START_TEST(surface_that_lies_on_other_surface_is_twice)
{
    tri_space solid = {0}, mesh = {0};
    const double a[3] = {4, -0.3, 4}, b[3] = {4, -0.3, 8}, c[3] = {8, 0.3, 8};
    make_room(&solid, 0, -1);
    make_room(&mesh, 0.6, -1);
    tri_space_add(&mesh, a, b, c); // it leans, on the floor
    const stand_report r = check(&solid, &mesh);
    ck_assert_double_eq_tol(r.twice_share, 8 / 560., 0.006);
    ck_assert_uint_eq(r.covered, r.asked);
}
END_TEST

// A floor without walls: its ends are rims, near which nothing is asked.
START_TEST(ends_of_surface_are_rims)
{
    static const double min[3] = {0, 0, 0}, max[3] = {10, 0, 10}, in_min[3] = {0.6, 0, 0.6}, in_max[3] = {9.4, 0, 9.4};
    tri_space solid = {0}, mesh = {0};
    add_face(&solid, 1, 0, min, max, false);
    add_face(&mesh, 1, 0, in_min, in_max, false);
    const stand_report r = check(&solid, &mesh);
    ck_assert_double_eq_tol((double)r.asked / LIMITS.samples, 7.9 * 7.9 / 100, 0.02);
    ck_assert_uint_eq(r.covered, r.asked);
}
END_TEST

START_TEST(distances_between_segments_and_triangles)
{
    const double a[3] = {0, 0, 0}, b[3] = {4, 0, 0}, c[3] = {0, 0, 4}, over[3] = {1, 2, 1}, under[3] = {1, -2, 1};
    const double beside[3] = {-3, 0, 1}, far[3] = {-3, 4, 1}, along[3] = {5, 3, -1}, end[3] = {-1, 3, 5};
    tri_space s = {0};
    double on[3];
    tri_space_add(&s, a, b, c);
    tri_space_finish(&s, 1);
    ck_assert_double_eq_tol(tri_space_nearest(&s.tris[0], over, on), 2, 1e-12);
    ck_assert_double_eq_tol(tri_space_nearest(&s.tris[0], beside, on), 3, 1e-12);
    ck_assert_double_eq(tri_space_axis_distance(&s.tris[0], over, under), 0);
    ck_assert_double_eq_tol(tri_space_axis_distance(&s.tris[0], beside, far), 3, 1e-12);
    ck_assert_double_eq_tol(tri_space_axis_distance(&s.tris[0], along, end), 3, 1e-12);
    ck_assert_double_eq_tol(tri_space_segment_distance(over, over, under, under), 4, 1e-12);
    tri_space_deinit(&s);
}
END_TEST

// Volume under the triangles: positive where they face outwards.
static double volume_of(const scene *s)
{
    double sum = 0;
    const scene_mesh *m = &s->meshes[0];
    for (size_t i = 0; i < m->tri_count; i++) {
        const float *p[3];
        for (size_t c = 0; c < 3; c++) p[c] = m->verts + 3 * (size_t)m->tris[3 * i + c];
        for (int k = 0; k < 3; k++)
            sum += (double)p[0][k] * ((double)p[1][(k + 1) % 3] * (double)p[2][(k + 2) % 3] -
                                      (double)p[1][(k + 2) % 3] * (double)p[2][(k + 1) % 3]);
    }
    return sum / 6;
}

START_TEST(scenes_face_the_agent_and_are_the_same_again)
{
    static const bool inside[SHEET_SCENES] = {true, true, false, false, true, false, true};
    for (int i = 0; i < SHEET_SCENES; i++) {
        scene one, two;
        ck_assert(sheet_scene_named(sheet_scene_names[i], &one) && sheet_scene_named(sheet_scene_names[i], &two));
        ck_assert_msg((volume_of(&one) < 0) == inside[i], "%s holds %g m3", sheet_scene_names[i], volume_of(&one));
        ck_assert_uint_eq(one.tri_count, two.tri_count);
        ck_assert(!memcmp(one.meshes[0].verts, two.meshes[0].verts, one.meshes[0].vert_count * 3 * sizeof(float)));
        scene_deinit(&one);
        scene_deinit(&two);
    }
    scene other;
    ck_assert(!sheet_scene_named("house", &other));
}
END_TEST

START_TEST(other_seeds_and_sizes_are_other_scenes)
{
    scene a, b, c;
    sheet_scene_asteroid(&a, 100, 3, 1);
    sheet_scene_asteroid(&b, 100, 3, 2);
    sheet_scene_asteroid(&c, 200, 2, 1);
    ck_assert_uint_eq(a.tri_count, 20 * 64);
    ck_assert_uint_eq(c.tri_count, 20 * 16);
    ck_assert(memcmp(a.meshes[0].verts, b.meshes[0].verts, a.meshes[0].vert_count * 3 * sizeof(float)) != 0);
    ck_assert_double_eq_tol(volume_of(&c) / volume_of(&a), 8, 1.5);
    scene_deinit(&a);
    scene_deinit(&b);
    scene_deinit(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sheet measures");
    TCase *t = tcase_create("all");
    tcase_add_test(t, faces_drawn_in_by_the_radius_are_right);
    tcase_add_test(t, a_face_that_is_missing_is_missed);
    tcase_add_test(t, a_mesh_that_keeps_no_distance_is_stuck);
    tcase_add_test(t, a_mesh_over_nothing_is_baseless);
    tcase_add_test(t, surface_that_lies_on_other_surface_is_twice);
    tcase_add_test(t, ends_of_surface_are_rims);
    tcase_add_test(t, distances_between_segments_and_triangles);
    tcase_add_test(t, scenes_face_the_agent_and_are_the_same_again);
    tcase_add_test(t, other_seeds_and_sizes_are_other_scenes);
    suite_add_tcase(s, t);
    return run_suite(s);
}
