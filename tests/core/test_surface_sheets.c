// Sheets: frames, and tiles of walls and ceilings whose mesh is known.
#include "core/build.h"
#include "core/tile/tile_format.h"
#include "navcore/sheets.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <math.h>
#include <string.h>

typedef struct fixture {
    nav_settings settings;
    scene scene;
    uint8_t areas[4096];
    nav_mesh *mesh;
    nav_instance instance;
    nav_volume volumes[2];
    uint32_t volume_count;
    nav_arena arena;
    nav_tile tile;
} fixture;

static fixture f;

static void setup(void)
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    memset(&f, 0, sizeof f);
    memset(f.areas, NAV_AREA_INHERIT, sizeof f.areas);
    memcpy(f.instance.transform, identity, sizeof identity);
    nav_settings_default(&f.settings);
    f.settings.generator = NAV_GENERATOR_SURFACE;
    f.settings.sheets = NAV_SHEETS_ALL;
    f.settings.cell_size_m = 0.25f;
    f.settings.tile_cells = 64; // 16 m
    f.settings.agent_radius_m = 0.5f;
    nav_arena_init(&f.arena, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&f.arena);
    nav_mesh_destroy(f.mesh);
    scene_free(&f.scene);
}

// The tile, until the next one is built. Its bytes can be read.
static const nav_tile *build(nav_sheet sheet, int32_t x, int32_t z)
{
    nav_buffer bytes = {0};
    nav_tile_view view;
    char why[200] = "";
    if (!f.mesh) f.mesh = scene_mesh_with_areas(&f.scene, f.areas);
    f.instance.mesh = f.mesh;
    f.instance.area = NAV_AREA_DEFAULT;
    f.settings.sheet = sheet;
    nav_arena_reset(&f.arena);
    const nav_tile_source src = {.settings = &f.settings,
                                 .tile_x = x,
                                 .tile_z = z,
                                 .instances = &f.instance,
                                 .instance_count = 1,
                                 .volumes = f.volumes,
                                 .volume_count = f.volume_count};
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &f.arena, &f.tile), NAV_OK);
    ck_assert_int_eq(nav_tile_encode(&f.tile, &bytes), NAV_OK);
    ck_assert_msg(nav_tile_open(bytes.data, bytes.size, &view, why, sizeof why) == NAV_OK, "%s", why);
    ck_assert_int_eq(view.sheet, sheet);
    nav_buffer_deinit(&bytes);
    return &f.tile;
}

// Of the polygons of an area type, or of all (0), as seen along the sheet's axis: square metres.
static double area_of(const nav_tile *t, uint8_t area)
{
    const nav_polygons *p = &t->polygons;
    double sum = 0, unit = t->config.unit_size_m;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1] && (area == 0 || p->area[i] == area); k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            sum += (double)p->x[b] * p->z[a] - (double)p->x[a] * p->z[b];
        }
    return sum / 2 * unit * unit;
}

static double area_around(nav_sheet sheet, int reach, uint8_t area)
{
    double sum = 0;
    for (int z = -reach; z < reach; z++)
        for (int x = -reach; x < reach; x++) sum += area_of(build(sheet, x, z), area);
    return sum;
}

static double length_behind(const nav_tile *t, int32_t behind)
{
    const nav_polygons *p = &t->polygons;
    double sum = 0;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            if (p->behind[k] == behind) sum += hypot((double)p->x[b] - p->x[a], (double)p->z[b] - p->z[a]);
        }
    return sum * t->config.unit_size_m;
}

// A box from (0, 0, 0) on, seen from outside or, as a room, from within.
static void add_box(float x, float y, float z, bool room)
{
    const uint32_t before = f.scene.tri_count;
    scene_box(&f.scene, 0, 0, 0, x, y, z, 1, 0);
    for (uint32_t t = before; t < f.scene.tri_count && room; t++) {
        uint32_t *v = f.scene.tris + 3 * (size_t)t, first = v[0];
        v[0] = v[1];
        v[1] = first;
    }
}

START_TEST(frames_are_turned_and_come_back)
{
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        double axis[3][3], up[3] = {0, 1, 0};
        for (int k = 0; k < 3; k++) {
            double unit[3] = {k == 0, k == 1, k == 2};
            nav_sheet_to_frame((nav_sheet)s, unit, axis[k]);
            double back[3];
            nav_sheet_to_world((nav_sheet)s, axis[k], back);
            for (int a = 0; a < 3; a++) ck_assert(back[a] == unit[a]);
        }
        double turned = 0; // the determinant
        for (int k = 0; k < 3; k++)
            turned += axis[k][0] *
                      (axis[(k + 1) % 3][1] * axis[(k + 2) % 3][2] - axis[(k + 1) % 3][2] * axis[(k + 2) % 3][1]);
        ck_assert(turned == 1);
        nav_sheet_to_world((nav_sheet)s, up, up);
        ck_assert_int_eq(nav_sheet_of_normal(up), s);
        nav_sheet parsed;
        ck_assert_int_eq(nav_sheet_parse(nav_sheet_name((nav_sheet)s), &parsed), NAV_OK);
        ck_assert_int_eq(parsed, s);
    }
    uint32_t some;
    ck_assert_int_eq(nav_sheets_parse("up,x-,z+", &some), NAV_OK);
    ck_assert_uint_eq(some, 1u << NAV_SHEET_UP | 1u << NAV_SHEET_XMINUS | 1u << NAV_SHEET_ZPLUS);
    ck_assert_int_eq(nav_sheets_parse("all", &some), NAV_OK);
    ck_assert_uint_eq(some, NAV_SHEETS_ALL);
    const char *const wrong[] = {"", "up,", ",up", "upx", "x", "UP"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_ne(nav_sheets_parse(wrong[i], &some), NAV_OK);
}
END_TEST

START_TEST(of_axes_equally_near_the_first_in_order_counts)
{
    const double tie[3] = {-1, -1, 1}, almost[3] = {0.70710, 0, -0.70711}, clear[3] = {0.70, 0, -0.72};
    ck_assert_int_eq(nav_sheet_of_normal(tie), NAV_SHEET_DOWN);
    ck_assert_int_eq(nav_sheet_of_normal(almost), NAV_SHEET_XPLUS);
    ck_assert_int_eq(nav_sheet_of_normal(clear), NAV_SHEET_ZMINUS);
}
END_TEST

START_TEST(a_room_has_a_floor_on_each_of_its_six_sides)
{
    add_box(14, 8, 10, true);
    const double sides[NAV_SHEET_COUNT] = {13 * 9, 13 * 9, 7 * 9, 7 * 9, 13 * 7, 13 * 7};
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        const double area = area_around((nav_sheet)s, 1, 0);
        ck_assert_msg(fabs(area - sides[s]) < 0.02, "%s: %g m2, not %g", nav_sheet_name((nav_sheet)s), area, sides[s]);
    }
}
END_TEST

START_TEST(over_a_rim_the_surface_goes_on_or_ends)
{
    add_box(6, 6, 6, false);
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        ck_assert_double_eq_tol(area_around((nav_sheet)s, 1, 0), 36, 1e-6);
    }
    ck_assert_double_eq_tol(length_behind(build(NAV_SHEET_UP, 0, 0), NAV_EDGE_SEAM), 24, 1e-6);
    f.settings.seam_outer_deg = 80;
    ck_assert_double_eq_tol(area_around(NAV_SHEET_UP, 1, 0), 25, 0.02);
    ck_assert(length_behind(build(NAV_SHEET_UP, 0, 0), NAV_EDGE_SEAM) == 0);
}
END_TEST

START_TEST(each_triangle_of_a_ball_is_covered_once)
{
    enum { AROUND = 24, UP = 12 };
    double whole = 0;
    for (int i = 0; i < AROUND; i++)
        for (int k = 0; k < UP; k++) {
            float c[4][3];
            for (int v = 0; v < 4; v++) {
                const double a = 6.283185307179586 * (i + (v == 1 || v == 2)) / AROUND,
                             b = 3.141592653589793 * (k + (v >= 2)) / UP;
                c[v][0] = (float)(7 * sin(b) * cos(a));
                c[v][1] = (float)(7 * cos(b));
                c[v][2] = (float)(7 * sin(b) * sin(a));
            }
            if (k > 0) scene_triangle(&f.scene, c[0], c[1], c[2]);
            if (k + 1 < UP) scene_triangle(&f.scene, c[0], c[2], c[3]);
        }
    for (uint32_t t = 0; t < f.scene.tri_count; t++) {
        const float *a = f.scene.verts + 3 * (size_t)f.scene.tris[3 * t],
                    *b = f.scene.verts + 3 * (size_t)f.scene.tris[3 * t + 1],
                    *c = f.scene.verts + 3 * (size_t)f.scene.tris[3 * t + 2];
        double n[3];
        for (int k = 0; k < 3; k++) {
            const int p = (k + 1) % 3, q = (k + 2) % 3;
            n[k] = ((double)b[p] - (double)a[p]) * ((double)c[q] - (double)a[q]) -
                   ((double)b[q] - (double)a[q]) * ((double)c[p] - (double)a[p]);
        }
        whole += fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2]))) / 2; // as seen along its axis
    }
    double sum = 0;
    for (int s = 0; s < NAV_SHEET_COUNT; s++) sum += area_around((nav_sheet)s, 1, 0);
    ck_assert_msg(fabs(sum - whole) < 1e-3 * whole, "%g of %g m2", sum, whole);
}
END_TEST

// Whatever the world, the sheet that looks along an axis is what the floor is when the world is turned there.
START_TEST(a_world_that_is_turned_has_the_same_cells)
{
    uint32_t random = 7;
    for (int i = 0; i < 40; i++) {
        float c[3][3];
        for (int k = 0; k < 9; k++) c[k / 3][k % 3] = scene_random_between(&random, 0, 16);
        scene_triangle(&f.scene, c[0], c[1], c[2]);
    }
    nav_tile turned[NAV_SHEET_COUNT];
    nav_arena arenas[NAV_SHEET_COUNT];
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        for (int c = 0; c < 3; c++) {
            double unit[3] = {c == 0, c == 1, c == 2};
            nav_sheet_to_world((nav_sheet)s, unit, unit);
            for (int r = 0; r < 3; r++) f.instance.transform[4 * r + c] = (float)unit[r];
        }
        const nav_tile *t = build((nav_sheet)s, 0, 0);
        turned[s] = *t;
        arenas[s] = f.arena;
        nav_arena_init(&f.arena, 0);
        const nav_polygons *p = &turned[0].polygons, *q = &turned[s].polygons;
        ck_assert_int_gt(p->cell_count, 0);
        ck_assert_int_eq(q->cell_count, p->cell_count);
        ck_assert_int_eq(q->vert_count, p->vert_count);
        const size_t bytes = (size_t)p->vert_count * sizeof *p->x, corners = (size_t)p->cell_first[p->cell_count];
        ck_assert(!memcmp(q->x, p->x, bytes) && !memcmp(q->y, p->y, bytes) && !memcmp(q->z, p->z, bytes));
        ck_assert(!memcmp(q->cell_vert, p->cell_vert, corners * sizeof *p->cell_vert));
        ck_assert(!memcmp(q->cell_behind, p->cell_behind, corners * sizeof *p->cell_behind));
    }
    for (int s = 0; s < NAV_SHEET_COUNT; s++) nav_arena_deinit(&arenas[s]);
}
END_TEST

START_TEST(what_does_not_hold_the_agent_is_walked_on_as_gravity_has_it)
{
    add_box(14, 8, 10, true);
    f.settings.grip_areas = (uint64_t)1 << 5;
    ck_assert_double_eq_tol(area_around(NAV_SHEET_UP, 1, 0), 13 * 9, 0.02);
    ck_assert(area_around(NAV_SHEET_XPLUS, 1, 0) == 0);
    ck_assert(area_around(NAV_SHEET_DOWN, 1, 0) == 0);
    for (uint32_t t = 0; t < f.scene.tri_count; t++) { // the wall at x = 0 is metal
        const float *a = f.scene.verts + 3 * (size_t)f.scene.tris[3 * t],
                    *b = f.scene.verts + 3 * (size_t)f.scene.tris[3 * t + 1],
                    *c = f.scene.verts + 3 * (size_t)f.scene.tris[3 * t + 2];
        if (a[0] + b[0] + c[0] == 0) f.areas[t] = 5;
    }
    nav_mesh_destroy(f.mesh);
    f.mesh = NULL;
    ck_assert_double_eq_tol(area_around(NAV_SHEET_XPLUS, 1, 5), 7 * 9, 0.02);
    ck_assert(area_around(NAV_SHEET_DOWN, 1, 0) == 0);
}
END_TEST

START_TEST(volumes_are_rooms_for_walls_too)
{
    add_box(14, 8, 10, true);
    f.volumes[0] = (nav_volume){4, {-1, 2, 1, 2, 1, 6, -1, 6}, 2, 5, 9, 0}; // 4 by 3 m of the wall at x = 0
    f.volume_count = 1;
    ck_assert_double_eq_tol(area_around(NAV_SHEET_XPLUS, 1, 9), 4 * 3, 0.01);
    ck_assert_double_eq_tol(area_around(NAV_SHEET_XPLUS, 1, 0), 7 * 9, 0.03);
    ck_assert(area_around(NAV_SHEET_XMINUS, 1, 9) == 0);
    f.volumes[0].area = NAV_AREA_NONE; // and half a metre around it, with corners that are round or within the error
    const double left = area_around(NAV_SHEET_XPLUS, 1, 0);
    ck_assert_double_ge_tol(left, 7 * 9 - 5 * 4, 0.01);
    ck_assert_double_le_tol(left, 7 * 9 - 5 * 4 + (4 - 3.14159265) * 0.25, 0.01);
    f.volumes[0].area = 9;
    f.volumes[0].include = 1; // there is nothing else, and nothing is kept away from its sides
    ck_assert_double_eq_tol(area_around(NAV_SHEET_XPLUS, 1, 0), 4 * 3, 0.01);
    ck_assert(area_around(NAV_SHEET_UP, 1, 0) == 0);
}
END_TEST

START_TEST(what_is_in_the_way_counts_along_the_normal)
{
    // A slope of 45 degrees, and a plate 1 m above it along its normal: nobody fits between.
    const float a[3] = {0, 0, 0}, b[3] = {0, 0, 10}, c[3] = {10, 10, 10}, d[3] = {10, 10, 0};
    scene_triangle(&f.scene, a, b, c);
    scene_triangle(&f.scene, a, c, d);
    ck_assert_double_gt(area_around(NAV_SHEET_UP, 1, 0), 70);
    const float by = 0.70710678f;
    float plate[4][3];
    const float *const corner[4] = {a, b, c, d};
    for (int k = 0; k < 4; k++) {
        plate[k][0] = corner[k][0] - by;
        plate[k][1] = corner[k][1] + by;
        plate[k][2] = corner[k][2];
    }
    scene_triangle(&f.scene, plate[0], plate[2], plate[1]); // looks down at it
    scene_triangle(&f.scene, plate[0], plate[3], plate[2]);
    nav_mesh_destroy(f.mesh);
    f.mesh = NULL;
    ck_assert(area_around(NAV_SHEET_UP, 1, 0) == 0);
    f.settings.agent_height_m = 0.9f;
    ck_assert_double_gt(area_around(NAV_SHEET_UP, 1, 0), 70);
}
END_TEST

START_TEST(what_stands_beside_the_tile_may_be_above_a_slope_of_it)
{
    const float a[3] = {0, 0, 0}, b[3] = {0, 0, 16}, c[3] = {16, -16, 16}, d[3] = {16, -16, 0};
    f.settings.agent_height_m = 4;
    scene_triangle(&f.scene, a, b, c);
    scene_triangle(&f.scene, a, c, d);
    const double whole = area_of(build(NAV_SHEET_UP, 0, 0), 0);
    // 3.5 m above it along the normal, and two metres beside the tile.
    const float p[3] = {17.9f, -12.95f, 8}, q[3] = {18.1f, -13.15f, 8}, r[3] = {18, -13.05f, 8.3f};
    scene_triangle(&f.scene, p, q, r);
    nav_mesh_destroy(f.mesh);
    f.mesh = NULL;
    const double left = area_of(build(NAV_SHEET_UP, 0, 0), 0);
    ck_assert_msg(left < whole - 0.3, "%g m2 of %g are left", left, whole);
}
END_TEST

START_TEST(random_worlds_make_tiles_that_can_be_read)
{
    for (uint32_t seed = 1; seed <= 60; seed++) {
        uint32_t random = seed;
        f.scene.vert_count = f.scene.tri_count = 0;
        const int count = 5 + (int)(seed % 40);
        for (int i = 0; i < count; i++) {
            float c[3][3];
            for (int k = 0; k < 9; k++) {
                c[k / 3][k % 3] = scene_random_between(&random, -2, 18);
                if (seed % 3 == 0) c[k / 3][k % 3] = floorf(c[k / 3][k % 3]); // corners and edges that meet
            }
            scene_triangle(&f.scene, c[0], c[1], c[2]);
        }
        nav_mesh_destroy(f.mesh);
        f.mesh = NULL;
        f.settings.agent_radius_m = seed % 4 == 0 ? 0 : 0.2f * (float)(seed % 5 + 1);
        for (int s = 0; s < NAV_SHEET_COUNT; s++) build((nav_sheet)s, 0, 0);
    }
}
END_TEST

enum { THINGS = 9, ROOMS = 5 };

typedef struct listed {
    nav_instance instances[THINGS];
    nav_volume volumes[ROOMS];
} listed;

// Crates, wedges and rooms that overlap, with faces, edges and corners that meet.
static void fill(listed *l, nav_mesh *wedge, uint32_t seed)
{
    static const float turns[3][4] = {{1, 0, 0, 1}, {0, 1, -1, 0}, {-1, 0, 0, -1}};
    uint32_t random = seed;
    for (int i = 0; i < THINGS; i++) {
        const float *turn = turns[(int)scene_random_between(&random, 0, 2.99f)];
        l->instances[i] = (nav_instance){.mesh = i % 2 ? wedge : f.mesh,
                                         .transform = {turn[0], 0, turn[1], 0, 0, 1, 0, 0, turn[2], 0, turn[3], 0},
                                         .area = NAV_AREA_DEFAULT};
        for (int a = 0; a < 3; a++) {
            const float at = scene_random_between(&random, -2, 4);
            l->instances[i].transform[4 * a + 3] = seed % 2 ? floorf(at) : at;
        }
    }
    for (int i = 0; i < ROOMS; i++) {
        const float x = scene_random_between(&random, -1, 7), z = scene_random_between(&random, -1, 7);
        const float y = scene_random_between(&random, -1, 6), side = scene_random_between(&random, 1, 5);
        l->volumes[i] = (nav_volume){.point_count = 4,
                                     .points = {x, z, x, z + side, x + side, z + side, x + side, z},
                                     .min_y = y,
                                     .max_y = y + side,
                                     .area = i % 2 ? (uint8_t)i : NAV_AREA_NONE};
    }
}

// Of the tile that lies at the origin, in the sheet's frame.
static nav_buffer bytes_of(const listed *l, nav_sheet sheet, bool with_volumes)
{
    nav_buffer bytes = {0};
    f.settings.sheet = sheet;
    nav_arena_reset(&f.arena);
    const nav_tile_source src = {.settings = &f.settings,
                                 .tile_x = sheet == NAV_SHEET_XPLUS ? -1 : 0,
                                 .tile_z = sheet == NAV_SHEET_DOWN || sheet == NAV_SHEET_ZPLUS ? -1 : 0,
                                 .instances = l->instances,
                                 .instance_count = THINGS,
                                 .volumes = l->volumes,
                                 .volume_count = with_volumes ? ROOMS : 0};
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &f.arena, &f.tile), NAV_OK);
    ck_assert_int_eq(nav_tile_encode(&f.tile, &bytes), NAV_OK);
    return bytes;
}

START_TEST(the_order_of_what_stands_in_the_world_does_not_count)
{
    static const float corner[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 0, 2}, {0, 2, 0}};
    listed forward, backward;
    static const uint32_t rare[2] = {2573, 2958}; // where the order of triangles would count
    scene wedge = {0};
    scene_triangle(&wedge, corner[0], corner[1], corner[2]);
    scene_triangle(&wedge, corner[0], corner[3], corner[1]);
    scene_triangle(&wedge, corner[1], corner[3], corner[2]);
    scene_triangle(&wedge, corner[2], corner[3], corner[0]);
    nav_mesh *wedge_mesh = scene_mesh_with_areas(&wedge, f.areas);
    uint32_t filled = 0;
    add_box(2, 2, 2, false);
    f.mesh = scene_mesh_with_areas(&f.scene, f.areas);
    f.settings.agent_radius_m = 0.3f;
    f.settings.agent_height_m = 1;
    f.settings.cell_size_m = 0.1f;
    f.settings.tile_cells = 32;
    for (uint32_t world = 1; world <= 160; world++) {
        const uint32_t seed = world < 159 ? world : rare[world - 159];
        fill(&forward, wedge_mesh, seed);
        for (int i = 0; i < THINGS; i++) backward.instances[i] = forward.instances[THINGS - 1 - i];
        for (int i = 0; i < ROOMS; i++) backward.volumes[i] = forward.volumes[ROOMS - 1 - i];
        for (int s = 0; s < NAV_SHEET_COUNT; s++) {
            nav_buffer a = bytes_of(&forward, (nav_sheet)s, seed % 4 > 1);
            nav_buffer b = bytes_of(&backward, (nav_sheet)s, seed % 4 > 1);
            filled += f.tile.polygons.count > 0;
            ck_assert_uint_eq(a.size, b.size);
            ck_assert_msg(!memcmp(a.data, b.data, a.size), "world %u, sheet %s", seed, nav_sheet_name((nav_sheet)s));
            nav_buffer_deinit(&a);
            nav_buffer_deinit(&b);
        }
    }
    ck_assert_uint_gt(filled, 900);
    nav_mesh_destroy(wedge_mesh);
    scene_free(&wedge);
}
END_TEST

START_TEST(settings_that_make_no_sense_are_refused_with_words)
{
    char why[200];
    nav_settings s;
    nav_settings_default(&s);
    s.sheets = NAV_SHEETS_ALL;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "generator surface"));
    s.generator = NAV_GENERATOR_SURFACE;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_OK);
    s.sheets = 1u << NAV_SHEET_DOWN;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "not one of sheets"));
    s.sheets = 0;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    s.sheets = 64;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "0x40"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sheets");
    TCase *t = tcase_create("sheets");
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, frames_are_turned_and_come_back);
    tcase_add_test(t, of_axes_equally_near_the_first_in_order_counts);
    tcase_add_test(t, a_room_has_a_floor_on_each_of_its_six_sides);
    tcase_add_test(t, over_a_rim_the_surface_goes_on_or_ends);
    tcase_add_test(t, each_triangle_of_a_ball_is_covered_once);
    tcase_add_test(t, a_world_that_is_turned_has_the_same_cells);
    tcase_add_test(t, what_does_not_hold_the_agent_is_walked_on_as_gravity_has_it);
    tcase_add_test(t, volumes_are_rooms_for_walls_too);
    tcase_add_test(t, what_is_in_the_way_counts_along_the_normal);
    tcase_add_test(t, what_stands_beside_the_tile_may_be_above_a_slope_of_it);
    tcase_add_test(t, random_worlds_make_tiles_that_can_be_read);
    tcase_add_test(t, the_order_of_what_stands_in_the_world_does_not_count);
    tcase_add_test(t, settings_that_make_no_sense_are_refused_with_words);
    return run_suite(s);
}
