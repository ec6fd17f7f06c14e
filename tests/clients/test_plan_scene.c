#include "clients/navctl/scene/plan_scene.h"
#include "clients/navctl/scene/plan_svg_path.h"
#include "tests/check.h"
#include "tests/clients/plan_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_text(plan_format format, const char *text, double unit_m, scene *out, char why[512])
{
    const scene_file file = {.path = "plan", .bytes = (const uint8_t *)text, .count = strlen(text)};
    *out = (scene){0};
    why[0] = 0;
    return plan_scene_read(format, &file, unit_m, out, why, 512);
}

static scene read_good(plan_format format, const char *text, double unit_m)
{
    scene s;
    char why[512];
    ck_assert_msg(read_text(format, text, unit_m, &s, why), "%s: %s", text, why);
    return s;
}

static void expect_refused(plan_format format, const char *text, const char *part)
{
    scene s;
    char why[512];
    ck_assert_msg(!read_text(format, text, 1, &s, why), "%s was read", text);
    ck_assert_msg(strstr(why, part) != NULL, "%s: \"%s\" says nothing of \"%s\"", text, why, part);
    scene_deinit(&s);
}

static const scene_instance *find(const scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->instance_count; i++)
        if (!strcmp(s->instances[i].name, name)) return &s->instances[i];
    ck_abort_msg("no object %s", name);
    return NULL;
}

// Area of the triangles at a height, as seen from above; those that face down count against it.
static double area_at(const scene *s, const char *name, double height)
{
    const scene_mesh *m = &s->meshes[find(s, name)->mesh];
    double sum = 0;
    for (uint32_t t = 0; t < m->tri_count; t++) {
        const float *v[3];
        bool flat = true;
        for (int k = 0; k < 3; k++) {
            v[k] = m->verts + 3 * (size_t)m->tris[3 * t + (uint32_t)k];
            flat &= fabs((double)v[k][1] - height) < 1e-6;
        }
        const double ax = (double)v[1][0] - (double)v[0][0], az = (double)v[1][2] - (double)v[0][2];
        const double bx = (double)v[2][0] - (double)v[0][0], bz = (double)v[2][2] - (double)v[0][2];
        if (flat) sum += (az * bx - ax * bz) / 2; // Y of the cross product
    }
    return sum;
}

// Sum over the edges of all triangles: 0 where each edge is met by as many in the one direction as in the other.
static void expect_closed(const scene *s, const char *name, bool closed)
{
    const scene_mesh *m = &s->meshes[find(s, name)->mesh];
    uint32_t open = 0;
    for (uint32_t t = 0; t < 3 * m->tri_count; t++) {
        const uint32_t a = m->tris[t], b = m->tris[t % 3 == 2 ? t - 2 : t + 1];
        bool met = false;
        for (uint32_t u = 0; u < 3 * m->tri_count && !met; u++)
            met = u != t && ((m->tris[u] == b && m->tris[u % 3 == 2 ? u - 2 : u + 1] == a) ||
                             (m->tris[u] == a && m->tris[u % 3 == 2 ? u - 2 : u + 1] == b));
        open += !met;
    }
    ck_assert_msg((open == 0) == closed, "%s: %u open edges", name, open);
}

START_TEST(floors_lie_at_their_heights_and_face_up)
{
    scene s =
        read_good(PLAN_WKT,
                  "# two storeys\nfloor name=\"the hall\" POLYGON ((0 0, 20 0, 20 10, 0 10, 0 0), (4 4, 6 4, 6 7, "
                  "4 7))\nfloor height=3 area=5 POLYGON((0 0, 0 4, 4 4))\n",
                  1);
    ck_assert_uint_eq(s.instance_count, 2);
    ck_assert_double_eq_tol(area_at(&s, "the hall", 0), 200 - 6, 1e-6);
    ck_assert_double_eq_tol(area_at(&s, "floor_2", 3), 8, 1e-6); // clockwise in the file
    ck_assert_uint_eq(find(&s, "the hall")->area, NAV_AREA_DEFAULT);
    ck_assert_uint_eq(find(&s, "floor_2")->area, 5);
    scene_measure(&s);
    ck_assert_float_eq(s.min[2], -10); // the plan's y is -Z
    ck_assert_float_eq(s.max[2], 0);
    scene_deinit(&s);
}
END_TEST

START_TEST(lengths_are_in_units_of_the_file)
{
    scene s =
        read_good(PLAN_WKT,
                  "floor height=200 POLYGON((0 0, 1000 0, 1000 500, 0 500)) obstacle height=200 POLYGON((0 0, 100 0,"
                  " 100 100)) link radius=30 height=200 LINESTRING(0 0, 500 0)",
                  0.01);
    ck_assert_double_eq_tol(area_at(&s, "floor_1", 2), 50, 1e-4);
    ck_assert_double_eq_tol(area_at(&s, "obstacle_1", 3), 0.5, 1e-6); // 1 m high unless it says more
    ck_assert_uint_eq(s.link_count, 1);
    ck_assert_float_eq_tol(s.links[0].radius_m, 0.3f, 1e-6f);
    ck_assert_float_eq(s.links[0].end[0], 5);
    scene_deinit(&s);
}
END_TEST

START_TEST(the_last_of_floors_counts_and_areas_count_before_floors)
{
    scene s = read_good(PLAN_WKT,
                        "area name=mud area=7 POLYGON((2 2, 30 2, 30 4, 2 4))\n"
                        "floor POLYGON((0 0, 10 0, 10 10, 0 10))\nfloor POLYGON((5 0, 15 0, 15 10, 5 10))",
                        1);
    ck_assert_double_eq_tol(area_at(&s, "mud", 0), 13 * 2, 1e-5); // no ground beyond the floors
    ck_assert_double_eq_tol(area_at(&s, "floor_1", 0), 50 - 6, 1e-5);
    ck_assert_double_eq_tol(area_at(&s, "floor_2", 0), 100 - 20, 1e-5);
    scene_deinit(&s);
}
END_TEST

START_TEST(obstacles_are_solid_whatever_their_rings)
{
    scene s = read_good(PLAN_WKT,
                        "obstacle name=eight POLYGON((0 0, 4 4, 4 0, 0 4))\n"                        // crosses itself
                        "obstacle name=star to_height=2.5 POLYGON((0 -3, 2 3, -3 -1, 3 -1, -2 3))\n" // round twice
                        "obstacle name=u POLYGON((0 0, 9 0, 9 9, 6 9, 6 3, 3 3, 3 9, 0 9))\n"
                        "obstacle name=ring POLYGON((0 0, 9 0, 9 9, 0 9), (3 3, 6 3, 6 6, 3 6))\n"
                        "obstacle name=two MULTIPOLYGON(((0 0, 2 0, 2 2, 0 2)), ((1 1, 3 1, 3 3, 1 3)))\n"
                        "obstacle name=wall width=0.5 MULTILINESTRING((0 0, 10 0), (5 -5, 5 5))\n",
                        1);
    const struct {
        const char *name;
        double area, top;
    } wanted[] = {{"eight", 8, 1},     {"star", NAN, 2.5}, {"u", 81 - 18, 1},
                  {"ring", 81 - 9, 1}, {"two", 7, 1},      {"wall", 9.75, 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *name = wanted[i].name;
        ck_assert_uint_eq(find(&s, name)->area, NAV_AREA_NONE);
        const double bottom = area_at(&s, name, 0);
        ck_assert_double_gt(bottom, 0);
        if (!isnan(wanted[i].area)) ck_assert_double_eq_tol(bottom, wanted[i].area, 1e-5);
        ck_assert_double_eq_tol(area_at(&s, name, wanted[i].top), bottom, 1e-5);
        if (wanted[i].top == 1) expect_closed(&s, name, true); // others have sheets within
    }
    // 2.5 m have sheets between, so that nobody finds room inside.
    ck_assert_double_eq_tol(area_at(&s, "star", 2.5 / 3), area_at(&s, "star", 0), 1e-5);
    scene_deinit(&s);
}
END_TEST

START_TEST(stairs_run_from_height_to_height_around_bends)
{
    scene s = read_good(PLAN_WKT, "stairs width=2 height=1 to_height=4 LINESTRING(0 0, 6 0, 6 6)", 1);
    const scene_mesh *m = &s.meshes[find(&s, "stairs_1")->mesh];
    ck_assert_uint_eq(m->tri_count, 4);
    const float wanted[6][3] = {{0, 1, -1}, {0, 1, 1}, {5, 2.5f, -1}, {7, 2.5f, 1}, {5, 4, -6}, {7, 4, -6}};
    for (int i = 0; i < 6; i++) {
        bool found = false;
        for (uint32_t v = 0; v < m->vert_count; v++) {
            const float *at = m->verts + 3 * (size_t)v;
            found |= fabsf(at[0] - wanted[i][0]) + fabsf(at[1] - wanted[i][1]) + fabsf(at[2] - wanted[i][2]) < 1e-5f;
        }
        ck_assert_msg(found, "no corner at %g %g %g", (double)wanted[i][0], (double)wanted[i][1], (double)wanted[i][2]);
    }
    scene_deinit(&s);
}
END_TEST

START_TEST(geojson_says_the_same_as_wkt)
{
    scene a =
        read_good(PLAN_GEOJSON,
                  "{\"type\": \"FeatureCollection\", \"features\": ["
                  "{\"type\": \"Feature\", \"properties\": {\"kind\": \"floor\", \"name\": \"f\", \"height\": 2, "
                  "\"colour\": [1]}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [9, 0], [9, 9], "
                  "[0, 9], [0, 0]], [[1, 1], [2, 1], [2, 2]]]}},"
                  "{\"type\": \"Feature\", \"properties\": {\"kind\": \"link\", \"one_way\": true, \"area\": 3}, "
                  "\"geometry\": {\"type\": \"LineString\", \"coordinates\": [[1, 1, 2], [3, 4, 5.5]]}},"
                  "{\"type\": \"Feature\", \"properties\": {\"kind\": \"obstacle\", \"name\": null}, \"geometry\": "
                  "{\"type\": \"MultiPolygon\", \"coordinates\": [[[[0, 0, 2], [1, 0, 2], [1, 1, 2]]]]}}]}",
                  1);
    scene b = read_good(PLAN_WKT,
                        "floor name=f height=2 polygon((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2))\n"
                        "link one_way=true area=3 LINESTRING Z(1 1 2, 3 4 5.5)\n"
                        "obstacle MULTIPOLYGON Z (((0 0 2, 1 0 2, 1 1 2)))\n",
                        1);
    ck_assert_uint_eq(a.instance_count, b.instance_count);
    for (uint32_t i = 0; i < a.instance_count; i++) {
        const scene_mesh *x = &a.meshes[i], *y = &b.meshes[i];
        ck_assert_str_eq(a.instances[i].name, b.instances[i].name);
        ck_assert_uint_eq(x->vert_count, y->vert_count);
        ck_assert_mem_eq(x->verts, y->verts, 12 * x->vert_count);
        ck_assert_uint_eq(x->tri_count, y->tri_count);
        ck_assert_mem_eq(x->tris, y->tris, 12 * x->tri_count);
    }
    ck_assert_uint_eq(a.link_count, 1);
    ck_assert_mem_eq(a.links, b.links, sizeof *a.links);
    ck_assert_float_eq(a.links[0].end[1], 5.5f);
    ck_assert_float_eq(a.links[0].end[2], -4);
    ck_assert_uint_eq(a.links[0].both_ways, 0);
    scene_deinit(&a);
    scene_deinit(&b);
}
END_TEST

START_TEST(svg_shapes_are_what_their_classes_ids_and_groups_say)
{
    scene s = read_good(
        PLAN_SVG,
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:inkscape='http://www.inkscape.org/namespaces/inkscape'>"
        "<defs><rect class='floor' width='99' height='99'/></defs><rect width='500' height='500'/>"
        "<g inkscape:label='floor plan' data-height='2'><rect id='hall' width='40' height='30'/></g>"
        "<g class='big obstacle' transform='translate(10,0) scale(2)'>"
        "<path id='frame' d='M0 0h4v4h-4zM1 1v2h2v-2z'/>"                  // the second runs against the first
        "<path id='odd' fill-rule='evenodd' d='M0 0H4V4H0Z m1 1H3V3H1z'/>" // both run the same way
        "<circle id='pillar' cx='10' cy='5' r='1'/>"
        "<line id='wall' x1='0' y1='10' x2='5' y2='10' data-width='1'/></g>"
        "<polyline id='stairs-1' points='40,5 46,5' data-width='3' data-height='2' data-to-height='4'/></svg>",
        1);
    ck_assert_uint_eq(s.instance_count, 6);
    ck_assert_double_eq_tol(area_at(&s, "hall", 2), 1200, 1e-3);
    ck_assert_double_eq_tol(area_at(&s, "frame", 0), 4 * 12, 1e-4);
    ck_assert_double_eq_tol(area_at(&s, "odd", 0), 4 * 12, 1e-4);
    ck_assert_double_eq_tol(area_at(&s, "pillar", 0), 3.14159265 * 4, 4e-3 * 3.14159265 * 4);
    ck_assert_double_eq_tol(area_at(&s, "wall", 0), 10, 1e-4); // a width is no part of the drawing: it is not scaled
    ck_assert_uint_eq(find(&s, "stairs-1")->area, NAV_AREA_DEFAULT);
    scene_measure(&s);
    ck_assert_float_eq(s.min[2], 0); // y down the sheet is Z
    ck_assert_float_eq(s.max[2], 30);
    scene_deinit(&s);
}
END_TEST

static plan_features draw(const char *data)
{
    static char why[512];
    plan_features p = {.why = why, .why_bytes = sizeof why};
    ck_assert_ptr_nonnull(plan_add_feature(&p, PLAN_OBSTACLE));
    const svg_pen pen = {.out = &p, .matrix = {1, 0, 0, 1, 0, 0}};
    ck_assert_msg(svg_draw_path(&pen, data), "%s: %s", data, why);
    return p;
}

START_TEST(paths_have_every_command_in_both_cases)
{
    // Each pair draws the same.
    static const char *const pairs[][2] = {
        {"M1 2L5 2L5 6z", "m1,2 4,0 0,4Z"},
        {"M1 2H5V6H1z", "m 1 2h4v4h-4z"},
        {"M0 0C0 4 4 4 4 0S8-4 8 0L4 9z", "m0 0c0 4 4 4 4 0s4-4 4 0l-4 9z"},
        {"M0 0Q2 4 4 0T8 0L4 9z", "m0 0q2 4 4 0t4 0l-4 9z"},
        {"M0 0A5 5 0 0 1 10 0z", "m0 0a5,5,0,01,10,0z"},
        {"M0 0Q2 4 4 0L2-5z",
         "M0 0C1.3333333333333333 2.6666666666666667 2.6666666666666667 2.6666666666666667 4 0L2-5"},
        {"M3 3L9 3L9 9zL8 0L0 8z", "M3 3L9 3L9 9zM3 3L8 0L0 8z"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        plan_features a = draw(pairs[i][0]), b = draw(pairs[i][1]);
        ck_assert_uint_eq(a.ring_count, b.ring_count);
        ck_assert_msg(a.place_count == b.place_count, "%s: %u and %u places", pairs[i][0], a.place_count,
                      b.place_count);
        for (uint32_t k = 0; k < a.place_count; k++)
            ck_assert_msg(hypot(a.places[k].x - b.places[k].x, a.places[k].y - b.places[k].y) < 1e-9, "%s: place %u",
                          pairs[i][0], k);
        plan_features_deinit(&a);
        plan_features_deinit(&b);
    }
}
END_TEST

START_TEST(curves_become_chords_within_a_2000th_of_their_size)
{
    plan_features p = draw("M0 0C0 60 100 60 100 0zM-7 0A7 7 0 1 1 7 0A7 7 0 1 1-7 0z");
    const plan_ring *curve = &p.rings[0], *circle = &p.rings[1];
    for (uint32_t i = 0; i + 1 < curve->count; i++) { // middles of chords beside the curve's own places
        const plan_place a = p.places[curve->first + i], b = p.places[curve->first + i + 1];
        double nearest = INFINITY;
        for (int k = 0; k <= 20000; k++) {
            const double t = k / 20000.0, u = 1 - t;
            const double x = 300 * u * t * t + 100 * t * t * t, y = -(180 * u * u * t + 180 * u * t * t);
            nearest = fmin(nearest, hypot(x - (a.x + b.x) / 2, y - (a.y + b.y) / 2));
        }
        ck_assert_double_lt(nearest, 100.0 / 2000);
    }
    for (uint32_t i = 0; i < circle->count; i++) {
        const plan_place a = p.places[circle->first + i], b = p.places[circle->first + (i + 1) % circle->count];
        ck_assert_double_eq_tol(hypot(a.x, a.y), 7, 1e-9);
        ck_assert_double_gt(hypot((a.x + b.x) / 2, (a.y + b.y) / 2), 7 - 14.0 / 2000);
    }
    plan_features_deinit(&p);
}
END_TEST

START_TEST(transforms_are_as_svg_has_them)
{
    static const struct {
        const char *text;
        double x, y; // where 1, 2 goes
    } cases[] = {
        {"translate(3)", 4, 2},        {"translate(3,4)scale(2)", 5, 8},   {"scale(2 3)", 2, 6},
        {"rotate(90)", -2, 1},         {"rotate(90 1 1)", 0, 1},           {"skewX(45)", 3, 2},
        {"matrix(1 0 0 1 5 6)", 6, 8}, {"skewY(45), rotate(180)", -1, -3}, {"", 1, 2},
    };
    char why[200];
    svg_matrix m;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_msg(svg_matrix_parse(cases[i].text, &m, why, sizeof why), "%s", why);
        ck_assert_double_eq_tol(m.a + 2 * m.c + m.e, cases[i].x, 1e-12);
        ck_assert_double_eq_tol(m.b + 2 * m.d + m.f, cases[i].y, 1e-12);
    }
    static const char *const bad[] = {"rotate(1 2)", "scale()",       "spin(3)",
                                      "translate(1", "matrix(1 2 3)", "scale(nan)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!svg_matrix_parse(bad[i], &m, why, sizeof why), "%s", bad[i]);
}
END_TEST

START_TEST(random_rings_are_covered_exactly_once)
{
    char why[512] = "";
    plan_geos geos;
    ck_assert(plan_geos_init(&geos));
    uint32_t seed = 7;
    for (int round = 0; round < 150; round++) {
        plan_features p = {.why = why, .why_bytes = sizeof why};
        plan_triangles t = {0};
        uint32_t which[4];
        bool ok = true;
        const uint32_t features = 1 + (uint32_t)round % 4;
        for (uint32_t f = 0; f < features; f++) {
            which[f] = f;
            plan_feature *feature = plan_add_feature(&p, f % 3 == 2 ? PLAN_AREA : PLAN_FLOOR);
            feature->rule = (plan_rule)((uint32_t)round / 4 % 3);
            for (int r = 0; r < 3; r++) {
                ok = ok && plan_begin_ring(&p, r > 0, false);
                for (int k = 0; k < 7; k++) {
                    seed = seed * 1664525 + 1013904223;
                    const int grid = round % 2 ? 12 : 4096; // corners and edges coincide, or hardly ever
                    ok = ok && plan_add_place(&p, (double)((int)(seed >> 20) % grid),
                                              (double)((int)(seed >> 8 & 4095) % grid));
                }
                ok = ok && plan_end_ring(&p);
            }
        }
        if (ok) { // a ring without three different places is refused, as it may come here
            ck_assert_msg(plan_faces_cut(&p, &geos, which, features, &t), "%s", why);
            const char *fault = plan_judge_triangles(&p, &t, 200, seed);
            ck_assert_msg(!fault, "round %d: %s", round, fault);
        }
        plan_triangles_deinit(&t);
        plan_features_deinit(&p);
    }
    plan_geos_deinit(&geos);
}
END_TEST

START_TEST(many_holes_are_cut_out_of_one_floor)
{
    char why[512] = "";
    plan_geos geos;
    ck_assert(plan_geos_init(&geos));
    plan_features p = {.why = why, .why_bytes = sizeof why};
    plan_triangles t = {0};
    const uint32_t which = 0;
    ck_assert_ptr_nonnull(plan_add_feature(&p, PLAN_FLOOR));
    ck_assert(plan_begin_ring(&p, false, false) && plan_add_place(&p, 0, 0) && plan_add_place(&p, 100, 0) &&
              plan_add_place(&p, 100, 100) && plan_add_place(&p, 0, 100) && plan_end_ring(&p));
    for (int i = 0; i < 900; i++) { // rows, so that holes lie straight above each other
        const double x = 2 + i % 30 * 3.2, y = 2 + (double)(i / 30) * 3.2;
        ck_assert(plan_begin_ring(&p, true, false) && plan_add_place(&p, x, y) && plan_add_place(&p, x + 1, y + 0.5) &&
                  plan_add_place(&p, x, y + 1) && plan_add_place(&p, x - 1, y + 0.5) && plan_end_ring(&p));
    }
    ck_assert_msg(plan_faces_cut(&p, &geos, &which, 1, &t), "%s", why);
    ck_assert_double_eq_tol(plan_judge_area2(&t) / 2, 10000 - 900, 1e-6);
    plan_triangles_deinit(&t);
    plan_features_deinit(&p);
    plan_geos_deinit(&geos);
}
END_TEST

START_TEST(refusals_name_the_feature_the_ring_and_the_value)
{
    static const struct {
        plan_format format;
        const char *text, *part;
    } cases[] = {
        {PLAN_WKT, "", "no features"},
        {PLAN_WKT, "roof POLYGON((0 0, 1 0, 0 1))", "line 1: 'roof'"},
        {PLAN_WKT, "\n\nfloor POLYGON((0 0, 1 0, 0 1)", "line 3: a geometry whose brackets do not close"},
        {PLAN_WKT, "floor POLYGON((0 0, 1 0))", "line 1 (floor): ring 1 has 2 different places"},
        {PLAN_WKT, "floor name=a POLYGON((0 0, 9 0, 0 9), (1 1, 1 1, 1 1))", "line 1 (floor a): ring 2 has 1"},
        {PLAN_WKT, "floor POLYGON((0 0, 9e9 0, 0 9))", "ring 1: place 2 is 9e+09 0"},
        {PLAN_WKT, "floor POLYGON((0 0, nan 0, 0 9))", "line 1"},
        {PLAN_WKT, "floor heigth=3 POLYGON((0 0, 1 0, 0 1))",
         "no property 'heigth'; there are name, height, to_height"},
        {PLAN_WKT, "floor height=x POLYGON((0 0, 1 0, 0 1))", "height is 'x'"},
        {PLAN_WKT, "floor area=64 POLYGON((0 0, 1 0, 0 1))", "area is '64'"},
        {PLAN_WKT, "area POLYGON((0 0, 1 0, 0 1))", "property area is missing"},
        {PLAN_WKT, "area area=3 height=2 POLYGON((0 0, 1 0, 0 1))", "no floor at height 2"},
        {PLAN_WKT, "floor POLYGON Z((0 0 1, 1 0 1, 0 1 2))", "ring 1: place 3 is at height 2"},
        {PLAN_WKT, "floor LINESTRING(0 0, 1 1)", "must be a polygon"},
        {PLAN_WKT, "floor GEOMETRYCOLLECTION(POINT(0 0))", "found 'GEOMETRYCOLLECTION'"},
        {PLAN_WKT, "floor POLYGON EMPTY POLYGON(())", "line 1: its geometry is empty"},
        {PLAN_WKT, "\nPOLYGON((0 0, 1 0, 0 1))", "line 2: no kind in front of POLYGON; expected floor, area"},
        {PLAN_WKT, "floor POLIGON((0 0, 1 0, 0 1))", "line 1 (floor): found 'POLIGON'; expected a property"},
        {PLAN_WKT, "floor POLYGON((((0 0))))", "brackets within each other"},
        {PLAN_WKT, "floor \"x", "quote does not end"},
        {PLAN_WKT, "obstacle POLYGON((0 0, 1 1, 2 2))", "enclose nothing"},
        {PLAN_WKT, "obstacle LINESTRING(0 0, 1 1)", "needs the property width"},
        {PLAN_WKT, "obstacle height=3 to_height=3 POLYGON((0 0, 1 0, 0 1))", "to_height is 3"},
        {PLAN_WKT, "stairs width=1 LINESTRING(0 0, 1 1)", "to_height is missing"},
        {PLAN_WKT, "stairs width=1 to_height=1 LINESTRING(0 0, 5 0, 0 1)", "bends too sharply at place 2"},
        {PLAN_WKT, "stairs width=9 to_height=1 LINESTRING(0 0, 5 0, 5 1, 9 1)", "bends too sharply"},
        {PLAN_WKT, "stairs width=0 to_height=1 LINESTRING(0 0, 5 0)", "width is '0'"},
        {PLAN_WKT, "floor POLYGON((0 0, 1 0, 0 1)) link LINESTRING(0 0, 1 1, 2 2)", "two places, 3 are here"},
        {PLAN_WKT, "link name=a LINESTRING(0 0, 1 1) link name=a LINESTRING(0 0, 2 1)", "the same name"},
        {PLAN_GEOJSON, "{", "not JSON: line 1"},
        {PLAN_GEOJSON, "{\"type\": \"Topology\"}", "its type is 'Topology'; expected FeatureCollection or Feature"},
        {PLAN_GEOJSON, "{\"features\": []}", "not GeoJSON: its type is missing; expected FeatureCollection or Feature"},
        {PLAN_GEOJSON, "{\"type\": \"FeatureCollection\"}",
         "its member features is missing; expected an array of features"},
        {PLAN_GEOJSON, "{\"type\": \"FeatureCollection\", \"features\": [{\"properties\": {}}]}",
         "feature 1: its type is missing; expected Feature"},
        {PLAN_GEOJSON, "{\"type\": \"FeatureCollection\", \"features\": [7]}",
         "feature 1 is a number; expected an object"},
        {PLAN_GEOJSON,
         "{\"type\": \"Feature\", \"properties\": {\"kind\": \"floor\"}, \"geometry\": {\"coordinates\": []}}",
         "its geometry has no type; expected Polygon, MultiPolygon, LineString or MultiLineString"},
        {PLAN_GEOJSON, "{\"type\": \"FeatureCollection\", \"features\": 3}", "features is a number"},
        {PLAN_GEOJSON, "{\"type\": \"Feature\", \"properties\": {}}", "feature 1: its property kind is missing"},
        {PLAN_GEOJSON, "{\"type\": \"Feature\", \"properties\": {\"kind\": \"roof\"}}", "its kind is 'roof'"},
        {PLAN_GEOJSON, "{\"type\": \"Feature\", \"properties\": {\"kind\": \"floor\", \"name\": \"f\"}}",
         "feature 1 (floor"},
        {PLAN_GEOJSON,
         "{\"type\": \"Feature\", \"properties\": {\"kind\": \"floor\"}, \"geometry\": {\"type\": \"Polygon\", "
         "\"coordinates\": [[[0, 0], [1, 0], [0, 1]], [[0, 0], [1, \"a\"]]]}}",
         "ring 2, position 2: number 2 is a string; expected a number"},
        {PLAN_GEOJSON,
         "{\"type\": \"Feature\", \"properties\": {\"kind\": \"floor\"}, \"geometry\": {\"type\": \"Point\", "
         "\"coordinates\": [0, 0]}}",
         "its geometry is a Point"},
        {PLAN_SVG, "<svg", "not XML: line 1"},
        {PLAN_SVG, "<html/>", "not an SVG"},
        {PLAN_SVG, "<svg><rect width='1' height='1'/></svg>", "begins with floor, area"},
        {PLAN_SVG, "<svg>\n<rect class='floor' width='a' height='1'/></svg>", "line 2, rect (floor): width is 'a'"},
        {PLAN_SVG, "<svg><path class='floor' d='M0 0L1 x'/></svg>", "character 8: expected a number, found 'x'"},
        {PLAN_SVG, "<svg><path class='floor' d='M0 0L1'/></svg>", "character 7: expected a number, but it ends there"},
        {PLAN_SVG, "<svg><rect class='floor' width='4'/></svg>", "it is 4 wide and 0 high; both must be above 0"},
        {PLAN_SVG, "<svg><path class='floor' d='L1 1'/></svg>", "a path begins with M"},
        {PLAN_SVG, "<svg><path class='floor' d='M0 0 A1 1 0 2 0 3 3'/></svg>", "expected a flag"},
        {PLAN_SVG, "<svg><path class='floor' d='M0 0L1e300 0L0 1z'/></svg>", "place 2 is 1e+300"},
        {PLAN_SVG, "<svg><g data-kind='roof'/></svg>", "data-kind is 'roof'"},
        {PLAN_SVG, "<svg><use class='floor' href='#a'/></svg>", "use is not read"},
        {PLAN_SVG, "<svg><g transform='spin(3)'/></svg>", "its transform is not one"},
        {PLAN_SVG, "<svg><circle class='floor' r='0'/></svg>", "ring 1 has 1 different place"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i].format, cases[i].text, cases[i].part);
}
END_TEST

// Every edge of a star of so many corners crosses most others.
START_TEST(rings_that_cross_too_often_are_refused)
{
    char *text = malloc(1 << 20), why[512];
    ck_assert_ptr_nonnull(text);
    scene s;
    int used = snprintf(text, 100, "obstacle name=burr POLYGON((");
    const int corners = 2001;
    for (int i = 0; i < corners; i++) {
        const double turn = 2 * 3.14159265358979 * (double)((long)i * (corners / 2) % corners) / corners;
        used += snprintf(text + used, 100, "%s%.9f %.9f", i ? ", " : "", cos(turn), sin(turn));
    }
    snprintf(text + used, 10, "))");
    ck_assert(!read_text(PLAN_WKT, text, 1, &s, why));
    ck_assert_msg(strstr(why, "line 1 (obstacle burr)") && strstr(why, "more than 262144 times"), "%s", why);
    scene_deinit(&s);
    free(text);
}
END_TEST

// What is cut short anywhere is refused with words, or is still whole.
START_TEST(every_prefix_is_read_or_refused)
{
    static const struct {
        plan_format format;
        const char *text;
    } files[] = {
        {PLAN_GEOJSON, "{\"type\": \"Feature\", \"properties\": {\"kind\": \"floor\", \"name\": \"f\"}, \"geometry\": "
                       "{\"type\": \"Polygon\", \"coordinates\": [[[0, 0], [9, 0], [9, 9]]]}}"},
        {PLAN_WKT, "floor name=\"a b\" height=1 POLYGON((0 0, 9 0, 9 9))\nlink LINESTRING(0 0, 1 1)\n"},
        {PLAN_SVG, "<svg><g class='floor' transform='scale(2)'><path d='M0 0C1 2 3 4 5 0A1 1 0 0 1 9 9z'/></g></svg>"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t n = 0; n < strlen(files[i].text); n++) {
            char why[512] = "", *part = malloc(n + 1); // no byte behind it
            const scene_file file = {.path = "plan", .bytes = (const uint8_t *)part, .count = n};
            scene s = {0};
            ck_assert_ptr_nonnull(part);
            memcpy(part, files[i].text, n);
            const bool ok = plan_scene_read(files[i].format, &file, 1, &s, why, sizeof why);
            ck_assert(ok || why[0]);
            scene_deinit(&s);
            free(part);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plan_scene");
    TCase *t = tcase_create("plan_scene");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, floors_lie_at_their_heights_and_face_up);
    tcase_add_test(t, lengths_are_in_units_of_the_file);
    tcase_add_test(t, the_last_of_floors_counts_and_areas_count_before_floors);
    tcase_add_test(t, obstacles_are_solid_whatever_their_rings);
    tcase_add_test(t, stairs_run_from_height_to_height_around_bends);
    tcase_add_test(t, geojson_says_the_same_as_wkt);
    tcase_add_test(t, svg_shapes_are_what_their_classes_ids_and_groups_say);
    tcase_add_test(t, paths_have_every_command_in_both_cases);
    tcase_add_test(t, curves_become_chords_within_a_2000th_of_their_size);
    tcase_add_test(t, transforms_are_as_svg_has_them);
    tcase_add_test(t, random_rings_are_covered_exactly_once);
    tcase_add_test(t, many_holes_are_cut_out_of_one_floor);
    tcase_add_test(t, refusals_name_the_feature_the_ring_and_the_value);
    tcase_add_test(t, rings_that_cross_too_often_are_refused);
    tcase_add_test(t, every_prefix_is_read_or_refused);
    suite_add_tcase(s, t);
    return run_suite(s);
}
