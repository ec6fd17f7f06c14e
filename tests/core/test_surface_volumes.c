// Volumes that set an area or include ground, with the surface generator: what polygons say of places, against volumes
// looked at place by place; borders of tiles; and what is the same whatever the order.
#include "core/build.h"
#include "core/geometry/tile_source.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"

#include <math.h>
#include <string.h>

enum { MOST = 6, TILE_M = 10 };

typedef struct world {
    nav_settings settings;
    scene ground;
    nav_mesh *mesh;
    nav_volume volumes[MOST];
    uint32_t count;
    bool flat; // all at height 0
} world;

static nav_arena arena;

static void setup(void)
{
    nav_arena_init(&arena, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static void world_init(world *w)
{
    memset(w, 0, sizeof *w);
    nav_settings_default(&w->settings);
    w->settings.generator = NAV_GENERATOR_SURFACE;
    w->settings.agent_radius_m = 0;
    w->settings.agent_slope_deg = 80;
    w->settings.cell_size_m = 0.25f;
    w->settings.tile_cells = 4 * TILE_M;
}

static void world_deinit(world *w)
{
    nav_mesh_destroy(w->mesh);
    scene_free(&w->ground);
}

// A tile, until the arena is reset. It is told of the volumes that touch it alone, as the tiles of a large world are.
static void build(world *w, int32_t x, int32_t z, nav_tile *out)
{
    nav_volume near[MOST];
    double min[2], max[2];
    uint32_t count = 0;
    bool bounded = false;
    if (!w->mesh) w->mesh = scene_mesh(&w->ground);
    const nav_instance instance = {w->mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    nav_tile_padded_bounds(&w->settings, x, z, min, max);
    for (uint32_t i = 0; i < w->count; i++) {
        bounded |= w->volumes[i].include;
        if (nav_volume_touches(&w->volumes[i], min, max)) near[count++] = w->volumes[i];
    }
    const nav_tile_source src = {.settings = &w->settings,
                                 .tile_x = x,
                                 .tile_z = z,
                                 .instances = &instance,
                                 .instance_count = 1,
                                 .volumes = near,
                                 .volume_count = count,
                                 .bounded = bounded};
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &arena, out), NAV_OK);
    ck_assert_int_eq(out->polygons.failed_loops, 0);
}

// Of the polygons with that area, or of all (0), square metres.
static double area_of(const nav_tile *t, uint8_t area)
{
    const nav_polygons *p = &t->polygons;
    double sum = 0, unit = t->config.unit_size_m;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1] && (!area || p->area[i] == area); k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            sum += (double)p->x[b] * p->z[a] - (double)p->x[a] * p->z[b];
        }
    return sum / 2 * unit * unit;
}

// The polygon that holds a place in units; -1: none.
static int32_t polygon_at(const nav_tile *t, double x, double z)
{
    const nav_polygons *p = &t->polygons;
    for (int32_t i = 0; i < p->count; i++) {
        bool in = false;
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            const int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            const double az = p->z[a], bz = p->z[b], ax = p->x[a], bx = p->x[b];
            if ((az > z) != (bz > z) && x < ax + (z - az) / (bz - az) * (bx - ax)) in = !in;
        }
        if (in) return i;
    }
    return -1;
}

// How far inside of a volume's outline a place is, metres; below 0: outside.
static double depth_in(const nav_volume *v, double x, double z)
{
    double least[2] = {INFINITY, INFINITY}; // for either winding
    for (uint32_t i = 0; i < v->point_count; i++) {
        const float *p = v->points + 2 * i, *q = v->points + 2 * ((i + 1) % v->point_count);
        const double dx = (double)q[0] - (double)p[0], dz = (double)q[1] - (double)p[1];
        const double right = (dx * (z - (double)p[1]) - dz * (x - (double)p[0])) / hypot(dx, dz);
        least[0] = fmin(least[0], right);
        least[1] = fmin(least[1], -right);
    }
    return fmax(least[0], least[1]);
}

// A convex volume: corners on an ellipse, in either sense.
static nav_volume random_volume(uint32_t *random, float low, float high)
{
    nav_volume v = {.point_count = 3 + scene_random(random) % 6, .min_y = -100, .max_y = 100};
    const float x = scene_random_between(random, low, high), z = scene_random_between(random, low, high);
    const float rx = scene_random_between(random, 0.3f, 9), rz = scene_random_between(random, 0.3f, 9);
    const float turn = scene_random_between(random, 0, 6), sense = scene_random(random) & 1 ? 1 : -1;
    for (uint32_t i = 0; i < v.point_count; i++) {
        const float a = turn + sense * 6.2831853f * (float)i / (float)v.point_count;
        v.points[2 * i] = x + rx * cosf(a);
        v.points[2 * i + 1] = z + rz * sinf(a);
    }
    v.area = (uint8_t)(1 + scene_random(random) % 4);
    return v;
}

static float plane_at(float x, float z)
{
    return 0.5f * x + 0.25f * z;
}

// Kinds of ground: two large triangles, a grid, hills, a slope.
static void random_ground(world *w, int kind)
{
    const float s = 40;
    if (kind == 2) {
        scene_hills(&w->ground, 30, 1, 1.5f);
        return;
    }
    const int n = kind == 0 ? 1 : kind == 1 ? 23 : 5;
    w->flat = kind < 2;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const float x0 = -s / 2 + s / (float)n * (float)i, x1 = -s / 2 + s / (float)n * (float)(i + 1);
            const float z0 = -s / 2 + s / (float)n * (float)k, z1 = -s / 2 + s / (float)n * (float)(k + 1);
            const float slope = kind == 3;
            const float a[3] = {x0, slope * plane_at(x0, z0), z0}, b[3] = {x0, slope * plane_at(x0, z1), z1},
                        c[3] = {x1, slope * plane_at(x1, z1), z1}, d[3] = {x1, slope * plane_at(x1, z0), z0};
            scene_triangle(&w->ground, a, b, c);
            scene_triangle(&w->ground, a, c, d);
        }
}

// What the volumes say of a place at a height: an area, or 0 for none. *near: it is too near to a border to tell.
static uint8_t expected_at(const world *w, double x, double y, double z, bool *near)
{
    uint8_t area = NAV_AREA_DEFAULT, own = 0;
    bool bounded = false, included = false;
    for (uint32_t i = 0; i < w->count; i++) {
        const nav_volume *v = &w->volumes[i];
        const double depth = depth_in(v, x, z), up = fmin(y - (double)v->min_y, (double)v->max_y - y);
        *near |= (fabs(depth) < 0.002 && up > -0.01) || (fabs(up) < 0.01 && depth > -0.002);
        const bool in = depth > 0 && up > 0;
        bounded |= v->include;
        included |= v->include && in;
        if (!v->include && in && v->area > own) own = v->area;
    }
    if (bounded && !included) return 0;
    return own ? own : area;
}

static void judge(const world *w, const nav_tile *t, int32_t tile_x, int32_t tile_z, uint32_t *random, int *judged)
{
    const double unit = t->config.unit_size_m;
    for (int n = 0; n < 300; n++) {
        const double x = (double)scene_random_between(random, 0.01f, TILE_M - 0.01f),
                     z = (double)scene_random_between(random, 0.01f, TILE_M - 0.01f);
        const double at_x = x + tile_x * TILE_M, at_z = z + tile_z * TILE_M;
        bool near = false;
        const double y = w->flat ? 0 : (double)plane_at((float)at_x, (float)at_z);
        const uint8_t wanted = expected_at(w, at_x, y, at_z, &near);
        if (near) continue;
        const int32_t p = polygon_at(t, x / unit, z / unit);
        const uint8_t found = p < 0 ? 0 : t->polygons.area[p];
        ck_assert_msg(found == wanted, "at %g %g in tile %d %d: area %d, expected %d", at_x, at_z, tile_x, tile_z,
                      found, wanted);
        ++*judged;
    }
}

START_TEST(each_place_has_the_area_of_the_volumes_there)
{
    static const int kinds[3] = {0, 1, 3};
    int judged = 0;
    for (uint32_t n = 0; n < 120; n++) {
        uint32_t random = 1 + n * 7919u + (uint32_t)_i * 104729u;
        world w;
        world_init(&w);
        random_ground(&w, kinds[_i]);
        w.count = 1 + scene_random(&random) % MOST;
        for (uint32_t i = 0; i < w.count; i++) {
            w.volumes[i] = random_volume(&random, -12, 12);
            if (scene_random(&random) % 3 == 0) { // a part of its height
                w.volumes[i].min_y = scene_random_between(&random, -6, 1);
                w.volumes[i].max_y = w.volumes[i].min_y + scene_random_between(&random, 0.5f, 5);
            }
            w.volumes[i].include = n % 3 == 0 && i % 2 == 0;
        }
        for (int32_t x = -1; x < 1; x++)
            for (int32_t z = -1; z < 1; z++) {
                nav_tile t;
                nav_arena_reset(&arena);
                build(&w, x, z, &t);
                judge(&w, &t, x, z, &random, &judged);
                bool bounded = false;
                for (uint32_t i = 0; i < w.count; i++) bounded |= w.volumes[i].include;
                if (!bounded) ck_assert_double_eq_tol(area_of(&t, 0), TILE_M * TILE_M, 0.03);
            }
        world_deinit(&w);
    }
    ck_assert_int_gt(judged, 40000);
}
END_TEST

// Also with a radius, on hills, and with volumes along the tiles' sides.
START_TEST(neighbours_agree_on_their_border)
{
    int points = 0;
    for (uint32_t n = 0; n < 120; n++) {
        uint32_t random = 1 + n * 31337u + (uint32_t)_i * 99991u;
        world w;
        world_init(&w);
        w.settings.agent_radius_m = n % 2 && n % 5 ? 0.6f : 0;
        random_ground(&w, _i);
        w.count = n % 5 == 0 ? 1 : 1 + scene_random(&random) % MOST;
        for (uint32_t i = 0; i < w.count; i++) {
            w.volumes[i] = random_volume(&random, -2, 12);
            w.volumes[i].include = n % 3 == 0 && i % 2 == 0;
            if (n % 5 == 0) // a side on the border
                for (uint32_t k = 0; k < w.volumes[i].point_count; k++)
                    w.volumes[i].points[2 * k] = fmaxf(w.volumes[i].points[2 * k], TILE_M);
            char why[100];
            if (nav_volume_check(&w.volumes[i], why, sizeof why) != NAV_OK)
                w.volumes[i] = random_volume(&random, -2, 12);
        }
        for (int along_x = 0; along_x < 2; along_x++) {
            nav_tile here, there;
            int32_t count;
            nav_arena_reset(&arena);
            build(&w, 0, 0, &here);
            build(&w, along_x ? 0 : 1, along_x ? 1 : 0, &there);
            const int32_t different = border_difference_of(&here, &there, along_x, &count);
            ck_assert_msg(different == 0, "world %u of kind %d, along_x %d: %d points differ", n, _i, along_x,
                          different);
            points += count;
        }
        world_deinit(&w);
    }
    ck_assert_int_gt(points, 100);
}
END_TEST

static nav_volume box(float x0, float z0, float x1, float z1, uint8_t area)
{
    return (nav_volume){
        .point_count = 4, .points = {x0, z0, x1, z0, x1, z1, x0, z1}, .min_y = -1, .max_y = 1, .area = area};
}

START_TEST(an_area_is_cut_to_the_millimetre_and_takes_no_radius)
{
    world w;
    nav_tile t;
    world_init(&w);
    w.settings.agent_radius_m = 0.5f;
    random_ground(&w, 0);
    w.volumes[w.count++] = box(2, 3, 4, 7, 5);
    build(&w, 0, 0, &t);
    ck_assert_double_eq_tol(area_of(&t, 5), 8, 0.002);
    ck_assert_double_eq_tol(area_of(&t, NAV_AREA_DEFAULT), 92, 0.002);
    world_deinit(&w);
}
END_TEST

// Three corners in line: what passes the sides beside the middle one may be far from it.
START_TEST(a_corner_in_the_middle_of_a_side_changes_nothing)
{
    for (uint32_t n = 0; n < 100; n++) {
        uint32_t random = 1 + n * 7717u;
        world w;
        nav_tile t;
        world_init(&w);
        random_ground(&w, 1);
        const float ax = scene_random_between(&random, 1, 3), az = scene_random_between(&random, 1, 3);
        const float bx = scene_random_between(&random, 6, 9), bz = scene_random_between(&random, 4, 9);
        nav_volume *v = &w.volumes[w.count++];
        *v = (nav_volume){.point_count = 4, .min_y = -1, .max_y = 1, .area = 5};
        const float points[8] = {ax, az, (ax + bx) / 2, (az + bz) / 2, bx, bz, 1, 9.5f};
        memcpy(v->points, points, sizeof points);
        double doubled = 0;
        for (int i = 0; i < 8; i += 2)
            doubled += (double)points[i] * points[(i + 3) % 8] - (double)points[(i + 2) % 8] * points[i + 1];
        char why[100];
        const bool turned = nav_volume_check(v, why, sizeof why) != NAV_OK; // rounding: the side is bent inwards
        if (!turned) {
            nav_arena_reset(&arena);
            build(&w, 0, 0, &t);
            ck_assert_msg(fabs(area_of(&t, 5) - fabs(doubled) / 2) < 0.01, "volume %u: %g m2, not %g", n,
                          area_of(&t, 5), fabs(doubled) / 2);
            ck_assert_double_eq_tol(area_of(&t, 0), TILE_M * TILE_M, 0.01);
        }
        world_deinit(&w);
    }
}
END_TEST

START_TEST(a_straight_border_has_no_corners_where_it_passes_the_edges_of_the_mesh)
{
    world w;
    nav_tile t;
    int polygons = 0;
    world_init(&w);
    random_ground(&w, 1); // cells of 1.7 m
    w.volumes[w.count++] = box(1, 2, 8, 9, 5);
    build(&w, 0, 0, &t);
    for (int32_t i = 0; i < t.polygons.count; i++) {
        if (t.polygons.area[i] != 5) continue;
        ck_assert_int_eq(t.polygons.first[i + 1] - t.polygons.first[i], 4);
        polygons++;
    }
    ck_assert_int_eq(polygons, 1);
    ck_assert_int_eq(t.polygons.cell_count, 5); // and four around it
    world_deinit(&w);
}
END_TEST

START_TEST(nothing_is_kept_away_from_the_edge_of_what_is_included)
{
    world w;
    nav_tile t;
    world_init(&w);
    w.settings.agent_radius_m = 0.5f;
    random_ground(&w, 1);
    w.volumes[w.count++] = box(2, 3, 4, 7, 0);
    w.volumes[w.count++] = box(4, 3, 6, 7, 0); // beside it, without a gap
    w.volumes[0].include = w.volumes[1].include = 1;
    build(&w, 0, 0, &t);
    ck_assert_double_eq_tol(area_of(&t, 0), 16, 0.003);
    ck_assert_int_eq(t.polygons.cell_count, 1);
    // What blocks still does, from outside as well.
    w.volumes[w.count++] = box(6.25f, 2, 7, 8, NAV_AREA_NONE);
    nav_arena_reset(&arena);
    build(&w, 0, 0, &t);
    ck_assert_double_eq_tol(area_of(&t, 0), 15, 0.005);
    world_deinit(&w);
}
END_TEST

START_TEST(a_tile_that_nothing_includes_is_empty)
{
    world w;
    nav_tile t;
    world_init(&w);
    random_ground(&w, 1);
    w.volumes[w.count++] = box(2, 3, 4, 7, 0);
    w.volumes[0].include = 1;
    build(&w, 2, 0, &t);
    ck_assert_int_eq(t.polygons.count, 0);
    w.volumes[0].min_y = 3; // above the ground
    w.volumes[0].max_y = 4;
    build(&w, 0, 0, &t);
    ck_assert_int_eq(t.polygons.count, 0);
    world_deinit(&w);
}
END_TEST

START_TEST(volumes_have_no_order_and_more_do_no_harm)
{
    world w;
    nav_buffer first = {0}, again = {0};
    uint32_t random = 77;
    world_init(&w);
    random_ground(&w, 2);
    w.count = MOST;
    for (int i = 0; i < MOST; i++) w.volumes[i] = random_volume(&random, -2, 12);
    w.volumes[1].area = w.volumes[0].area;
    for (int turn = 0; turn < 2; turn++) {
        nav_tile t;
        nav_arena_reset(&arena);
        if (!w.mesh) w.mesh = scene_mesh(&w.ground);
        nav_volume all[MOST + 1];
        for (int i = 0; i < MOST; i++) all[i] = w.volumes[turn ? MOST - 1 - i : i];
        all[MOST] = box(500, 500, 600, 600, 2);
        const nav_instance instance = {w.mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
        const nav_tile_source src = {.settings = &w.settings,
                                     .instances = &instance,
                                     .instance_count = 1,
                                     .volumes = all,
                                     .volume_count = (uint32_t)(MOST + turn)};
        ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &arena, &t), NAV_OK);
        t.content_key = (nav_key){0, 0};
        ck_assert_int_eq(nav_tile_encode(&t, turn ? &again : &first), NAV_OK);
    }
    ck_assert_uint_eq(first.size, again.size);
    ck_assert(!memcmp(first.data, again.data, first.size));
    nav_buffer_deinit(&first);
    nav_buffer_deinit(&again);
    world_deinit(&w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("surface volumes");
    TCase *t = tcase_create("volumes");
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, each_place_has_the_area_of_the_volumes_there, 0, 3);
    tcase_add_loop_test(t, neighbours_agree_on_their_border, 0, 4);
    tcase_add_test(t, an_area_is_cut_to_the_millimetre_and_takes_no_radius);
    tcase_add_test(t, a_corner_in_the_middle_of_a_side_changes_nothing);
    tcase_add_test(t, a_straight_border_has_no_corners_where_it_passes_the_edges_of_the_mesh);
    tcase_add_test(t, nothing_is_kept_away_from_the_edge_of_what_is_included);
    tcase_add_test(t, a_tile_that_nothing_includes_is_empty);
    tcase_add_test(t, volumes_have_no_order_and_more_do_no_harm);
    return run_suite(s);
}
