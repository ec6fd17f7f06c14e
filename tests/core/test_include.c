// Include volumes: what is left of a tile is its ground without them, cut off column by column, at every level and by
// the plain twins; neighbours agree; a tile that none touches costs nothing.
#include "core/levels.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"
#include "tests/golden/worlds.h"

#include <string.h>

enum { WORLDS = 4, PLACES = 4, INCLUDES = 2 };

// A world and two include volumes somewhere in it: a triangle through all heights, and a lower box.
typedef struct bounded {
    golden_world world;
    nav_volume volumes[3 + INCLUDES];
} bounded;

static void bounded_init(bounded *b, int world, int place)
{
    uint32_t random = 77 + (uint32_t)(16 * world + place);
    golden_world_init(&b->world, world);
    memcpy(b->volumes, b->world.volumes, sizeof b->world.volumes);
    const nav_settings *s = &b->world.settings;
    float side = s->cell_size_m * (float)s->tile_cells;
    float width = side * (float)b->world.tiles_x, depth = side * (float)b->world.tiles_z;
    nav_volume *v = &b->volumes[b->world.volume_count];
    v[0] = (nav_volume){.point_count = 3, .min_y = -1000, .max_y = 1000, .include = 1};
    v[1] = (nav_volume){.point_count = 4, .min_y = -1000, .max_y = 2, .include = 1};
    float x = scene_random_between(&random, 0, width * 0.5f), z = scene_random_between(&random, 0, depth * 0.5f);
    const float corners[6] = {x, z, x + width * 0.3f, z + depth * 0.1f, x + width * 0.05f, z + depth * 0.45f};
    memcpy(v[0].points, corners, sizeof corners);
    x = scene_random_between(&random, 0, width * 0.6f), z = scene_random_between(&random, 0, depth * 0.6f);
    const float box[8] = {x, z, x, z + depth * 0.2f, x + width * 0.4f, z + depth * 0.2f, x + width * 0.4f, z};
    memcpy(v[1].points, box, sizeof box);
    char why[200] = "";
    for (int i = 0; i < INCLUDES; i++) ck_assert_msg(nav_volume_check(&v[i], why, sizeof why) == NAV_OK, "%s", why);
}

static nav_tile_source source_of(const bounded *b, int32_t x, int32_t z, bool with_includes)
{
    nav_tile_source s = golden_world_source(&b->world, x, z);
    s.volumes = b->volumes;
    s.volume_count = b->world.volume_count + (with_includes ? INCLUDES : 0);
    return s;
}

// By the formula of the documents, in the grid of the world.
static bool is_inside(const nav_volume *v, const nav_config *c, int32_t column, int32_t floor, int32_t width)
{
    double x = ((double)(c->first_column_x + column % width) + 0.5) * c->cell_size_m + c->origin_m[0];
    double z = ((double)(c->first_column_z + column / width) + 0.5) * c->cell_size_m + c->origin_m[2];
    double y = floor * c->cell_height_m + c->origin_m[1];
    bool left = false, right = false;
    for (uint32_t i = 0; i < v->point_count; i++) {
        const float *p = v->points + 2 * i, *q = v->points + 2 * ((i + 1) % v->point_count);
        double side =
            ((double)q[0] - (double)p[0]) * (z - (double)p[1]) - ((double)q[1] - (double)p[1]) * (x - (double)p[0]);
        left |= side > 0;
        right |= side < 0;
    }
    return !(left && right) && y >= (double)v->min_y && y <= (double)v->max_y;
}

// The spans of `whole` that are inside, one after the other, must be those of `cut`. Returns how many were outside.
static int32_t compare(const bounded *b, const nav_tile *whole, const nav_tile *cut)
{
    const nav_compact_heightfield *f = &whole->field, *g = &cut->field;
    const nav_volume *includes = &b->volumes[b->world.volume_count];
    int32_t at = 0, outside = 0;
    for (int32_t i = 0; i < f->span_count; i++) {
        bool in = false;
        for (int k = 0; k < INCLUDES; k++)
            in |= is_inside(&includes[k], &whole->config, f->column[i], f->floor[i], f->width);
        outside += !in;
        if (!in) continue;
        ck_assert_int_lt(at, g->span_count);
        ck_assert_int_eq(g->column[at], f->column[i]);
        ck_assert_int_eq(g->floor[at], f->floor[i]);
        ck_assert_uint_eq(g->area[at], f->area[i]);
        at++;
    }
    ck_assert_int_eq(at, g->span_count);
    return outside;
}

static void build(nav_level level, bool plain, const nav_tile_source *s, nav_arena *arena, nav_tile *out)
{
    const nav_hooks hooks = {.plain = plain};
    nav_arena_reset(arena);
    ck_assert_int_eq(nav_build_at(level)(s, NULL, &hooks, arena, out), NAV_OK);
}

START_TEST(ground_is_what_stands_inside_at_every_level)
{
    bounded b;
    nav_arena one, two;
    nav_tile whole, cut;
    int32_t inside = 0, outside = 0;
    nav_arena_init(&one, 0);
    nav_arena_init(&two, 0);
    bounded_init(&b, _i / PLACES, _i % PLACES);
    for (int level = 0; level < NAV_LEVEL_COUNT; level++)
        for (int plain = 0; plain < 2 && nav_build_at((nav_level)level); plain++)
            for (int32_t t = 0; t < b.world.tiles_x * b.world.tiles_z; t++) {
                int32_t x = t % b.world.tiles_x, z = t / b.world.tiles_x;
                nav_tile_source s = source_of(&b, x, z, false);
                build((nav_level)level, plain, &s, &one, &whole);
                s = source_of(&b, x, z, true);
                build((nav_level)level, plain, &s, &two, &cut);
                if (whole.field.span_count) outside += compare(&b, &whole, &cut);
                inside += cut.field.span_count;
            }
    ck_assert_int_gt(inside, 0);
    ck_assert_int_gt(outside, 0);
    nav_arena_deinit(&one);
    nav_arena_deinit(&two);
    golden_world_deinit(&b.world);
}
END_TEST

START_TEST(neighbours_agree_where_an_include_volume_crosses_their_border)
{
    bounded b;
    nav_arena one, two;
    nav_tile here, there;
    int32_t points = 0;
    nav_arena_init(&one, 0);
    nav_arena_init(&two, 0);
    bounded_init(&b, _i / PLACES, _i % PLACES);
    for (int32_t t = 0; t < b.world.tiles_x * b.world.tiles_z; t++)
        for (int side = 0; side < 2; side++) {
            int32_t x = t % b.world.tiles_x, z = t / b.world.tiles_x;
            nav_tile_source s = source_of(&b, x, z, true);
            build(nav_level_best(), false, &s, &one, &here);
            s = source_of(&b, x + !side, z + side, true);
            build(nav_level_best(), false, &s, &two, &there);
            border_line p = border_line_of(&here, side ? NAV_EDGE_PORTAL_ZMAX : NAV_EDGE_PORTAL_XMAX);
            border_line q = border_line_of(&there, side ? NAV_EDGE_PORTAL_ZMIN : NAV_EDGE_PORTAL_XMIN);
            ck_assert_msg(border_difference(&p, &q) == 0, "%s: tile %d,%d side %d differs in %d points", b.world.name,
                          x, z, side, border_difference(&p, &q));
            points += p.count;
            border_line_free(&p);
            border_line_free(&q);
        }
    ck_assert_int_gt(points, 0);
    nav_arena_deinit(&one);
    nav_arena_deinit(&two);
    golden_world_deinit(&b.world);
}
END_TEST

// A volume as wide as the world leaves the ground as it was: its edge takes nothing away.
START_TEST(the_edge_of_an_include_volume_is_not_eroded)
{
    bounded b;
    nav_arena one, two;
    nav_tile whole, cut;
    nav_arena_init(&one, 0);
    nav_arena_init(&two, 0);
    bounded_init(&b, 0, 0);
    const nav_settings *set = &b.world.settings;
    float side = set->cell_size_m * (float)set->tile_cells;
    nav_volume *v = &b.volumes[b.world.volume_count];
    for (int k = 0; k < INCLUDES; k++) { // side by side, with a common edge in the middle of the tile
        float from = k ? side / 2 : -side, to = k ? 2 * side : side / 2;
        v[k] = (nav_volume){.point_count = 4, .min_y = -1000, .max_y = 1000, .include = 1};
        const float box[8] = {from, -side, from, 2 * side, to, 2 * side, to, -side};
        memcpy(v[k].points, box, sizeof box);
    }
    nav_tile_source s = source_of(&b, 0, 0, false);
    build(nav_level_best(), false, &s, &one, &whole);
    s = source_of(&b, 0, 0, true);
    build(nav_level_best(), false, &s, &two, &cut);
    ck_assert_int_gt(whole.field.span_count, 0);
    ck_assert_int_eq(cut.field.span_count, whole.field.span_count);
    ck_assert_int_eq(cut.polygons.count, whole.polygons.count);
    ck_assert(!nav_key_equal(cut.content_key, whole.content_key));
    nav_arena_deinit(&one);
    nav_arena_deinit(&two);
    golden_world_deinit(&b.world);
}
END_TEST

START_TEST(a_tile_that_no_include_volume_touches_has_no_ground_and_one_key)
{
    bounded b;
    nav_arena one;
    nav_tile tile;
    nav_arena_init(&one, 0);
    bounded_init(&b, 0, 0);
    nav_tile_source s = source_of(&b, 0, 0, false);
    nav_key open = nav_tile_source_key(&s);
    ck_assert(!nav_tile_is_left_out(&s));
    s.bounded = true;
    nav_key shut = nav_tile_source_key(&s);
    ck_assert(nav_tile_is_left_out(&s));
    ck_assert(!nav_key_equal(open, shut));
    build(nav_level_best(), false, &s, &one, &tile);
    ck_assert_uint_eq(tile.counts.triangles, 0);
    ck_assert_int_eq(tile.polygons.count, 0);
    nav_key content = tile.content_key;
    s.instance_count = s.volume_count = 0; // they are of no use to it
    ck_assert(nav_key_equal(nav_tile_source_key(&s), shut));
    build(nav_level_best(), false, &s, &one, &tile);
    ck_assert(nav_key_equal(tile.content_key, content));
    // One far away says the same as the flag.
    nav_volume far = {.point_count = 3, .points = {900, 900, 901, 900, 900, 901}, .max_y = 1, .include = 1};
    s.bounded = false;
    s.volumes = &far;
    s.volume_count = 1;
    ck_assert(nav_key_equal(nav_tile_source_key(&s), shut));
    build(nav_level_best(), false, &s, &one, &tile);
    ck_assert(nav_key_equal(tile.content_key, content));
    nav_arena_deinit(&one);
    golden_world_deinit(&b.world);
}
END_TEST

START_TEST(the_area_of_an_include_volume_counts_for_nothing)
{
    nav_volume v = {.point_count = 3, .points = {0, 0, 1, 0, 0, 1}, .max_y = 1, .include = 1}, w = v;
    char why[200];
    w.area = 5;
    ck_assert(nav_key_equal(nav_volume_key(&v), nav_volume_key(&w)));
    w.include = 0;
    ck_assert(!nav_key_equal(nav_volume_key(&v), nav_volume_key(&w)));
    w.area = 0;
    ck_assert(!nav_key_equal(nav_volume_key(&v), nav_volume_key(&w)));
    w.include = 2;
    ck_assert_int_eq(nav_volume_check(&w, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(why, "a volume's include is 2, but must be 0 or 1");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("include");
    TCase *t = tcase_create("include");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, ground_is_what_stands_inside_at_every_level, 0, WORLDS * PLACES);
    tcase_add_loop_test(t, neighbours_agree_where_an_include_volume_crosses_their_border, 0, WORLDS * PLACES);
    tcase_add_test(t, the_edge_of_an_include_volume_is_not_eroded);
    tcase_add_test(t, a_tile_that_no_include_volume_touches_has_no_ground_and_one_key);
    tcase_add_test(t, the_area_of_an_include_volume_counts_for_nothing);
    return run_suite(s);
}
