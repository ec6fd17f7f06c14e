#include "core/geometry/config.h"
#include "core/geometry/tile_source.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(default_settings_are_recastdemos)
{
    nav_settings s;
    nav_config c;
    nav_settings_default(&s);
    ck_assert_int_eq(nav_settings_check(&s, NULL, 0), NAV_OK);
    nav_config_init(&c, &s, 2, -1);
    ck_assert_int_eq(c.height_vx, 10);
    ck_assert_int_eq(c.climb_vx, 4);
    ck_assert_int_eq(c.radius_columns, 2);
    ck_assert_int_eq(c.border, 5);
    ck_assert_int_eq(c.width, 58);
    ck_assert_int_eq(c.edge_max_columns, 40);
    ck_assert_int_eq(c.first_column_x, 2 * 48 - 5);
    ck_assert_int_eq(c.first_column_z, -48 - 5);
    ck_assert_double_eq_tol(c.slope_cos, 0.70710678118654752, 1e-15);
}
END_TEST

START_TEST(a_wrong_setting_is_named_with_its_value)
{
    nav_settings s;
    char why[200];
    nav_settings_default(&s);
    s.cell_size_m = -1;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "cell_size_m"));
    ck_assert_ptr_nonnull(strstr(why, "-1"));
    nav_settings_default(&s);
    s.agent_slope_deg = NAN;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    nav_settings_default(&s);
    s.polygon_max_vertices = 7;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    nav_settings_default(&s);
    s.triangulation = (nav_triangulation)(NAV_TRIANGULATION_DELAUNAY + 1);
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "triangulation is 3"));
    nav_settings_default(&s);
    s.outlines = (nav_outlines)(NAV_OUTLINES_TRUE + 1);
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "outlines is 2"));
    nav_settings_default(&s);
    s.relaxation_m = -0.1f;
    ck_assert_int_eq(nav_settings_check(&s, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "relaxation_m is -0.1"));
}
END_TEST

START_TEST(names_of_partitions_triangulations_and_outlines_go_there_and_back)
{
    nav_partition p;
    nav_triangulation t;
    nav_outlines o;
    for (int i = NAV_PARTITION_WATERSHED; i <= NAV_PARTITION_CONVEX; i++) {
        ck_assert_int_eq(nav_partition_parse(nav_partition_name((nav_partition)i), &p), NAV_OK);
        ck_assert_int_eq(p, i);
    }
    for (int i = NAV_TRIANGULATION_EARS; i <= NAV_TRIANGULATION_DELAUNAY; i++) {
        ck_assert_int_eq(nav_triangulation_parse(nav_triangulation_name((nav_triangulation)i), &t), NAV_OK);
        ck_assert_int_eq(t, i);
    }
    for (int i = NAV_OUTLINES_VOXEL; i <= NAV_OUTLINES_TRUE; i++) {
        ck_assert_int_eq(nav_outlines_parse(nav_outlines_name((nav_outlines)i), &o), NAV_OK);
        ck_assert_int_eq(o, i);
    }
    ck_assert_int_eq(nav_outlines_parse("True", &o), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(nav_outlines_name((nav_outlines)2), "unknown");
    ck_assert_int_eq(nav_partition_parse("ears", &p), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_triangulation_parse("", &t), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(nav_triangulation_name((nav_triangulation)7), "unknown");
}
END_TEST

START_TEST(relaxation_is_counted_in_cells)
{
    nav_settings s;
    nav_config c;
    nav_settings_default(&s);
    nav_config_init(&c, &s, 0, 0);
    ck_assert_double_eq(c.relaxation, 0);
    ck_assert_int_eq(c.triangulation, NAV_TRIANGULATION_EARS);
    s.relaxation_m = 0.6f;
    s.triangulation = NAV_TRIANGULATION_MIN_AREA;
    nav_config_init(&c, &s, 0, 0);
    ck_assert_double_eq_tol(c.relaxation, 2, 1e-6);
    ck_assert_int_eq(c.triangulation, NAV_TRIANGULATION_MIN_AREA);
}
END_TEST

typedef struct found {
    const nav_mesh *mesh;
    uint8_t *hit;
} found;

static void note(void *user, uint32_t first, unsigned which)
{
    found *f = user;
    for (uint32_t k = 0; k < 8; k++)
        for (uint32_t i = 8 * (first + k); (which >> k & 1) && i < 8 * (first + k + 1) && i < f->mesh->tri_count; i++)
            f->hit[i] = 1;
}

START_TEST(the_index_finds_every_triangle_in_a_box)
{
    scene s = {0};
    uint32_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        float p[3][3];
        float at[3] = {scene_random_between(&seed, -50, 50), scene_random_between(&seed, -5, 5),
                       scene_random_between(&seed, -50, 50)};
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) p[c][k] = at[k] + scene_random_between(&seed, -1, 1);
        scene_triangle(&s, p[0], p[1], p[2]);
    }
    nav_mesh *m = scene_mesh(&s);
    ck_assert_uint_eq(m->tri_count, 3000);
    found f = {m, calloc(m->tri_count, 1)};
    const float turned[12] = {0.6f, 0, 0.8f, 3, 0, 1, 0, 0, -0.8f, 0, 0.6f, -7};
    const float still[12] = NAV_TRANSFORM_IDENTITY;
    for (int q = 0; q < 200; q++) {
        const float *t = q & 1 ? turned : still;
        double min[2] = {scene_random_between(&seed, -60, 60), scene_random_between(&seed, -60, 60)};
        double max[2] = {min[0] + 5, min[1] + 9};
        memset(f.hit, 0, m->tri_count);
        nav_mesh_query(m, t, min, max, note, &f);
        for (uint32_t i = 0; i < m->tri_count; i++) {
            double lo[2] = {1e30, 1e30}, hi[2] = {-1e30, -1e30};
            for (int c = 0; c < 3; c++) {
                float p[3];
                nav_mesh_corner(m, i, c, p);
                double x = (double)t[0] * p[0] + (double)t[2] * p[2] + t[3];
                double z = (double)t[8] * p[0] + (double)t[10] * p[2] + t[11];
                lo[0] = fmin(lo[0], x), hi[0] = fmax(hi[0], x);
                lo[1] = fmin(lo[1], z), hi[1] = fmax(hi[1], z);
            }
            if (hi[0] >= min[0] && lo[0] <= max[0] && hi[1] >= min[1] && lo[1] <= max[1]) ck_assert(f.hit[i]);
        }
    }
    free(f.hit);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(a_mesh_leaves_out_and_counts_what_cannot_be_drawn)
{
    const float verts[] = {0, 0, 0, 1, 0, 0, 0, 0, 1, NAN, 0, 0, INFINITY, 0, 1};
    const uint32_t tris[] = {0, 2, 1, 0, 1, 3, 0, 1, 4, 0, 1, 99};
    nav_mesh *m;
    ck_assert_int_eq(nav_mesh_create(verts, 5, tris, 4, &m), NAV_OK);
    ck_assert_uint_eq(m->tri_count, 1);
    ck_assert_uint_eq(m->skipped_count, 3);
    ck_assert(nav_key_equal(m->hash, nav_mesh_hash(verts, 5, tris, 4)));
    nav_mesh_destroy(m);
    ck_assert_int_eq(nav_mesh_create(NULL, 0, NULL, 0, &m), NAV_OK);
    ck_assert_uint_eq(m->tri_count, 0);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    float lo[3], hi[3];
    ck_assert(!nav_instance_bounds(&in, lo, hi));
    nav_mesh_destroy(m);
}
END_TEST

static nav_triangles gather(const nav_tile_source *src, nav_arena *a)
{
    nav_triangles t;
    nav_config c;
    nav_config_init(&c, src->settings, src->tile_x, src->tile_z);
    ck_assert_int_eq(nav_triangles_gather(src, &c, a, &t), NAV_OK);
    return t;
}

START_TEST(keys_do_not_depend_on_order_and_change_with_the_input)
{
    scene s = {0}, r = {0};
    scene_box(&s, 1, 0, 1, 3, 1, 4, 0.8f, 0.6f);
    scene_floor(&s, 0, 0, 14, 14, 0);
    scene_floor(&r, 0, 0, 14, 14, 0);
    scene_box(&r, 1, 0, 1, 3, 1, 4, 0.8f, 0.6f);
    nav_mesh *a = scene_mesh(&s), *b = scene_mesh(&r);
    nav_settings set;
    nav_settings_default(&set);
    nav_volume volumes[2] = {{.point_count = 3, .points = {0, 0, 0, 2, 2, 0}, .min_y = 0, .max_y = 1, .area = 5},
                             {.point_count = 3, .points = {4, 4, 4, 6, 6, 4}, .min_y = 0, .max_y = 1, .area = 0}};
    nav_volume turned[2] = {volumes[1], volumes[0]};
    nav_instance one[2] = {{a, NAV_TRANSFORM_IDENTITY, 63}, {b, NAV_TRANSFORM_IDENTITY, 2}};
    nav_instance two[2] = {one[1], one[0]};
    nav_tile_source x = {
        .settings = &set, .instances = one, .instance_count = 2, .volumes = volumes, .volume_count = 2};
    nav_tile_source y = {.settings = &set, .instances = two, .instance_count = 2, .volumes = turned, .volume_count = 2};
    nav_arena arena;
    nav_arena_init(&arena, 0);
    ck_assert(nav_key_equal(nav_tile_source_key(&x), nav_tile_source_key(&y)));
    nav_key kx = gather(&x, &arena).content_key;
    ck_assert(nav_key_equal(kx, gather(&y, &arena).content_key));
    // The same triangles in meshes of another order: other source, same content.
    x.instance_count = y.instance_count = 1;
    one[0] = (nav_instance){a, NAV_TRANSFORM_IDENTITY, 63};
    two[0] = (nav_instance){b, NAV_TRANSFORM_IDENTITY, 63};
    ck_assert(!nav_key_equal(nav_tile_source_key(&x), nav_tile_source_key(&y)));
    ck_assert(nav_key_equal(gather(&x, &arena).content_key, gather(&y, &arena).content_key));
    two[0].transform[3] = 0.01f;
    ck_assert(!nav_key_equal(gather(&x, &arena).content_key, gather(&y, &arena).content_key));
    two[0].transform[3] = 0;
    y.volume_count = 1;
    ck_assert(!nav_key_equal(gather(&x, &arena).content_key, gather(&y, &arena).content_key));
    y.volume_count = 2;
    nav_settings other = set;
    other.agent_climb_m = 0.5f;
    y.settings = &other;
    ck_assert(!nav_key_equal(gather(&x, &arena).content_key, gather(&y, &arena).content_key));
    nav_arena_deinit(&arena);
    nav_mesh_destroy(a);
    nav_mesh_destroy(b);
    scene_free(&s);
    scene_free(&r);
}
END_TEST

// The key that the default settings had before there were others than voxel outlines.
START_TEST(voxel_outlines_have_the_key_from_before_there_were_others)
{
    nav_settings set;
    char text[NAV_KEY_TEXT_BYTES];
    nav_settings_default(&set);
    set.outlines = NAV_OUTLINES_VOXEL;
    nav_key key = nav_settings_key(&set, 0, 0);
    key.low -= NAV_GENERATOR_VERSION;
    nav_key_text(key, text);
    ck_assert_str_eq(text, "342315e761e29e8a8d01c50814ed81cc");
}
END_TEST

START_TEST(every_setting_and_area_is_part_of_the_keys)
{
    nav_settings set, other;
    nav_settings_default(&set);
    nav_key key = nav_settings_key(&set, 0, 0);
#define CHANGES(field, value)                                                                                          \
    other = set;                                                                                                       \
    other.field = (value);                                                                                             \
    ck_assert_msg(!nav_key_equal(nav_settings_key(&other, 0, 0), key), #field)
    CHANGES(origin_m[0], 1);
    CHANGES(origin_m[1], 1);
    CHANGES(origin_m[2], 1);
    CHANGES(cell_size_m, 0.31f);
    CHANGES(cell_height_m, 0.21f);
    CHANGES(tile_cells, 47);
    CHANGES(agent_height_m, 2.1f);
    CHANGES(agent_radius_m, 0.61f);
    CHANGES(agent_climb_m, 0.91f);
    CHANGES(agent_slope_deg, 44);
    CHANGES(walkable_areas, ~(uint64_t)3);
    CHANGES(partition, NAV_PARTITION_MONOTONE);
    CHANGES(region_min_cells, 9);
    CHANGES(region_merge_cells, 21);
    CHANGES(edge_max_length_m, 13);
    CHANGES(edge_max_error_cells, 1.4f);
    CHANGES(outlines, set.outlines == NAV_OUTLINES_VOXEL ? NAV_OUTLINES_TRUE : NAV_OUTLINES_VOXEL);
    CHANGES(polygon_max_vertices, 5);
    CHANGES(triangulation, NAV_TRIANGULATION_DELAUNAY);
    CHANGES(relaxation_m, 0.5f);
    CHANGES(detail_sample_cells, 7);
    CHANGES(detail_max_error_voxels, 2);
    CHANGES(generator, NAV_GENERATOR_SURFACE);
    for (int a = 0; a < NAV_AREA_COUNT; a++) {
        CHANGES(area_flags[a], 2);
    }
    set.generator = NAV_GENERATOR_SURFACE;
    key = nav_settings_key(&set, 0, 0);
    CHANGES(surface_error_m, 0.1f);
    CHANGES(corners, NAV_CORNERS_BEVEL);
    CHANGES(arc_error_m, 0.01f);
    set.corners = NAV_CORNERS_MITRE;
    key = nav_settings_key(&set, 0, 0);
    CHANGES(mitre_limit, 3);
    CHANGES(sheets, NAV_SHEETS_ALL);
    set.sheets = NAV_SHEETS_ALL;
    key = nav_settings_key(&set, 0, 0);
    CHANGES(sheet, NAV_SHEET_DOWN);
    CHANGES(grip_areas, 2);
    CHANGES(seam_smooth_deg, 59);
    CHANGES(seam_inner_deg, 119);
    CHANGES(seam_outer_deg, 179);
    nav_settings_default(&set);
    key = nav_settings_key(&set, 0, 0);
#undef CHANGES
    ck_assert(!nav_key_equal(nav_settings_key(&set, 1, 0), key));
    ck_assert(!nav_key_equal(nav_settings_key(&set, 0, 1), key));

    scene s = {0};
    scene_floor(&s, 0, 0, 14, 14, 0);
    nav_mesh *m = scene_mesh(&s);
    nav_arena arena;
    nav_arena_init(&arena, 0);
    nav_instance ground = {m, NAV_TRANSFORM_IDENTITY, 63}, grass = {m, NAV_TRANSFORM_IDENTITY, 5};
    nav_tile_source x = {.settings = &set, .instances = &ground, .instance_count = 1}, y = x;
    y.instances = &grass;
    ck_assert(!nav_key_equal(nav_tile_source_key(&x), nav_tile_source_key(&y)));
    ck_assert(!nav_key_equal(gather(&x, &arena).content_key, gather(&y, &arena).content_key));
    nav_arena_deinit(&arena);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(gathering_skips_and_counts_what_has_no_area_or_lies_too_far)
{
    scene s = {0};
    const float o[3] = {1, 0, 1}, x[3] = {2, 0, 1}, z[3] = {1, 0, 2}, x2[3] = {3, 0, 1}, far[3] = {1e12f, 0, 2};
    scene_triangle(&s, o, z, x);
    scene_triangle(&s, o, x, x2); // a line
    scene_triangle(&s, o, o, o);
    scene_triangle(&s, o, z, far);
    nav_mesh *m = scene_mesh(&s);
    nav_settings set;
    nav_settings_default(&set);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &set, .instances = &in, .instance_count = 1};
    nav_arena a;
    nav_arena_init(&a, 0);
    nav_triangles t = gather(&src, &a);
    ck_assert_uint_eq(t.count, 1);
    ck_assert_uint_eq(t.skipped_count, 3);
    ck_assert_uint_eq(t.areas[0], 63);
    in.transform[0] = -1; // mirrored left and right: the winding is turned back, so a floor stays a floor
    in.transform[3] = 4;
    t = gather(&src, &a);
    ck_assert_uint_eq(t.areas[0], 63);
    in.transform[0] = 1, in.transform[3] = 0;
    in.transform[5] = -1; // upside down: a floor becomes a ceiling
    t = gather(&src, &a);
    ck_assert_uint_eq(t.areas[0], NAV_AREA_NONE);
    in.transform[5] = 1;
    in.area = 9;
    set.walkable_areas = ~(UINT64_C(1) << 9);
    t = gather(&src, &a);
    ck_assert_uint_eq(t.areas[0], NAV_AREA_NONE);
    nav_arena_deinit(&a);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(more_triangles_than_can_be_counted_in_one_place_are_a_limit)
{
    enum { TRIANGLES = 1 << 18, INSTANCES = (1 << 14) + 1 }; // together a few over 2^32
    const float corner[9] = {1, 0, 1, 1, 0, 2, 2, 0, 1};
    uint32_t *tris = malloc(TRIANGLES * 3 * sizeof *tris);
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) tris[i] = i % 3;
    nav_mesh *m;
    ck_assert_int_eq(nav_mesh_create(corner, 3, tris, TRIANGLES, &m), NAV_OK);
    nav_instance *in = malloc(INSTANCES * sizeof *in);
    for (int i = 0; i < INSTANCES; i++) in[i] = (nav_instance){m, NAV_TRANSFORM_IDENTITY, 63};
    nav_settings settings;
    nav_config c;
    nav_arena arena;
    nav_triangles out;
    nav_settings_default(&settings);
    nav_config_init(&c, &settings, 0, 0);
    nav_arena_init(&arena, 0);
    nav_tile_source src = {.settings = &settings, .instances = in, .instance_count = INSTANCES};
    ck_assert_int_eq(nav_triangles_gather(&src, &c, &arena, &out), NAV_ERR_LIMIT);
    nav_arena_deinit(&arena);
    nav_mesh_destroy(m);
    free(in);
    free(tris);
}
END_TEST

START_TEST(a_slope_is_walkable_up_to_the_angle)
{
    scene s = {0};
    const float o[3] = {1, 0, 1}, z[3] = {1, 0, 2};
    const float flat[3] = {2, 0.99f, 1}, steep[3] = {2, 1.01f, 1};
    scene_triangle(&s, o, z, flat);
    scene_triangle(&s, o, z, steep);
    nav_mesh *m = scene_mesh(&s);
    nav_settings set;
    nav_settings_default(&set);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &set, .instances = &in, .instance_count = 1};
    nav_arena a;
    nav_arena_init(&a, 0);
    nav_triangles t = gather(&src, &a);
    ck_assert_uint_eq(t.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        bool is_flat = fabsf(t.verts[9 * i + 1]) < 1 && fabsf(t.verts[9 * i + 4]) < 1 && fabsf(t.verts[9 * i + 7]) < 1;
        ck_assert_uint_eq(t.areas[i], is_flat ? 63 : NAV_AREA_NONE);
    }
    nav_arena_deinit(&a);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(tile_ranges_hold_exactly_the_tiles_whose_padding_is_touched)
{
    nav_settings set;
    nav_settings_default(&set);
    uint32_t seed = 3;
    for (int i = 0; i < 500; i++) {
        double min[2] = {scene_random_between(&seed, -60, 60), scene_random_between(&seed, -60, 60)};
        double max[2] = {min[0] + 3, min[1] + 0.1};
        int32_t first[2], last[2];
        nav_tile_range(&set, min, max, first, last);
        for (int32_t x = first[0] - 2; x <= last[0] + 2; x++)
            for (int32_t z = first[1] - 2; z <= last[1] + 2; z++) {
                double lo[2], hi[2];
                nav_tile_padded_bounds(&set, x, z, lo, hi);
                bool touches = min[0] <= hi[0] && max[0] >= lo[0] && min[1] <= hi[1] && max[1] >= lo[1];
                bool listed = x >= first[0] && x <= last[0] && z >= first[1] && z <= last[1];
                ck_assert(touches == listed);
            }
    }
    int32_t x, z;
    nav_tile_at(&set, -0.01, 14.41, &x, &z);
    ck_assert_int_eq(x, -1);
    ck_assert_int_eq(z, 1);
}
END_TEST

START_TEST(volumes_and_links_are_checked)
{
    nav_volume v = {.point_count = 4, .points = {0, 0, 0, 2, 2, 2, 2, 0}, .min_y = 0, .max_y = 1, .area = 3};
    char why[120];
    ck_assert_int_eq(nav_volume_check(&v, why, sizeof why), NAV_OK);
    nav_volume bad = v;
    bad.points[4] = 0.5f, bad.points[5] = 0.5f; // a dent
    ck_assert_int_eq(nav_volume_check(&bad, why, sizeof why), NAV_ERR_ARGUMENT);
    bad = v, bad.point_count = 2;
    ck_assert_int_eq(nav_volume_check(&bad, why, sizeof why), NAV_ERR_ARGUMENT);
    bad = v, bad.max_y = 0;
    ck_assert_int_eq(nav_volume_check(&bad, why, sizeof why), NAV_ERR_ARGUMENT);
    bad = v, bad.area = 64;
    ck_assert_int_eq(nav_volume_check(&bad, why, sizeof why), NAV_ERR_ARGUMENT);
    bad = v, bad.points[0] = NAN;
    ck_assert_int_eq(nav_volume_check(&bad, why, sizeof why), NAV_ERR_ARGUMENT);
    bad = v, bad.points[3] = -2e7f;
    ck_assert_int_eq(nav_volume_check(&bad, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(why, "z of a volume's point is -2e+07 m: not finite, or beyond 1e7 m");
    nav_volume star = {.point_count = 5, .min_y = 0, .max_y = 1};
    const float five[10] = {0, 1, 0.59f, -0.81f, -0.95f, 0.31f, 0.95f, 0.31f, -0.59f, -0.81f};
    memcpy(star.points, five, sizeof five); // turns to one side only, but twice around
    ck_assert_int_eq(nav_volume_check(&star, why, sizeof why), NAV_ERR_ARGUMENT);
    nav_link l = {.id = 1, .start = {0, 0, 0}, .end = {9, 0, 0}, .radius_m = 0.5f, .area = 63};
    ck_assert_int_eq(nav_link_check(&l, why, sizeof why), NAV_OK);
    l.radius_m = 0;
    ck_assert_int_eq(nav_link_check(&l, why, sizeof why), NAV_ERR_ARGUMENT);
    l.radius_m = 1, l.end[1] = INFINITY;
    ck_assert_int_eq(nav_link_check(&l, why, sizeof why), NAV_ERR_ARGUMENT);
    l.end[1] = 0, l.radius_m = 1e30f;
    ck_assert_int_eq(nav_link_check(&l, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(why, "a link's radius is 1e+30 m: not finite, or beyond 1e7 m");
    l.radius_m = 1, l.area = 0;
    ck_assert_int_eq(nav_link_check(&l, why, sizeof why), NAV_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("geometry");
    TCase *t = tcase_create("geometry");
    suite_add_tcase(s, t);
    tcase_add_test(t, default_settings_are_recastdemos);
    tcase_add_test(t, a_wrong_setting_is_named_with_its_value);
    tcase_add_test(t, names_of_partitions_triangulations_and_outlines_go_there_and_back);
    tcase_add_test(t, relaxation_is_counted_in_cells);
    tcase_add_test(t, the_index_finds_every_triangle_in_a_box);
    tcase_add_test(t, a_mesh_leaves_out_and_counts_what_cannot_be_drawn);
    tcase_add_test(t, keys_do_not_depend_on_order_and_change_with_the_input);
    tcase_add_test(t, voxel_outlines_have_the_key_from_before_there_were_others);
    tcase_add_test(t, every_setting_and_area_is_part_of_the_keys);
    tcase_add_test(t, gathering_skips_and_counts_what_has_no_area_or_lies_too_far);
    tcase_add_test(t, more_triangles_than_can_be_counted_in_one_place_are_a_limit);
    tcase_add_test(t, a_slope_is_walkable_up_to_the_angle);
    tcase_add_test(t, tile_ranges_hold_exactly_the_tiles_whose_padding_is_touched);
    tcase_add_test(t, volumes_and_links_are_checked);
    return run_suite(s);
}
