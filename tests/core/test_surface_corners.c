// The radius of the surface generator around obstacles and ends of the floor: areas that are known.
#include "core/build.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"

#include <math.h>
#include <string.h>

static const double RADIUS = 0.5, ROUNDING = 2e-3;

enum { MOST = 4, FLOOR = 0 };

typedef struct fixture {
    nav_settings settings;
    scene scenes[MOST];
    nav_instance instances[MOST];
    nav_mesh *meshes[MOST];
    int count;
    nav_volume volume;
    bool has_volume;
    nav_arena arena;
    nav_tile tile;
} fixture;

static fixture f;

static void setup(void)
{
    memset(&f, 0, sizeof f);
    nav_settings_default(&f.settings);
    f.settings.generator = NAV_GENERATOR_SURFACE;
    f.settings.agent_radius_m = (float)RADIUS;
    f.settings.edge_max_error_cells = 0;
    f.settings.cell_size_m = 0.25f;
    f.settings.tile_cells = 40; // 10 m
    nav_arena_init(&f.arena, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&f.arena);
    for (int i = 0; i < f.count; i++) {
        nav_mesh_destroy(f.meshes[i]);
        scene_free(&f.scenes[i]);
    }
}

static scene *add(uint8_t area)
{
    f.instances[f.count] = (nav_instance){NULL, NAV_TRANSFORM_IDENTITY, area};
    return &f.scenes[f.count++];
}

static void add_triangle(scene *s, const float (*xz)[2], int a, int b, int c, float y)
{
    const float p[3][3] = {{xz[a][0], y, xz[a][1]}, {xz[b][0], y, xz[b][1]}, {xz[c][0], y, xz[c][1]}};
    scene_triangle(s, p[0], p[1], p[2]);
}

// Walls between heights on the edges of a ring.
static void add_walls(scene *s, const float (*xz)[2], int corners, float low, float high)
{
    for (int i = 0; i < corners; i++) {
        const float *p = xz[i], *q = xz[(i + 1) % corners];
        const float at[4][3] = {{p[0], low, p[1]}, {p[0], high, p[1]}, {q[0], high, q[1]}, {q[0], low, q[1]}};
        scene_triangle(s, at[0], at[1], at[2]);
        scene_triangle(s, at[0], at[2], at[3]);
    }
}

// A prism on a ring, whose top and bottom are fans around corner 0; counterclockwise as seen from below.
static void add_prism(scene *s, const float (*xz)[2], int corners, float low, float high)
{
    for (int k = 2; k < corners; k++) {
        add_triangle(s, xz, 0, k - 1, k, high);
        add_triangle(s, xz, 0, k, k - 1, low);
    }
    add_walls(s, xz, corners, low, high);
}

static void add_floor(float x0, float z0, float x1, float z1)
{
    const float xz[4][2] = {{x0, z0}, {x0, z1}, {x1, z1}, {x1, z0}};
    scene *s = add(NAV_AREA_DEFAULT);
    add_triangle(s, xz, 0, 1, 2, 0);
    add_triangle(s, xz, 0, 2, 3, 0);
}

static const float box[4][2] = {{4, 4}, {4, 6}, {6, 6}, {6, 4}};

static const nav_tile *build(int32_t x, int32_t z)
{
    for (int i = 0; i < f.count; i++) {
        if (!f.meshes[i]) f.meshes[i] = scene_mesh(&f.scenes[i]);
        f.instances[i].mesh = f.meshes[i];
    }
    nav_arena_reset(&f.arena);
    const nav_tile_source src = {.settings = &f.settings,
                                 .tile_x = x,
                                 .tile_z = z,
                                 .instances = f.instances,
                                 .instance_count = (uint32_t)f.count,
                                 .volumes = &f.volume,
                                 .volume_count = f.has_volume};
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &f.arena, &f.tile), NAV_OK);
    ck_assert_int_eq(f.tile.polygons.failed_loops, 0);
    return &f.tile;
}

// Of the polygons at the height of the floor, square metres.
static double area(void)
{
    const nav_tile *t = build(0, 0);
    const nav_polygons *p = &t->polygons;
    double sum = 0, unit = t->config.unit_size_m;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            sum += (double)p->x[b] * p->z[a] - (double)p->x[a] * p->z[b];
        }
    return sum / 2 * unit * unit;
}

static double area_with(nav_corners corners)
{
    f.settings.corners = corners;
    return area();
}

// Square radii of a quarter's round corner in so many pieces.
static double quarter(int pieces)
{
    return pieces * tan(acos(-1.0) / 4 / pieces);
}

START_TEST(each_kind_of_corner_has_its_area)
{
    const double sides = 81 - 2 * 2 - 4 * 2 * RADIUS, square = RADIUS * RADIUS;
    add_floor(0, 0, 10, 10);
    add_prism(add(NAV_AREA_NONE), box, 4, 0, 2);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), sides - 4 * square, ROUNDING);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_BEVEL), sides - 4 * square / 2, ROUNDING);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_ROUND), sides - 4 * square * quarter(4), ROUNDING);
}
END_TEST

START_TEST(round_corners_are_within_the_error_of_their_arc)
{
    const double sides = 81 - 2 * 2 - 4 * 2 * RADIUS, square = RADIUS * RADIUS;
    add_floor(0, 0, 10, 10);
    add_prism(add(NAV_AREA_NONE), box, 4, 0, 2);
    // Pieces of at most 2 acos(r / (r + e)).
    f.settings.arc_error_m = 0.05f;
    ck_assert_double_eq_tol(area(), sides - 4 * square * quarter(2), ROUNDING * 6); // the last one is shorter
    f.settings.arc_error_m = 0.0005f;
    ck_assert_double_eq_tol(area(), sides - 4 * square * acos(-1.0) / 4, ROUNDING);
    f.settings.arc_error_m = 1000; // pieces of 90 degrees
    ck_assert_double_eq_tol(area(), sides - 4 * square, ROUNDING);
}
END_TEST

START_TEST(a_mitre_ends_at_its_limit)
{
    // A corner of 2 atan(1 / 4): its mitre is 4.1 radii long.
    const float spike[3][2] = {{4, 4}, {4, 6}, {8, 5}};
    add_floor(0, 0, 12, 10);
    add_prism(add(NAV_AREA_NONE), spike, 3, 0, 2);
    f.settings.tile_cells = 48;
    f.settings.corners = NAV_CORNERS_MITRE;
    double most[3];
    const float limits[3] = {1, 2, 5};
    for (int i = 0; i < 3; i++) {
        f.settings.mitre_limit = limits[i];
        const nav_tile *t = build(0, 0);
        most[i] = 0;
        for (int32_t v = 0; v < t->contours.vert_count; v++) {
            double x = t->contours.x[v] * t->config.unit_size_m, z = t->contours.z[v] * t->config.unit_size_m;
            if (z > 3 && z < 7 && x < 11 && x > most[i]) most[i] = x;
        }
    }
    ck_assert_double_eq_tol(most[0], 8 + RADIUS, 1e-3);
    ck_assert_double_eq_tol(most[1], 8 + 2 * RADIUS, 1e-3);
    ck_assert_double_eq_tol(most[2], 8 + RADIUS * sqrt(17), 1e-3);
}
END_TEST

START_TEST(ends_of_the_floor_have_the_same_corners)
{
    // Two squares of 10 m and one of 5 m: an L, one corner of which sticks out into the floor.
    const double sides = 9 * 9 - 5 * 5, square = RADIUS * RADIUS;
    scene *s = add(NAV_AREA_DEFAULT);
    const float xz[6][2] = {{0, 0}, {0, 10}, {5, 10}, {5, 5}, {10, 5}, {10, 0}};
    add_triangle(s, xz, 3, 0, 1, 0);
    add_triangle(s, xz, 3, 1, 2, 0);
    add_triangle(s, xz, 3, 4, 5, 0);
    add_triangle(s, xz, 3, 5, 0, 0);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), sides, ROUNDING);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_BEVEL), sides + square / 2, ROUNDING);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_ROUND), sides + square * (1 - quarter(4)), ROUNDING);
}
END_TEST

START_TEST(a_courtyard_is_open_and_its_corners_have_none)
{
    // A frame of 6 by 6 around a yard of 3 by 3.
    const float outer[4][2] = {{2, 2}, {2, 8}, {8, 8}, {8, 2}},
                inner[4][2] = {{3.5f, 3.5f}, {6.5f, 3.5f}, {6.5f, 6.5f}, {3.5f, 6.5f}};
    float all[8][2];
    memcpy(all, outer, sizeof outer);
    memcpy(all + 4, (const float[4][2]){{3.5f, 3.5f}, {3.5f, 6.5f}, {6.5f, 6.5f}, {6.5f, 3.5f}}, sizeof inner);
    add_floor(0, 0, 10, 10);
    scene *s = add(NAV_AREA_NONE);
    for (int k = 0; k < 4; k++)
        for (int top = 0; top < 2; top++) {
            const int a = k, b = (k + 1) % 4, c = 4 + (k + 1) % 4, d = 4 + k;
            add_triangle(s, all, a, top ? b : c, top ? c : b, top ? 2 : 0);
            add_triangle(s, all, a, top ? c : d, top ? d : c, top ? 2 : 0);
        }
    add_walls(s, outer, 4, 0, 2);
    add_walls(s, inner, 4, 0, 2);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), 81 - 7 * 7 + 2 * 2, ROUNDING);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_BEVEL), 81 - 7 * 7 + 2 * 2 + 4 * 0.125, ROUNDING);
}
END_TEST

START_TEST(things_may_be_turned_mirrored_and_tall)
{
    const double expected = 81 - 3 * 3;
    // A quarter's turn about the vertical and twice as high; mirrored.
    const float turned[12] = {0, 0, 1, 0, 0, 2, 0, 0, -1, 0, 0, 10},
                mirrored[12] = {-1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0};
    add_floor(0, 0, 10, 10);
    add_prism(add(NAV_AREA_NONE), box, 4, 0, 2);
    memcpy(f.instances[1].transform, turned, sizeof turned);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), expected, ROUNDING);
    memcpy(f.instances[1].transform, mirrored, sizeof mirrored);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), expected, ROUNDING);
}
END_TEST

START_TEST(only_what_is_in_the_way_keeps_the_agent_off)
{
    const struct {
        float low, high;
        bool blocks;
    } cases[] = {{0, 0.8f, false}, {0, 1, true},       {1.9f, 3, true},
                 {2.1f, 3, false}, {-3, -0.1f, false}, {1.5f, 1.5f, true}};
    const int count = sizeof cases / sizeof *cases;
    f.settings.corners = NAV_CORNERS_MITRE;
    for (int i = 0; i < count; i++) {
        add_floor(0, 0, 10, 10);
        scene *s = add(NAV_AREA_NONE);
        if (cases[i].low < cases[i].high)
            add_prism(s, box, 4, cases[i].low, cases[i].high);
        else // a sheet
            for (int k = 2; k < 4; k++) add_triangle(s, box, 0, k - 1, k, cases[i].low);
        const double expected = cases[i].blocks ? 81 - 9 : 81;
        ck_assert_msg(fabs(area() - expected) < ROUNDING, "case %d: %g", i, area());
        teardown();
        f.count = 0;
        memset(f.meshes, 0, sizeof f.meshes);
        memset(f.scenes, 0, sizeof f.scenes);
        nav_arena_init(&f.arena, 0);
    }
}
END_TEST

START_TEST(what_is_no_prism_keeps_round_corners)
{
    // Four walls without a top: nobody knows that it is solid, and the inside is floor.
    const double outside = 81 - 2 * 2 - 4 * 2 * RADIUS - 4 * RADIUS * RADIUS * quarter(4), inside = 1 * 1;
    add_floor(0, 0, 10, 10);
    add_walls(add(NAV_AREA_NONE), box, 4, 0, 2);
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), outside + inside, 0.02); // pieces are moved by 0.75 unit more
}
END_TEST

START_TEST(on_a_slope_pieces_count_where_they_are_in_the_way)
{
    // A ramp that rises by 4 m to the top of the box: it blocks the lower end, and is walked over at the upper one.
    const float low[3] = {0, 0, 0}, low2[3] = {0, 0, 10}, high[3] = {10, 4, 0}, high2[3] = {10, 4, 10};
    const float beam[4][2] = {{1, 4}, {1, 6}, {9, 6}, {9, 4}};
    scene *s = add(NAV_AREA_DEFAULT);
    scene_triangle(s, low, low2, high2);
    scene_triangle(s, low, high2, high);
    add_prism(add(NAV_AREA_NONE), beam, 4, -1, 2);
    const double x = (2 - 0.9) / 0.4; // where the top is as high as the agent climbs
    const double blocked = area_with(NAV_CORNERS_MITRE);
    ck_assert_double_gt(blocked, 81 - 3 * (x + RADIUS - 0.5) - 0.1);
    ck_assert_double_lt(blocked, 81 - 2.9 * (x - 1));
}
END_TEST

START_TEST(volumes_have_corners_too)
{
    add_floor(0, 0, 10, 10);
    f.has_volume = true;
    f.volume = (nav_volume){.point_count = 4, .points = {4, 4, 6, 4, 6, 6, 4, 6}, .min_y = 0, .max_y = 1};
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), 81 - 9, ROUNDING);
    f.volume.min_y = 0.1f; // the floor lies below it
    ck_assert_double_eq_tol(area_with(NAV_CORNERS_MITRE), 81, ROUNDING);
}
END_TEST

START_TEST(neighbours_agree_however_far_things_reach)
{
    // A floor and a thing of 400 m at an angle, more than one shape may be long; and one beside a border, whose mitre
    // reaches over it.
    const float xz[4][2] = {{-200, -150}, {-210, 180}, {190, 210}, {205, -160}};
    const float wall[4][2] = {{-150, -101}, {-150, -100}, {170, 140.3f}, {170, 139.1f}},
                spike[3][2] = {{4, 11}, {4, 13}, {8, 10.6f}};
    scene *s = add(NAV_AREA_DEFAULT);
    add_triangle(s, xz, 0, 1, 2, 0);
    add_triangle(s, xz, 0, 2, 3, 0);
    add_prism(add(NAV_AREA_NONE), wall, 4, 0, 2);
    add_prism(add(NAV_AREA_NONE), spike, 3, 0, 2);
    f.settings.mitre_limit = 6;
    for (int kind = NAV_CORNERS_ROUND; kind <= NAV_CORNERS_BEVEL; kind++) {
        f.settings.corners = (nav_corners)kind;
        for (int32_t x = -4; x < 4; x++)
            for (int32_t z = -4; z < 4; z++) {
                border_line lines[2][2];
                lines[0][0] = border_line_of(build(x, z), NAV_EDGE_PORTAL_XMAX);
                lines[0][1] = border_line_of(build(x + 1, z), NAV_EDGE_PORTAL_XMIN);
                lines[1][0] = border_line_of(build(x, z), NAV_EDGE_PORTAL_ZMAX);
                lines[1][1] = border_line_of(build(x, z + 1), NAV_EDGE_PORTAL_ZMIN);
                for (int i = 0; i < 2; i++) {
                    ck_assert_msg(border_difference(&lines[i][0], &lines[i][1]) == 0, "%s, tile %d,%d",
                                  nav_corners_name(f.settings.corners), x, z);
                    border_line_free(&lines[i][0]);
                    border_line_free(&lines[i][1]);
                }
            }
    }
}
END_TEST

START_TEST(settings_that_cannot_be_are_refused)
{
    char why[200];
    f.settings.corners = (nav_corners)3;
    ck_assert_int_eq(nav_settings_check(&f.settings, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "corners is 3"));
    f.settings.corners = NAV_CORNERS_MITRE;
    f.settings.mitre_limit = 0.5f;
    ck_assert_int_eq(nav_settings_check(&f.settings, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "mitre_limit is 0.5"));
    f.settings.mitre_limit = 10;
    f.settings.agent_radius_m = 20;
    ck_assert_int_eq(nav_settings_check(&f.settings, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "times mitre_limit is 800"));
    f.settings.arc_error_m = -1;
    f.settings.agent_radius_m = 1;
    ck_assert_int_eq(nav_settings_check(&f.settings, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "arc_error_m is -1"));
    nav_corners c;
    ck_assert_int_eq(nav_corners_parse("bevel", &c), NAV_OK);
    ck_assert_int_eq(c, NAV_CORNERS_BEVEL);
    ck_assert_int_eq(nav_corners_parse("sharp", &c), NAV_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("surface_corners");
    TCase *t = tcase_create("surface_corners");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, each_kind_of_corner_has_its_area);
    tcase_add_test(t, round_corners_are_within_the_error_of_their_arc);
    tcase_add_test(t, a_mitre_ends_at_its_limit);
    tcase_add_test(t, ends_of_the_floor_have_the_same_corners);
    tcase_add_test(t, a_courtyard_is_open_and_its_corners_have_none);
    tcase_add_test(t, things_may_be_turned_mirrored_and_tall);
    tcase_add_test(t, only_what_is_in_the_way_keeps_the_agent_off);
    tcase_add_test(t, what_is_no_prism_keeps_round_corners);
    tcase_add_test(t, on_a_slope_pieces_count_where_they_are_in_the_way);
    tcase_add_test(t, volumes_have_corners_too);
    tcase_add_test(t, neighbours_agree_however_far_things_reach);
    tcase_add_test(t, settings_that_cannot_be_are_refused);
    suite_add_tcase(s, t);
    return run_suite(s);
}
