// Paths and seams over tiles of all sheets: known shapes, live edits, and bytes that are refused.
#include "navcore/path.h"
#include "tests/check.h"
#include "tests/core/climb_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GRID_M = 0.001; // by which the tiles' grids may move a corner
static const float RADIUS = 0.5f;
static const double INSET_M = 0.02; // by which walls are kept away from by more than the radius

static climb_world world;
static scene shape;
static nav_climb_set *set;
static nav_climb_finder *finder;
static uint32_t seed;

static void setup(void)
{
    seed = 7;
    set = NULL;
    shape = (scene){0};
    ck_assert_int_eq(nav_climb_finder_create(&finder), NAV_OK);
}

static void teardown(void)
{
    nav_climb_finder_destroy(finder);
    nav_climb_set_destroy(set);
    climb_world_free(&world);
    scene_free(&shape);
}

static void build(int32_t tile_cells)
{
    const nav_settings settings = climb_world_settings(tile_cells, RADIUS);
    climb_world_build(&world, &shape, NULL, &settings);
    set = climb_world_set(&world);
}

static void put(nav_climb_set *to, const climb_tile *t)
{
    char why[256] = "";
    nav_status s = nav_climb_set_put(to, t->bytes.data, t->bytes.size, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
}

static double random_between(double low, double high)
{
    return low + (high - low) * (double)scene_random_between(&seed, 0, 1);
}

// A place on the surface of a box from 0 to size.
static void on_box(const double size[3], double out[3])
{
    uint32_t face = scene_random(&seed) % 6;
    for (uint32_t k = 0; k < 3; k++) out[k] = random_between(0.1, size[k] - 0.1);
    out[face / 2] = face % 2 ? size[face / 2] : 0;
}

static void check_audit(uint32_t pairs, double off_surface_m)
{
    nav_climb_audit a;
    ck_assert_int_eq(nav_climb_audit_run(finder, set, 5, pairs, NULL, NULL, &a), NAV_OK);
    ck_assert_uint_eq(a.pairs, pairs);
    ck_assert_uint_eq(a.wrong_part, 0);
    ck_assert_uint_eq(a.too_short, 0);
    ck_assert_uint_eq(a.limited, 0);
    ck_assert_uint_eq(a.found + a.unreachable, pairs);
    ck_assert_double_le(a.off_surface_m, off_surface_m);
    ck_assert_double_le(a.off_plane_m, 2 * off_surface_m);
}

START_TEST(a_square_is_one_part_without_seams)
{
    scene_floor(&shape, 0, 0, 40, 40, 1);
    build(32);
    ck_assert_uint_gt(nav_climb_set_tiles(set), 9);
    ck_assert_uint_eq(nav_climb_set_parts(set), 1);
    ck_assert_uint_eq(nav_climb_set_seams(set), 0);
    for (int i = 0; i < 50; i++) {
        double from[3] = {random_between(1, 39), 1, random_between(1, 39)};
        double to[3] = {random_between(1, 39), 1, random_between(1, 39)};
        nav_climb_path path = climb_world_find(finder, set, from, to);
        ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
        ck_assert_double_eq_tol(path.length_m, hypot(to[0] - from[0], to[2] - from[2]), 1e-5);
        ck_assert_uint_eq(path.point_count, 2);
        ck_assert_float_eq_tol(path.points[0].normal[1], 1, 1e-6f);
    }
}
END_TEST

START_TEST(over_a_box_paths_are_as_short_as_can_be)
{
    const double size[3] = {12, 7, 9};
    scene_box(&shape, 0, 0, 0, 12, 7, 9, 1, 0);
    build(_i);
    ck_assert_uint_eq(nav_climb_set_parts(set), 1);
    for (int i = 0; i < 100; i++) {
        double from[3], to[3];
        on_box(size, from);
        on_box(size, to);
        nav_climb_path path = climb_world_find(finder, set, from, to);
        double best = climb_world_box_judge(size, from, to);
        ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
        ck_assert_double_ge(path.length_m, best - 2 * GRID_M);
        ck_assert_msg(path.length_m <= best * 1.005 + 2 * GRID_M, "%g m of %g", path.length_m, best);
    }
    check_audit(100, GRID_M);
}
END_TEST

START_TEST(rims_are_seams_that_turn_away)
{
    nav_climb_seam *seams;
    double length = 0;
    scene_box(&shape, 0, 0, 0, 12, 7, 9, 1, 0);
    build(32);
    ck_assert_int_eq(nav_climb_set_list_seams(set, &seams), NAV_OK);
    for (uint32_t i = 0; i < nav_climb_set_seams(set); i++) {
        const nav_climb_side *a = &seams[i].sides[0], *b = &seams[i].sides[1];
        ck_assert_int_lt(a->sheet, b->sheet);
        ck_assert(!seams[i].strip);
        ck_assert_double_eq_tol(seams[i].turn_deg, -90, 0.1);
        ck_assert_double_le(vec_apart(vec_of_float(a->from), vec_of_float(b->to)), 0.01);
        ck_assert_double_le(vec_apart(vec_of_float(a->to), vec_of_float(b->from)), 0.01);
        length += seams[i].length_m;
    }
    ck_assert_double_eq_tol(length, 4 * (12 + 7 + 9), 0.05);
    free(seams);
}
END_TEST

START_TEST(inside_a_room_floors_meet_walls_at_the_radius)
{
    nav_climb_seam *seams;
    double length = 0, radius = (double)RADIUS;
    climb_world_room(&shape, 0, 0, 0, 12, 7, 9);
    build(32);
    ck_assert_uint_eq(nav_climb_set_parts(set), 1);
    ck_assert_int_eq(nav_climb_set_list_seams(set, &seams), NAV_OK);
    for (uint32_t i = 0; i < nav_climb_set_seams(set); i++) {
        ck_assert(seams[i].strip);
        ck_assert_double_eq_tol(seams[i].turn_deg, 90, 0.1);
        vec a = vec_of_float(seams[i].sides[0].from), b = vec_of_float(seams[i].sides[1].to);
        ck_assert_double_eq_tol(vec_apart(a, b), radius * sqrt(2), INSET_M);
        length += seams[i].length_m;
    }
    ck_assert_double_eq_tol(length, 4 * (12 + 7 + 9) - 24 * radius, 24 * INSET_M);
    free(seams);
    const double floor_at[3] = {6, 0, 4}, wall_at[3] = {12, 3, 4}, ceiling_at[3] = {6, 7, 4};
    nav_climb_path path = climb_world_find(finder, set, floor_at, wall_at);
    ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
    ck_assert_double_eq_tol(path.length_m, 6 - radius + radius * sqrt(2) + 3 - radius, INSET_M);
    ck_assert_uint_eq(path.point_count, 4);
    ck_assert(path.points[1].strip && !path.points[2].strip);
    ck_assert_int_eq(path.points[0].sheet, NAV_SHEET_UP);
    ck_assert_int_eq(path.points[2].sheet, NAV_SHEET_XMINUS);
    path = climb_world_find(finder, set, floor_at, ceiling_at); // by the nearest wall
    ck_assert_double_eq_tol(path.length_m, 2 * (4 - radius) + 2 * radius * sqrt(2) + 7 - 2 * radius, 2 * INSET_M);
    check_audit(100, GRID_M);
}
END_TEST

START_TEST(what_is_not_joined_is_another_part)
{
    const double from[3] = {5, 0, 5}, to[3] = {25, 0, 4};
    scene_floor(&shape, 0, 0, 10, 10, 0);
    scene_floor(&shape, 20, 0, 30, 10, 0);
    build(32);
    ck_assert_uint_eq(nav_climb_set_parts(set), 2);
    nav_climb_path path = climb_world_find(finder, set, from, to);
    ck_assert_int_eq(path.status, NAV_CLIMB_PARTIAL);
    ck_assert_uint_ne(path.from.part, path.to.part);
    const double *end = path.points[path.point_count - 1].at;
    ck_assert_double_eq_tol(end[0], 10, 0.51); // the ground's end, or its radius before
    ck_assert_double_eq_tol(end[2], 4, 1e-3);
    check_audit(60, GRID_M);
}
END_TEST

START_TEST(ends_are_found_by_place_normal_and_sheet)
{
    nav_climb_place place;
    nav_climb_near near = {.at = {6, 3.4, 4}, .near_m = 5};
    scene_box(&shape, 0, 0, 0, 12, 7, 9, 1, 0);
    build(32);
    ck_assert_int_eq(nav_climb_nearest(set, &near, &place), NAV_OK);
    ck_assert_int_eq(place.sheet, NAV_SHEET_DOWN);
    near.normal[1] = 2;
    ck_assert_int_eq(nav_climb_nearest(set, &near, &place), NAV_OK);
    ck_assert_int_eq(place.sheet, NAV_SHEET_UP);
    ck_assert_double_eq_tol(place.at[1], 7, GRID_M);
    ck_assert_double_eq_tol(place.normal[1], 1, 1e-6);
    near.sheets = 1u << NAV_SHEET_XPLUS;
    near.near_m = 50;
    ck_assert_int_eq(nav_climb_nearest(set, &near, &place), NAV_ERR_NOT_FOUND); // it looks elsewhere
    near.normal[1] = 0;
    ck_assert_int_eq(nav_climb_nearest(set, &near, &place), NAV_OK);
    ck_assert_int_eq(place.sheet, NAV_SHEET_XPLUS);
    near.near_m = 1;
    ck_assert_int_eq(nav_climb_nearest(set, &near, &place), NAV_ERR_NOT_FOUND);
    near.at[0] = NAN;
    ck_assert_int_eq(nav_climb_nearest(set, &near, &place), NAV_ERR_ARGUMENT);
    nav_climb_path path = climb_world_find(finder, set, (double[]){6, 3.4, 4}, (double[]){50, 50, 50});
    ck_assert_int_eq(path.status, NAV_CLIMB_NO_START);
    path = climb_world_find(finder, set, (double[]){6, 7, 4}, (double[]){50, 50, 50});
    ck_assert_int_eq(path.status, NAV_CLIMB_NO_GOAL);
    ck_assert_uint_eq(path.point_count, 0);
}
END_TEST

// --- Walks ---

static nav_climb_walked walk(const double from[3], const double along[3], double length)
{
    nav_climb_walk_query q = {.from = {.near_m = 1}, .length_m = length};
    nav_climb_walked w;
    memcpy(q.from.at, from, sizeof q.from.at);
    memcpy(q.direction, along, sizeof q.direction);
    ck_assert_int_eq(nav_climb_walk(finder, set, &q, &w), NAV_OK);
    ck_assert_int_eq(w.status, NAV_CLIMB_FOUND);
    return w;
}

START_TEST(a_walk_around_a_box_comes_back)
{
    const double from[3] = {6, 7, 4}, along[3] = {1, 0, 0};
    scene_box(&shape, 0, 0, 0, 12, 7, 9, 1, 0);
    build(32);
    nav_climb_walked w = walk(from, along, 2 * (12 + 7));
    ck_assert(!w.blocked);
    ck_assert_int_eq(w.end.sheet, NAV_SHEET_UP);
    ck_assert_double_eq_tol(w.length_m, 38, 1e-9);
    ck_assert_double_le(vec_apart(vec_of(w.end.at), vec_of(from)), 8 * GRID_M);
    ck_assert_double_eq_tol(w.direction[0], 1, 1e-3);
    w = walk(from, (double[]){1, 0, 1}, 5.5 * sqrt(2)); // over the rim of z+
    ck_assert_int_eq(w.end.sheet, NAV_SHEET_ZPLUS);
    ck_assert_double_eq_tol(w.end.at[0], 11.5, 2 * GRID_M);
    ck_assert_double_eq_tol(w.end.at[1], 6.5, 2 * GRID_M);
    w = walk(from, (double[]){1, 5, 1}, 7); // what points out of the surface does not count
    ck_assert_int_eq(w.end.sheet, NAV_SHEET_UP);
    ck_assert_double_eq_tol(w.end.at[0], 6 + 7 / sqrt(2), 1e-3);
    w = walk(from, (double[]){0, 0, 1}, 8);
    ck_assert_int_eq(w.end.sheet, NAV_SHEET_ZPLUS);
    ck_assert_double_eq_tol(w.end.at[1], 4, 2 * GRID_M);
    ck_assert_double_eq_tol(w.direction[1], -1, 1e-3);
}
END_TEST

START_TEST(a_walk_climbs_walls_and_ends_at_them)
{
    nav_climb_walk_query q = {.from = {.at = {6, 0, 4}, .near_m = 1}, .direction = {0, 1, 0}, .length_m = 1};
    nav_climb_walked w;
    double radius = (double)RADIUS;
    climb_world_room(&shape, 0, 0, 0, 12, 7, 9);
    build(32);
    w = walk((double[]){6, 0, 4}, (double[]){1, 0, 0}, 6 - radius + radius * sqrt(2) + 2);
    ck_assert(!w.blocked);
    ck_assert_int_eq(w.end.sheet, NAV_SHEET_XMINUS);
    ck_assert_double_eq_tol(w.end.at[1], radius + 2, INSET_M);
    ck_assert_double_eq_tol(w.direction[1], 1, 1e-3);
    ck_assert_int_eq(nav_climb_walk(finder, set, &q, &w), NAV_ERR_ARGUMENT); // along the normal
    nav_climb_set_destroy(set);
    scene_free(&shape);
    climb_world_free(&world);
    scene_floor(&shape, 0, 0, 20, 20, 0);
    build(32);
    w = walk((double[]){6, 0, 4}, (double[]){1, 0, 0}, 50);
    ck_assert(w.blocked);
    ck_assert_double_eq_tol(w.end.at[0], 20, radius + INSET_M);
    ck_assert_double_eq_tol(w.length_m, w.end.at[0] - 6, 1e-6);
    ck_assert_uint_eq(w.point_count, 2);
}
END_TEST

START_TEST(walks_over_hills_stay_on_them_and_are_as_long_as_told)
{
    climb_world_ball(&shape, 3, 10, 0.8, &seed);
    build(16);
    for (int i = 0; i < 60; i++) {
        double from[3], along[3], length = random_between(1, 60), sum = 0;
        for (int k = 0; k < 3; k++) {
            from[k] = random_between(-10, 10);
            along[k] = random_between(-1, 1);
        }
        nav_climb_walk_query q = {.from = {.near_m = 30}, .length_m = length};
        nav_climb_walked w;
        memcpy(q.from.at, from, sizeof from);
        memcpy(q.direction, along, sizeof along);
        ck_assert_int_eq(nav_climb_walk(finder, set, &q, &w), NAV_OK);
        ck_assert_msg(!w.blocked, "after %g of %g m", w.length_m, length);
        for (uint32_t k = 1; k < w.point_count; k++)
            sum += vec_apart(vec_of(w.points[k - 1].at), vec_of(w.points[k].at));
        ck_assert_double_eq_tol(sum, length, 0.02 * length);
        nav_climb_near near = {.near_m = 1};
        nav_climb_place place;
        memcpy(near.at, w.end.at, sizeof near.at);
        ck_assert_int_eq(nav_climb_nearest(set, &near, &place), NAV_OK);
        ck_assert_double_le(vec_apart(vec_of(place.at), vec_of(w.end.at)), 0.01);
    }
}
END_TEST

// --- Live edits ---

static const climb_tile *tile_of(const climb_world *w, nav_sheet sheet, int32_t x, int32_t z)
{
    for (uint32_t i = 0; i < w->count; i++)
        if (w->tile[i].sheet == sheet && w->tile[i].x == x && w->tile[i].z == z) return &w->tile[i];
    return NULL;
}

START_TEST(a_tile_that_goes_and_comes_back_is_joined_anew)
{
    const double from[3] = {2, 0, 4}, to[3] = {26, 0, 4};
    scene_floor(&shape, 0, 0, 28.8f, 9.6f, 0);
    build(32); // 9.6 m: three tiles
    size_t bytes = nav_climb_set_bytes(set);
    ck_assert_uint_eq(nav_climb_set_parts(set), 1);
    nav_climb_set_drop(set, NAV_SHEET_UP, 1, 0);
    ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
    ck_assert_uint_eq(nav_climb_set_parts(set), 2);
    ck_assert_uint_lt(nav_climb_set_bytes(set), bytes);
    ck_assert_int_eq(climb_world_find(finder, set, from, to).status, NAV_CLIMB_PARTIAL);
    put(set, tile_of(&world, NAV_SHEET_UP, 1, 0));
    ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
    ck_assert_uint_eq(nav_climb_set_parts(set), 1);
    ck_assert_uint_eq(nav_climb_set_bytes(set), bytes);
    ck_assert_double_eq_tol(climb_world_find(finder, set, from, to).length_m, 24, 1e-5);
}
END_TEST

START_TEST(an_edited_tile_leads_around_what_stands_there)
{
    const double from[3] = {2, 0, 4.8}, to[3] = {26, 0, 4.8};
    const nav_settings settings = climb_world_settings(32, RADIUS);
    climb_world edited;
    scene wall = {0};
    scene_floor(&shape, 0, 0, 28.8f, 9.6f, 0);
    build(32);
    scene_floor(&wall, 0, 0, 28.8f, 9.6f, 0);
    scene_box(&wall, 13, -1, 3, 15, 8, 7, 1, 0);
    climb_world_build(&edited, &wall, NULL, &settings);
    put(set, tile_of(&edited, NAV_SHEET_UP, 1, 0)); // without the wall's sides: they would be climbed
    ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
    nav_climb_path path = climb_world_find(finder, set, from, to);
    ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
    // By corners that are cut round at the radius: two straight lines, and the arcs between them.
    ck_assert_double_ge(path.length_m, 2 * hypot(11, 2.2 - (double)RADIUS / 2));
    ck_assert_double_le(path.length_m, 2 * hypot(10.5, 2.7) + 3);
    climb_world_free(&edited);
    scene_free(&wall);
}
END_TEST

static void expect_same_seams(const nav_climb_set *a, const nav_climb_set *b)
{
    nav_climb_seam *p, *q;
    uint32_t count = nav_climb_set_seams(a);
    ck_assert_uint_eq(count, nav_climb_set_seams(b));
    ck_assert_int_eq(nav_climb_set_list_seams(a, &p), NAV_OK);
    ck_assert_int_eq(nav_climb_set_list_seams(b, &q), NAV_OK);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert(p[i].length_m == q[i].length_m && p[i].turn_deg == q[i].turn_deg && p[i].strip == q[i].strip);
        for (int side = 0; side < 2; side++) {
            const nav_climb_side *s = &p[i].sides[side], *t = &q[i].sides[side];
            ck_assert(s->sheet == t->sheet && s->tile_x == t->tile_x && s->tile_z == t->tile_z && s->cell == t->cell);
            ck_assert(!memcmp(s->from, t->from, sizeof s->from) && !memcmp(s->to, t->to, sizeof s->to));
        }
    }
    free(p);
    free(q);
}

static void expect_same_paths(const nav_climb_set *a, const nav_climb_set *b, int pairs)
{
    nav_climb_finder *other;
    ck_assert_int_eq(nav_climb_finder_create(&other), NAV_OK);
    for (int i = 0; i < pairs; i++) {
        double from[3], to[3];
        for (int k = 0; k < 3; k++) {
            from[k] = random_between(-11, 11);
            to[k] = random_between(-11, 11);
        }
        nav_climb_query q = {.from = {.near_m = 30}, .to = {.near_m = 30}};
        nav_climb_path p, r;
        memcpy(q.from.at, from, sizeof from);
        memcpy(q.to.at, to, sizeof to);
        ck_assert_int_eq(nav_climb_find(finder, a, &q, &p), NAV_OK);
        ck_assert_int_eq(nav_climb_find(other, b, &q, &r), NAV_OK);
        ck_assert_int_eq(p.status, r.status);
        ck_assert_uint_eq(p.point_count, r.point_count);
        ck_assert(p.length_m == r.length_m);
        for (uint32_t k = 0; k < p.point_count; k++) {
            ck_assert(!memcmp(p.points[k].at, r.points[k].at, sizeof p.points[k].at));
            ck_assert_int_eq(p.points[k].sheet, r.points[k].sheet);
        }
    }
    nav_climb_finder_destroy(other);
}

START_TEST(whatever_came_and_went_the_answers_are_those_of_a_fresh_set)
{
    bool in[CLIMB_WORLD_TILES];
    nav_climb_set *fresh;
    climb_world_ball(&shape, 3, 10, 0.8, &seed);
    build(16);
    for (uint32_t i = 0; i < world.count; i++) in[i] = true;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 60; i++) {
            uint32_t t = scene_random(&seed) % world.count;
            in[t] = scene_random(&seed) % 2; // or it stays, or is put once more
            if (in[t])
                put(set, &world.tile[t]);
            else
                nav_climb_set_drop(set, world.tile[t].sheet, world.tile[t].x, world.tile[t].z);
            if (i % 7 == 0) ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
        }
        ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
        ck_assert_int_eq(nav_climb_set_create(NAV_CLIMB_INNER_DEG, &fresh), NAV_OK);
        for (uint32_t i = world.count; i-- > 0;)
            if (in[i]) put(fresh, &world.tile[i]);
        ck_assert_int_eq(nav_climb_set_join(fresh), NAV_OK);
        ck_assert_uint_eq(nav_climb_set_tiles(set), nav_climb_set_tiles(fresh));
        ck_assert_uint_eq(nav_climb_set_parts(set), nav_climb_set_parts(fresh));
        expect_same_seams(set, fresh);
        expect_same_paths(set, fresh, 30);
        nav_climb_set_destroy(fresh);
    }
}
END_TEST

// --- What is refused ---

START_TEST(broken_and_foreign_tiles_are_refused_and_change_nothing)
{
    char why[256] = "";
    climb_world other;
    scene_box(&shape, 0, 0, 0, 12, 7, 9, 1, 0);
    build(32);
    uint32_t seams = nav_climb_set_seams(set);
    const nav_buffer *b = &world.tile[0].bytes;
    for (size_t n = 0; n < b->size; n++) {
        uint8_t *part = malloc(n + 1);
        memcpy(part, b->data, n);
        ck_assert_int_ne(nav_climb_set_put(set, part, n, why, sizeof why), NAV_OK);
        free(part);
    }
    for (int i = 0; i < 2000; i++) { // whatever is taken must be joined without harm
        uint8_t *bytes = malloc(b->size);
        memcpy(bytes, b->data, b->size);
        for (int k = 0; k < 3; k++) bytes[scene_random(&seed) % b->size] ^= (uint8_t)scene_random(&seed);
        nav_status s = nav_climb_set_put(set, bytes, b->size, NULL, 0);
        if (s == NAV_OK) ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
        free(bytes);
    }
    nav_climb_set_destroy(set);
    set = climb_world_set(&world);
    const nav_settings settings = climb_world_settings(32, 0.25f);
    climb_world_build(&other, &shape, NULL, &settings);
    ck_assert_int_eq(nav_climb_set_put(set, other.tile[0].bytes.data, other.tile[0].bytes.size, why, sizeof why),
                     NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "of another grid or agent"));
    ck_assert_uint_eq(nav_climb_set_seams(set), seams);
    climb_world_free(&other);
}
END_TEST

START_TEST(path_sets_send_other_sheets_here)
{
    nav_path_set *paths;
    char why[256] = "";
    scene_box(&shape, 0, 0, 0, 12, 7, 9, 1, 0);
    build(64);
    const climb_tile *wall = &world.tile[0];
    while (wall->sheet != NAV_SHEET_XPLUS) wall++;
    ck_assert_int_eq(nav_path_set_create(&paths), NAV_OK);
    ck_assert_int_eq(nav_path_set_put(paths, wall->bytes.data, wall->bytes.size, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(why, "navcore/climb.h") && strstr(why, "sheet x+"), "%s", why);
    nav_path_set_destroy(paths);
}
END_TEST

static bool stop_at_once(void *user)
{
    ++*(int *)user;
    return true;
}

START_TEST(a_search_ends_where_it_is_told_to)
{
    int asked = 0;
    nav_climb_path path;
    nav_climb_query q = {.from = {.at = {0, 10, 0}, .near_m = 10}, .to = {.at = {0, -10, 0}, .near_m = 10}};
    climb_world_ball(&shape, 3, 10, 0.5, &seed);
    build(32);
    q.max_nodes = 10;
    ck_assert_int_eq(nav_climb_find(finder, set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, NAV_CLIMB_LIMIT);
    q.max_nodes = 0;
    q.stop = stop_at_once;
    q.user = &asked;
    ck_assert_int_eq(nav_climb_find(finder, set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, NAV_CLIMB_LIMIT);
    ck_assert_int_eq(asked, 1);
    q.stop = NULL;
    ck_assert_int_eq(nav_climb_find(finder, set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
}
END_TEST

START_TEST(a_set_without_tiles_has_no_surface)
{
    nav_climb_audit a;
    ck_assert_int_eq(nav_climb_set_create(0, &set), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_climb_set_create(180, &set), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_climb_set_create(90, &set), NAV_OK);
    ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
    ck_assert_int_eq(climb_world_find(finder, set, (double[3]){0}, (double[3]){0}).status, NAV_CLIMB_NO_START);
    ck_assert_int_eq(nav_climb_audit_run(finder, set, 1, 10, NULL, NULL, &a), NAV_OK);
    ck_assert_uint_eq(a.pairs, 0);
    ck_assert_uint_eq(nav_climb_set_parts(set), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("climb");
    TCase *c = tcase_create("climb");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_square_is_one_part_without_seams);
    tcase_add_loop_test(c, over_a_box_paths_are_as_short_as_can_be, 16, 18);
    tcase_add_test(c, rims_are_seams_that_turn_away);
    tcase_add_test(c, inside_a_room_floors_meet_walls_at_the_radius);
    tcase_add_test(c, what_is_not_joined_is_another_part);
    tcase_add_test(c, ends_are_found_by_place_normal_and_sheet);
    tcase_add_test(c, a_walk_around_a_box_comes_back);
    tcase_add_test(c, a_walk_climbs_walls_and_ends_at_them);
    tcase_add_test(c, walks_over_hills_stay_on_them_and_are_as_long_as_told);
    tcase_add_test(c, a_tile_that_goes_and_comes_back_is_joined_anew);
    tcase_add_test(c, an_edited_tile_leads_around_what_stands_there);
    tcase_add_test(c, whatever_came_and_went_the_answers_are_those_of_a_fresh_set);
    tcase_add_test(c, broken_and_foreign_tiles_are_refused_and_change_nothing);
    tcase_add_test(c, path_sets_send_other_sheets_here);
    tcase_add_test(c, a_search_ends_where_it_is_told_to);
    tcase_add_test(c, a_set_without_tiles_has_no_surface);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
