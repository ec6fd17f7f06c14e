// Height grids: the tiles of the same surface as triangles, at every level; blocks and patches; keys; what is refused.
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "navcore/heights.h"
#include "tests/check.h"
#include "tests/core/heights_world.h"
#include "tests/core/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void make(nav_level level, bool plain, const nav_tile_source *source, nav_buffer *navd, nav_counts *counts,
                 nav_key *key)
{
    nav_arena arena;
    nav_tile tile;
    nav_arena_init(&arena, (size_t)1 << 30);
    const nav_hooks hooks = {.plain = plain};
    navd->size = 0;
    ck_assert_int_eq(nav_build_at(level)(source, NULL, &hooks, &arena, &tile), NAV_OK);
    *counts = tile.counts;
    *key = tile.content_key;
    tile.content_key = (nav_key){0, 0}; // a grid's is another than its triangles'
    ck_assert_int_eq(nav_tile_encode(&tile, navd), NAV_OK);
    nav_arena_deinit(&arena);
}

enum { WORLDS = 120 };

// Moved, and now and then turned and scaled as well.
static void random_transform(uint32_t *random, float t[12])
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    memcpy(t, identity, sizeof identity);
    const uint32_t kind = scene_random(random) % 6;
    if (kind == 0) return;
    t[3] = scene_random_between(random, -30, 30);
    t[7] = scene_random_between(random, -2, 2);
    t[11] = scene_random_between(random, -30, 30);
    if (kind != 1) return;
    t[0] = t[10] = 0.8f;
    t[2] = 0.6f, t[8] = -0.6f;
    t[5] = 1.5f;
}

START_TEST(a_grid_gives_the_tiles_of_its_triangles_at_every_level)
{
    int with_ground = 0, in_blocks = 0;
    for (int number = 0; number < WORLDS; number++) {
        uint32_t random = 1 + (uint32_t)(_i * WORLDS + number) * 2654435761u;
        heights_world w;
        scene boxes = {0};
        nav_settings settings;
        nav_settings_default(&settings);
        heights_world_init(&w, &random, 90);
        settings.outlines = _i ? NAV_OUTLINES_TRUE : NAV_OUTLINES_VOXEL;
        settings.walkable_areas &= ~(UINT64_C(1) << 5);
        settings.agent_slope_deg = scene_random_between(&random, 15, 60);
        nav_mesh *grid, *triangles = heights_world_triangles(&w);
        ck_assert_int_eq(nav_mesh_create_heights(&w.spec, &grid), NAV_OK);
        ck_assert_uint_eq(grid->tri_count, triangles->tri_count);
        nav_instance placed[2] = {{grid, {0}, scene_random(&random) % 9 ? 63 : 0}, {NULL, NAV_TRANSFORM_IDENTITY, 63}};
        random_transform(&random, placed[0].transform);
        float min[3], max[3];
        if (!nav_instance_bounds(&placed[0], min, max)) goto next;
        for (int k = 0; k < 3; k++) {
            float x = scene_random_between(&random, min[0], max[0]), z = scene_random_between(&random, min[2], max[2]);
            scene_box(&boxes, x, min[1], z, x + 2, max[1] + 1, z + 1, 1, 0);
        }
        nav_mesh *objects = scene_mesh(&boxes);
        placed[1].mesh = objects;
        nav_tile_source source = {.settings = &settings, .instances = placed, .instance_count = 2};
        nav_tile_at(&settings, scene_random_between(&random, min[0], max[0]),
                    scene_random_between(&random, min[2], max[2]), &source.tile_x, &source.tile_z);
        nav_buffer expected = {0}, got = {0};
        nav_counts expected_counts, counts;
        nav_key key, first_key = {0, 0}, triangle_key;
        placed[0].mesh = triangles;
        make(NAV_LEVEL_BASE, false, &source, &expected, &expected_counts, &triangle_key);
        placed[0].mesh = grid;
        with_ground += expected_counts.polygons > 0;
        for (nav_level level = NAV_LEVEL_BASE; level < NAV_LEVEL_COUNT; level++)
            for (int plain = 0; plain < 2 && nav_build_at(level); plain++) {
                make(level, plain, &source, &got, &counts, &key);
                ck_assert_msg(counts.solid_spans == expected_counts.solid_spans &&
                                  counts.walkable_spans == expected_counts.walkable_spans,
                              "world %d of %d, level %d%s: %llu spans, %llu walkable; as triangles %llu, %llu", number,
                              _i, (int)level, plain ? ", plain" : "", (unsigned long long)counts.solid_spans,
                              (unsigned long long)counts.walkable_spans,
                              (unsigned long long)expected_counts.solid_spans,
                              (unsigned long long)expected_counts.walkable_spans);
                ck_assert_msg(got.size == expected.size && !memcmp(got.data, expected.data, got.size),
                              "world %d of %d, level %d%s: other bytes than as triangles", number, _i, (int)level,
                              plain ? ", plain" : "");
                if (level == NAV_LEVEL_BASE && !plain) first_key = key;
                ck_assert(nav_key_equal(key, first_key));
            }
        if (!w.spec.first_column && !w.spec.first_row && nav_height_is_moved(placed[0].transform)) {
            const float offset[3] = {placed[0].transform[3], placed[0].transform[7], placed[0].transform[11]};
            nav_heights *blocks;
            nav_instance shown[8];
            ck_assert_int_eq(nav_heights_create(&w.spec, &blocks), NAV_OK);
            source.instances = shown;
            source.instance_count = nav_heights_show(blocks, offset, placed[0].area, NULL, NULL, shown, 7);
            ck_assert_uint_le(source.instance_count, 7);
            in_blocks += source.instance_count > 1;
            shown[source.instance_count++] = placed[1];
            for (nav_level level = NAV_LEVEL_BASE; level < NAV_LEVEL_COUNT && nav_build_at(level); level++) {
                make(level, false, &source, &got, &counts, &key);
                ck_assert_msg(got.size == expected.size && !memcmp(got.data, expected.data, got.size),
                              "world %d of %d, level %d, in blocks: other bytes than as triangles", number, _i,
                              (int)level);
            }
            nav_heights_destroy(blocks);
        }
        nav_buffer_deinit(&expected);
        nav_buffer_deinit(&got);
        nav_mesh_destroy(objects);
    next:
        scene_free(&boxes);
        nav_mesh_destroy(grid);
        nav_mesh_destroy(triangles);
        heights_world_deinit(&w);
    }
    ck_assert_int_gt(with_ground, WORLDS / 3);
    ck_assert_int_gt(in_blocks, 2);
}
END_TEST

// Blocks that do not agree on the samples between them, that overlap, and that leave something out between them.
START_TEST(blocks_that_do_not_fit_give_the_tiles_of_their_triangles)
{
    static const int32_t places[][2] = {{16, 0}, {15, 0}, {18, 0}, {16, 5}, {0, 16}};
    for (int k = 0; k < 5; k++) {
        uint32_t random = 99 + (uint32_t)k;
        heights_world w[2];
        nav_mesh *grids[2], *triangles[2];
        nav_instance placed[2] = {{NULL, NAV_TRANSFORM_IDENTITY, 63}, {NULL, NAV_TRANSFORM_IDENTITY, 63}};
        for (int i = 0; i < 2; i++) {
            heights_world_init(&w[i], &random, 90);
            free(w[i].areas);
            w[i].areas = NULL;
            w[i].spec.areas = NULL;
            w[i].spec.columns = w[i].spec.rows = 17; // of the samples that there are
            w[i].spec.spacing_m = 0.5;
            w[i].spec.format = NAV_HEIGHTS_FLOAT, w[i].spec.scale_m = 1, w[i].spec.offset_m = 0;
            w[i].spec.diagonal = NAV_DIAGONAL_SHORTER;
            w[i].spec.first_column = i ? places[k][0] : 0, w[i].spec.first_row = i ? places[k][1] : 0;
            float *samples = realloc(w[i].floats, 17 * 17 * sizeof *samples);
            for (int n = 0; n < 17 * 17; n++) samples[n] = 0.4f * sinf((float)n) + (float)i;
            w[i].spec.samples = w[i].floats = samples;
            ck_assert_int_eq(nav_mesh_create_heights(&w[i].spec, &grids[i]), NAV_OK);
            triangles[i] = heights_world_triangles(&w[i]);
        }
        nav_settings settings;
        nav_settings_default(&settings);
        const nav_tile_source source = {.settings = &settings, .instances = placed, .instance_count = 2};
        nav_buffer expected = {0}, got = {0};
        nav_counts counts;
        nav_key key;
        for (int i = 0; i < 2; i++) placed[i].mesh = triangles[i];
        make(NAV_LEVEL_BASE, false, &source, &expected, &counts, &key);
        ck_assert_uint_gt(counts.solid_spans, 500);
        for (int i = 0; i < 2; i++) placed[i].mesh = grids[i];
        for (nav_level level = NAV_LEVEL_BASE; level < NAV_LEVEL_COUNT && nav_build_at(level); level++) {
            make(level, false, &source, &got, &counts, &key);
            ck_assert_msg(got.size == expected.size && !memcmp(got.data, expected.data, got.size), "place %d, level %d",
                          k, (int)level);
        }
        nav_buffer_deinit(&expected);
        nav_buffer_deinit(&got);
        for (int i = 0; i < 2; i++) {
            nav_mesh_destroy(grids[i]);
            nav_mesh_destroy(triangles[i]);
            heights_world_deinit(&w[i]);
        }
    }
}
END_TEST

// The samples of a rectangle of a world, and its areas.
static void copy_out(const heights_world *w, uint32_t column, uint32_t row, uint32_t columns, uint32_t rows,
                     uint16_t *whole, float *floats, uint8_t *areas)
{
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++) {
            size_t from = (size_t)(row + r) * w->spec.columns + column + c;
            whole[r * columns + c] = w->whole[from];
            floats[r * columns + c] = w->floats[from];
            if (r + 1 < rows && c + 1 < columns && w->areas)
                areas[r * (columns - 1) + c] = w->areas[(size_t)(row + r) * (w->spec.columns - 1) + column + c];
        }
}

START_TEST(a_patch_is_the_terrain_with_these_samples_and_shares_all_other_blocks)
{
    uint32_t random = 77;
    int shared_somewhere = 0, patched_somewhere = 0;
    for (int number = 0; number < 60; number++) {
        heights_world before, after;
        nav_heights *h, *patched, *whole;
        heights_world_init(&before, &random, 300);
        before.spec.first_column = before.spec.first_row = 0;
        const nav_heights_spec *s = &before.spec;
        ck_assert_int_eq(nav_heights_create(s, &h), NAV_OK);
        uint32_t columns = 1 + scene_random(&random) % (s->columns < 80 ? s->columns : 80),
                 rows = 1 + scene_random(&random) % (s->rows < 80 ? s->rows : 80);
        uint32_t column = scene_random(&random) % (s->columns - columns + 1),
                 row = scene_random(&random) % (s->rows - rows + 1);
        uint16_t *rect16 = malloc((size_t)columns * rows * sizeof *rect16);
        float *rect32 = malloc((size_t)columns * rows * sizeof *rect32);
        uint8_t *areas = malloc((size_t)columns * rows);
        after = before; // changed in place: h has its copy
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++) {
                size_t i = (size_t)(row + r) * s->columns + column + c;
                after.whole[i] = (uint16_t)(after.whole[i] + 1 + scene_random(&random) % 100);
                after.floats[i] += 0.1f;
                if (after.areas && r + 1 < rows && c + 1 < columns)
                    after.areas[(size_t)(row + r) * (s->columns - 1) + column + c] = 7;
            }
        copy_out(&after, column, row, columns, rows, rect16, rect32, areas);
        ck_assert_int_eq(nav_heights_patch(h, column, row, columns, rows,
                                           s->format == NAV_HEIGHTS_16 ? (void *)rect16 : (void *)rect32,
                                           after.areas ? areas : NULL, &patched),
                         NAV_OK);
        ck_assert_int_eq(nav_heights_create(&after.spec, &whole), NAV_OK);
        ck_assert_uint_eq(nav_heights_block_count(patched), nav_heights_block_count(whole));
        for (uint32_t i = 0; i < nav_heights_block_count(whole); i++) {
            const nav_mesh *a = nav_heights_block(patched, i), *b = nav_heights_block(whole, i),
                           *old = nav_heights_block(h, i);
            ck_assert_msg(nav_key_equal(a->hash, b->hash), "terrain %d: block %u differs", number, i);
            ck_assert_msg((a == old) == nav_key_equal(a->hash, old->hash), "terrain %d: block %u is not shared", number,
                          i);
            *(a == old ? &shared_somewhere : &patched_somewhere) += 1;
            double min[2], max[2];
            ck_assert(nav_heights_difference(old, a, min, max));
            if (a == old) ck_assert(min[0] > max[0]);
        }
        nav_heights_destroy(h);
        nav_heights_destroy(patched);
        nav_heights_destroy(whole);
        free(rect16);
        free(rect32);
        free(areas);
        heights_world_deinit(&before);
    }
    ck_assert_int_gt(shared_somewhere, 10);
    ck_assert_int_gt(patched_somewhere, 60);
}
END_TEST

// Its own samples, in blocks and as one mesh, with and without what is far away.
START_TEST(a_tile_depends_on_the_samples_around_it_alone_and_not_on_blocks_elsewhere)
{
    uint32_t random = 5;
    heights_world w;
    nav_heights *h, *patched;
    nav_settings settings;
    nav_settings_default(&settings);
    do { // large enough for tiles elsewhere
        heights_world_init(&w, &random, 300);
        if (w.spec.columns > 200 && w.spec.rows > 200 && w.spec.spacing_m == 0.5) break;
        heights_world_deinit(&w);
    } while (true);
    w.spec.first_column = w.spec.first_row = 0;
    ck_assert_int_eq(nav_heights_create(&w.spec, &h), NAV_OK);
    uint16_t rect16[16] = {0};
    float rect32[16] = {0};
    const void *rect = w.spec.format == NAV_HEIGHTS_16 ? (void *)rect16 : (void *)rect32;
    ck_assert_int_eq(nav_heights_patch(h, 100, 100, 4, 4, rect, NULL, &patched), NAV_OK);
    const double low[2] = {99 * 0.5, 99 * 0.5}, high[2] = {104 * 0.5, 104 * 0.5};
    int32_t first[2], last[2];
    nav_tile_range(&settings, low, high, first, last);
    int same = 0, other = 0;
    for (int32_t z = 0; z < 6; z++)
        for (int32_t x = 0; x < 6; x++) {
            const nav_heights *both[2] = {h, patched};
            nav_key source_keys[2], content_keys[2];
            for (int k = 0; k < 2; k++) {
                nav_instance shown[16];
                double min[2], max[2];
                const float nowhere[3] = {0, 0, 0};
                nav_buffer bytes = {0};
                nav_counts counts;
                nav_tile_padded_bounds(&settings, x, z, min, max);
                nav_tile_source source = {.settings = &settings, .tile_x = x, .tile_z = z, .instances = shown};
                source.instance_count = nav_heights_show(both[k], nowhere, 63, min, max, shown, 16);
                ck_assert_uint_le(source.instance_count, 16);
                source_keys[k] = nav_tile_source_key(&source);
                make(NAV_LEVEL_BASE, false, &source, &bytes, &counts, &content_keys[k]);
                nav_buffer_deinit(&bytes);
            }
            bool touched = x >= first[0] && x <= last[0] && z >= first[1] && z <= last[1];
            same += !touched;
            other += touched;
            ck_assert_msg(nav_key_equal(content_keys[0], content_keys[1]) == !touched, "tile %d,%d", x, z);
            if (touched) ck_assert(!nav_key_equal(source_keys[0], source_keys[1]));
            if (x > 5) ck_assert(nav_key_equal(source_keys[0], source_keys[1])); // beyond the block
        }
    ck_assert_int_gt(same, 10);
    ck_assert_int_gt(other, 0);
    nav_heights_destroy(h);
    nav_heights_destroy(patched);
    heights_world_deinit(&w);
}
END_TEST

START_TEST(a_string_of_bytes_is_read_as_it_was_written)
{
    uint32_t random = 9;
    for (int number = 0; number < 20; number++) {
        heights_world w;
        heights_world_init(&w, &random, 20);
        const size_t samples = (size_t)w.spec.columns * w.spec.rows,
                     cells = (size_t)(w.spec.columns - 1) * (w.spec.rows - 1);
        size_t bytes = nav_heights_string_bytes(samples, cells, w.spec.format, w.areas != NULL);
        uint8_t *string = malloc(bytes), head[NAV_HEIGHTS_HEAD_BYTES];
        nav_heights_store(&w.spec, string);
        nav_heights_spec read;
        nav_heights_load_head(string, &read);
        nav_heights_store_head(&read, head);
        ck_assert(!memcmp(head, string, sizeof head));
        ck_assert_uint_eq(read.columns, w.spec.columns);
        ck_assert(read.spacing_m == w.spec.spacing_m);
        free(string);
        heights_world_deinit(&w);
    }
}
END_TEST

START_TEST(what_is_wrong_with_a_grid_is_said_with_its_value)
{
    const uint16_t samples[6] = {0};
    float floats[6] = {0, 1, 2, NAN, 4, 5};
    uint8_t areas[2] = {63, 200};
    const nav_heights_spec good = {.columns = 3, .rows = 2, .spacing_m = 1, .scale_m = 1, .samples = samples};
    char why[160];
    nav_mesh *mesh;
    ck_assert_int_eq(nav_heights_check(&good, 10, why, sizeof why), NAV_OK);
#define REFUSES(change, words)                                                                                         \
    do {                                                                                                               \
        nav_heights_spec s = good;                                                                                     \
        change;                                                                                                        \
        ck_assert_int_eq(nav_heights_check(&s, 10, why, sizeof why), NAV_ERR_ARGUMENT);                                \
        ck_assert_msg(strstr(why, words) != NULL, "%s", why);                                                          \
        ck_assert_int_eq(nav_mesh_create_heights(&s, &mesh), NAV_ERR_ARGUMENT);                                        \
    } while (0)
    REFUSES(s.columns = 1, "columns: 1 samples");
    REFUSES(s.rows = 99999, "rows: 99999");
    REFUSES(s.spacing_m = 0, "spacing_m: 0");
    REFUSES(s.spacing_m = NAN, "spacing_m");
    REFUSES(s.scale_m = INFINITY, "scale_m");
    REFUSES(s.offset_m = 1e9, "offset_m: 1e+09");
    REFUSES(s.diagonal = (nav_diagonal)9, "diagonal: 9");
    REFUSES(s.format = (nav_height_format)7, "format: 7");
    REFUSES((s.format = NAV_HEIGHTS_FLOAT, s.samples = floats), "sample 3 (column 0, row 1) is not finite");
    REFUSES(s.areas = areas, "the area of cell 1 (column 1, row 0) is 200");
#undef REFUSES
    nav_heights *h, *patched;
    ck_assert_int_eq(nav_heights_create(&good, &h), NAV_OK);
    ck_assert_int_eq(nav_heights_patch(h, 2, 0, 2, 1, samples, NULL, &patched), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_heights_patch(h, 0, 0, 0, 1, samples, NULL, &patched), NAV_ERR_ARGUMENT);
    ck_assert_ptr_null(patched);
    nav_heights_destroy(h);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("heights");
    TCase *t = tcase_create("heights");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, a_grid_gives_the_tiles_of_its_triangles_at_every_level, 0, 2);
    tcase_add_test(t, blocks_that_do_not_fit_give_the_tiles_of_their_triangles);
    tcase_add_test(t, a_patch_is_the_terrain_with_these_samples_and_shares_all_other_blocks);
    tcase_add_test(t, a_tile_depends_on_the_samples_around_it_alone_and_not_on_blocks_elsewhere);
    tcase_add_test(t, a_string_of_bytes_is_read_as_it_was_written);
    tcase_add_test(t, what_is_wrong_with_a_grid_is_said_with_its_value);
    return run_suite(s);
}
