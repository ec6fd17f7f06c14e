// What an edit marks in a world whose agent stands on walls and ceilings, and what a tile of a wall is made from: what
// reaches into its column of the world, along whichever axis that lies, and nothing else.
#include "daemon/base/thread.h"
#include "daemon/world/profile_change.h"
#include "daemon/world/profiles.h"
#include "daemon/world/snapshot.h"
#include "daemon/world/world.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

enum { REACH = 8 }; // tiles that are looked at lie this far around the origin

static nd_world *w;
static nd_mesh_store meshes;
static nd_namespace space;
static nav_key crate;
static nd_world_limits limits;
static uint32_t all_of_it; // slots: of "climber" by sheet
static uint32_t slot_of[NAV_SHEET_COUNT];

static nav_settings climber(uint32_t sheets)
{
    nav_settings s;
    nav_settings_default(&s);
    s.cell_size_m = 0.5f;
    s.tile_cells = 20; // 10 m
    s.agent_radius_m = 0.5f;
    s.generator = sheets == NAV_SHEETS_UP ? NAV_GENERATOR_VOXEL : NAV_GENERATOR_SURFACE;
    s.sheets = sheets;
    s.sheet = nav_sheets_first(sheets);
    return s;
}

static void add_profile(const char *name, uint32_t sheets)
{
    const np_profile p = {.name = np_str_of(name), .settings = climber(sheets)};
    np_error err;
    nav_status s = nd_world_add_profiles(w, &p, 1, &limits, 0, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
}

static void find_slots(void)
{
    all_of_it = 0;
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        slot_of[s] = nd_world_find_sheet(w, np_str_of("climber"), (nav_sheet)s);
        if (slot_of[s] != UINT32_MAX) all_of_it++;
    }
}

static void start(void)
{
    static const float verts[24] = {-1, -1, -1, 1, -1, -1, 1, -1, 1, -1, -1, 1, -1, 1, -1, 1, 1, -1, 1, 1, 1, -1, 1, 1};
    static const uint32_t tris[36] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 4, 5, 0, 5, 1,
                                      1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    static const double origin[3] = {1, 2.5, -4};
    nav_mesh *m;
    nd_mesh *kept;
    nd_thread_set_loop(true);
    limits = (nd_world_limits){.max_objects = 1000,
                               .max_all_objects = UINT64_MAX,
                               .max_edit_tiles = 100000,
                               .max_tiles = 100000,
                               .max_new_tiles = UINT64_MAX,
                               .max_profiles = 3,
                               .interactive_tiles = 256};
    nd_mesh_store_init(&meshes, 1 << 20);
    ck_assert_int_eq(nav_mesh_create(verts, 8, tris, 12, &m), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&meshes, m, &kept), NAV_OK);
    ck_assert_int_eq(nd_mesh_show(kept, &space), NAV_OK);
    crate = kept->mesh->hash;
    ck_assert_int_eq(nd_world_create(1, &space, np_str_of("w"), origin, &w), NAV_OK);
    add_profile("climber", NAV_SHEETS_ALL);
    find_slots();
}

static void stop(void)
{
    nd_world_destroy(w);
    nd_mesh_store_deinit(&meshes);
}

// A crate of 2 m around a place.
static np_op crate_at(uint64_t id, const float at[3])
{
    return (np_op){
        .kind = NP_OP_PUT_INSTANCE,
        .id = id,
        .u.instance = {.mesh = crate, .transform = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]}, .area = 63}};
}

static nav_status edit(const np_op *ops, uint32_t count, np_error *err)
{
    uint32_t dirty;
    np_error none;
    const np_world_edit_request r = {.world = 1, .op_count = count, .ops = ops};
    return nd_world_edit(w, &meshes, &limits, NULL, &r, 0, &dirty, err ? err : &none);
}

static void settle_all(void)
{
    for (int c = 0; c < ND_CLASSES; c++)
        for (nd_tile *t; (t = nd_scheduler_next(&w->scheduler, (nd_class)c, false));)
            nd_scheduler_settle(&w->scheduler, t);
}

// Does a box of the world reach into the column of a tile? By all of the box's corners, one by one.
static bool reaches(nav_sheet sheet, int32_t x, int32_t z, const double min[3], const double max[3])
{
    const nav_settings *s = &w->profiles[slot_of[sheet]].wire.settings;
    double from[2], to[2], low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    nav_tile_padded_bounds(s, x, z, from, to);
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = corner >> k & 1 ? max[k] : min[k];
        nav_sheet_to_frame(sheet, at, at);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    return low[0] <= to[0] && high[0] >= from[0] && low[2] <= to[1] && high[2] >= from[1];
}

static bool any_reaches(nav_sheet sheet, int32_t x, int32_t z, const float (*places)[3], int count)
{
    bool found = false;
    for (int i = 0; i < count; i++) {
        double min[3], max[3];
        for (int k = 0; k < 3; k++) min[k] = (double)places[i][k] - 1, max[k] = (double)places[i][k] + 1;
        found |= reaches(sheet, x, z, min, max);
    }
    return found;
}

// May a tile have ground of a crate: does that overlap its own sides, without the padding?
static bool overlaps(nav_sheet sheet, int32_t x, int32_t z, const float place[3])
{
    const nav_settings *s = &w->profiles[slot_of[sheet]].wire.settings;
    const double side_m = (double)s->cell_size_m * s->tile_cells;
    double at[3] = {(double)place[0], (double)place[1], (double)place[2]}, origin[3];
    nav_sheet_to_frame(sheet, at, at);
    nav_sheet_to_frame(sheet, s->origin_m, origin);
    return at[0] + 1 > origin[0] + x * side_m && at[0] - 1 < origin[0] + (x + 1) * side_m &&
           at[2] + 1 > origin[2] + z * side_m && at[2] - 1 < origin[2] + (z + 1) * side_m;
}

static bool any_overlaps(nav_sheet sheet, int32_t x, int32_t z, const float (*places)[3], int count)
{
    bool found = false;
    for (int i = 0; i < count; i++) found |= overlaps(sheet, x, z, places[i]);
    return found;
}

// Of every sheet there are the tiles that may have ground of one of the crates that are, or were, at all places. Those
// are queued into whose column one of the first `count` reaches.
static void must_be_queued(const float (*places)[3], int count, int all)
{
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        int queued = 0;
        for (int32_t z = -REACH; z < REACH; z++)
            for (int32_t x = -REACH; x < REACH; x++) {
                const nd_tile *t = nd_scheduler_find(&w->scheduler, slot_of[s], x, z);
                const bool is_queued = t && t->state == ND_TILE_QUEUED;
                queued += is_queued;
                const bool is_there = any_overlaps((nav_sheet)s, x, z, places, all);
                ck_assert_msg((t != NULL) == is_there, "sheet %s, tile %d, %d: %d", nav_sheet_name((nav_sheet)s), x, z,
                              t != NULL);
                ck_assert_msg(is_queued == (is_there && any_reaches((nav_sheet)s, x, z, places, count)),
                              "sheet %s, tile %d, %d: %d", nav_sheet_name((nav_sheet)s), x, z, is_queued);
            }
        ck_assert_int_ge(queued, count ? 1 : 0);
    }
}

START_TEST(an_edit_marks_what_it_touches_in_every_sheet_and_nothing_else)
{
    static const float places[3][3] = {{14, 22, -31}, {-26, -9, 18}, {17, 26, 50}};
    const np_op put = crate_at(1, places[0]), put_other = crate_at(2, places[2]);
    np_op move = crate_at(1, places[1]);
    move.kind = NP_OP_MOVE_INSTANCE;
    ck_assert_uint_eq(all_of_it, NAV_SHEET_COUNT);
    ck_assert_int_eq(edit(&put, 1, NULL), NAV_OK);
    must_be_queued(places, 1, 1);
    ck_assert_int_eq(edit(&put_other, 1, NULL), NAV_OK);
    settle_all();
    ck_assert_int_eq(edit(&move, 1, NULL), NAV_OK);
    must_be_queued(places, 2, 3);
}
END_TEST

START_TEST(a_move_along_one_axis_leaves_walls_across_it_where_they_are)
{
    static const float low[1][3] = {{5, 5, 5}}, both[2][3] = {{5, 5, 5}, {5, 45, 5}};
    const np_op put = crate_at(1, low[0]);
    np_op move = crate_at(1, both[1]);
    move.kind = NP_OP_MOVE_INSTANCE;
    ck_assert_int_eq(edit(&put, 1, NULL), NAV_OK);
    settle_all();
    const size_t before = w->scheduler.progress[slot_of[NAV_SHEET_UP]].tiles;
    const size_t walls = w->scheduler.progress[slot_of[NAV_SHEET_XPLUS]].tiles;
    ck_assert_int_eq(edit(&move, 1, NULL), NAV_OK);
    must_be_queued(both, 2, 2);
    ck_assert_uint_eq(w->scheduler.progress[slot_of[NAV_SHEET_UP]].tiles, before);
    ck_assert_uint_gt(w->scheduler.progress[slot_of[NAV_SHEET_XPLUS]].tiles, walls);
}
END_TEST

START_TEST(a_tile_is_made_from_what_reaches_into_its_column)
{
    enum { CRATES = 60 };
    static float places[CRATES][3];
    np_op ops[CRATES];
    nd_view v = {0};
    uint32_t random = 7;
    for (int i = 0; i < CRATES; i++) {
        for (int k = 0; k < 3; k++) {
            random = random * 1664525 + 1013904223;
            places[i][k] = (float)(random >> 16) / 65536 * 120 - 60;
        }
        ops[i] = crate_at((uint64_t)i + 1, places[i]);
    }
    ck_assert_int_eq(edit(ops, CRATES, NULL), NAV_OK);
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        for (int32_t z = -3; z < 3; z++)
            for (int32_t x = -3; x < 3; x++) {
                uint32_t expected = 0;
                for (int i = 0; i < CRATES; i++) expected += any_reaches((nav_sheet)s, x, z, &places[i], 1);
                if (!any_overlaps((nav_sheet)s, x, z, places, CRATES)) expected = 0; // no ground: the tile goes
                ck_assert_int_eq(nd_view_collect(&v, w, slot_of[s], x, z), NAV_OK);
                ck_assert_uint_eq(v.source.instance_count, expected);
                ck_assert_int_eq(v.settings.sheet, s);
            }
    nd_view_deinit(&v);
}
END_TEST

START_TEST(a_profile_that_comes_later_has_the_same_tiles)
{
    enum { CRATES = 20 };
    np_op ops[CRATES];
    for (int i = 0; i < CRATES; i++)
        ops[i] = crate_at((uint64_t)i + 1, (const float[3]){(float)(7 * i) - 60, (float)(i * i % 37), (float)(-3 * i)});
    ck_assert_int_eq(edit(ops, CRATES, NULL), NAV_OK);
    size_t tiles[NAV_SHEET_COUNT];
    for (int s = 0; s < NAV_SHEET_COUNT; s++) tiles[s] = w->scheduler.progress[slot_of[s]].tiles;
    add_profile("later", NAV_SHEETS_ALL);
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        const uint32_t later = nd_world_find_sheet(w, np_str_of("later"), (nav_sheet)s);
        ck_assert_uint_ne(later, UINT32_MAX);
        ck_assert_uint_eq(w->scheduler.progress[later].tiles, tiles[s]);
    }
}
END_TEST

// A volume's floor, ceiling and ring are its box; what it is to floors follows from its ring alone.
START_TEST(a_volume_marks_tiles_by_its_heights_too)
{
    static const float places[2][3] = {{5, 5, 5}, {5, 45, 5}};
    const np_op put[] = {crate_at(1, places[0]), crate_at(2, places[1])};
    const np_op volume = {.kind = NP_OP_PUT_VOLUME,
                          .id = 1,
                          .u.volume = {.points = {4, 4, 6, 4, 6, 6, 4, 6}, .point_count = 4, .min_y = 4, .max_y = 6}};
    nd_view v = {0};
    ck_assert_int_eq(edit(put, 2, NULL), NAV_OK);
    settle_all();
    ck_assert_int_eq(edit(&volume, 1, NULL), NAV_OK);
    must_be_queued(places, 1, 2);
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        for (int i = 0; i < 2; i++) {
            int32_t x, z;
            const double at[3] = {(double)places[i][0], (double)places[i][1], (double)places[i][2]};
            double own[3];
            nav_sheet_to_frame((nav_sheet)s, at, own);
            nav_tile_at(&w->profiles[slot_of[s]].wire.settings, own[0], own[2], &x, &z);
            ck_assert_int_eq(nd_view_collect(&v, w, slot_of[s], x, z), NAV_OK);
            const bool is_above = i == 1 && s > NAV_SHEET_DOWN;
            ck_assert_uint_eq(v.source.volume_count, !is_above);
        }
    nd_view_deinit(&v);
}
END_TEST

START_TEST(include_volumes_leave_out_walls_that_none_of_them_touches)
{
    static const float inside[3] = {5, 5, 5}, above[3] = {5, 45, 5};
    const np_op ops[] = {
        {.kind = NP_OP_PUT_VOLUME,
         .id = 1,
         .u.volume = {.points = {0, 0, 10, 0, 10, 10, 0, 10}, .point_count = 4, .max_y = 10, .include = true}},
        crate_at(1, inside),
        crate_at(2, above)};
    ck_assert_int_eq(edit(ops, 3, NULL), NAV_OK);
    nd_view v = {0};
    int tiles = 0;
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        for (int32_t z = -REACH; z < REACH; z++)
            for (int32_t x = -REACH; x < REACH; x++) {
                static const double min[3] = {0, 0, 0}, max[3] = {10, 10, 10};
                const bool is_there = nd_scheduler_find(&w->scheduler, slot_of[s], x, z);
                const bool has_crate = overlaps((nav_sheet)s, x, z, inside) || overlaps((nav_sheet)s, x, z, above);
                ck_assert_int_eq(is_there, has_crate && reaches((nav_sheet)s, x, z, min, max));
                tiles += is_there;
                ck_assert_int_eq(nd_view_collect(&v, w, slot_of[s], x, z), NAV_OK);
                if (!reaches((nav_sheet)s, x, z, min, max)) ck_assert_uint_eq(v.source.instance_count, 0);
            }
    ck_assert_int_ge(tiles, NAV_SHEET_COUNT);
    nd_view_deinit(&v);
}
END_TEST

START_TEST(links_and_floors_are_of_the_sheet_up_alone)
{
    static const float place[1][3] = {{5, 5, 5}};
    const np_op put = crate_at(1, place[0]);
    const np_op link = {.kind = NP_OP_PUT_LINK,
                        .id = 9,
                        .u.link = {.id = 9, .start = {5, 6, 5}, .end = {9, 6, 5}, .radius_m = 0.5f, .area = 63}};
    ck_assert_int_eq(edit(&put, 1, NULL), NAV_OK);
    settle_all();
    ck_assert_int_eq(edit(&link, 1, NULL), NAV_OK);
    ck_assert_uint_eq(nd_scheduler_queued(&w->scheduler), 1);
    const nd_tile *t = nd_scheduler_next(&w->scheduler, ND_INTERACTIVE, false);
    ck_assert_uint_eq(t->profile, slot_of[NAV_SHEET_UP]);
}
END_TEST

START_TEST(a_dirty_area_is_one_at_all_heights)
{
    static const float places[2][3] = {{5, 5, 5}, {45, 45, 45}};
    const np_op put[] = {crate_at(1, places[0]), crate_at(2, places[1])};
    const np_op area = {.kind = NP_OP_DIRTY, .u.dirty = {.min = {4, 4}, .max = {6, 6}}};
    ck_assert_int_eq(edit(put, 2, NULL), NAV_OK);
    settle_all();
    ck_assert_int_eq(edit(&area, 1, NULL), NAV_OK);
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        for (int32_t z = -REACH; z < REACH; z++)
            for (int32_t x = -REACH; x < REACH; x++) {
                static const double min[3] = {4, -1000, 4}, max[3] = {6, 1000, 6};
                const nd_tile *t = nd_scheduler_find(&w->scheduler, slot_of[s], x, z);
                if (t) ck_assert_int_eq(t->state == ND_TILE_QUEUED, reaches((nav_sheet)s, x, z, min, max));
            }
}
END_TEST

START_TEST(a_profile_counts_once_however_many_sheets_it_has)
{
    np_profile listed[NAV_SHEET_COUNT];
    np_error err;
    add_profile("walker", NAV_SHEETS_UP);
    add_profile("third", NAV_SHEETS_ALL);
    ck_assert_uint_eq(nd_world_list_profiles(w, listed), 3);
    const np_profile p = {.name = np_str_of("fourth"), .settings = climber(NAV_SHEETS_UP)};
    ck_assert_int_eq(nd_world_add_profiles(w, &p, 1, &limits, 0, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "at most 3 profiles"), "%s", err.message);
    add_profile("climber", NAV_SHEETS_ALL); // as it is
    ck_assert_uint_eq(nd_world_list_profiles(w, listed), 3);
}
END_TEST

START_TEST(what_can_be_reached_and_sheets_exclude_each_other_with_words)
{
    const np_seed seed = {{0, 0, 0}};
    const np_op reach = {.kind = NP_OP_SET_REACH,
                         .u.reach = {.unreachable = NAV_UNREACHABLE_DROP, .seed_count = 1, .seeds = &seed}};
    np_error err;
    ck_assert_int_eq(edit(&reach, 1, &err), NAV_ERR_STATE);
    ck_assert_msg(strstr(err.message, "\"climber\" has sheets other than up") && strstr(err.message, "leave out seeds"),
                  "%s", err.message);

    nd_world_destroy(w);
    static const double origin[3];
    ck_assert_int_eq(nd_world_create(1, &space, np_str_of("w"), origin, &w), NAV_OK);
    add_profile("walker", NAV_SHEETS_UP);
    ck_assert_int_eq(edit(&reach, 1, &err), NAV_OK);
    const np_profile p = {.name = np_str_of("climber"), .settings = climber(NAV_SHEETS_ALL)};
    ck_assert_int_eq(nd_world_add_profiles(w, &p, 1, &limits, 0, &err), NAV_ERR_STATE);
    ck_assert_msg(strstr(err.message, "\"climber\" has sheets other than up"), "%s", err.message);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sheets");
    TCase *t = tcase_create("sheets");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, an_edit_marks_what_it_touches_in_every_sheet_and_nothing_else);
    tcase_add_test(t, a_move_along_one_axis_leaves_walls_across_it_where_they_are);
    tcase_add_test(t, a_tile_is_made_from_what_reaches_into_its_column);
    tcase_add_test(t, a_profile_that_comes_later_has_the_same_tiles);
    tcase_add_test(t, a_volume_marks_tiles_by_its_heights_too);
    tcase_add_test(t, include_volumes_leave_out_walls_that_none_of_them_touches);
    tcase_add_test(t, links_and_floors_are_of_the_sheet_up_alone);
    tcase_add_test(t, a_dirty_area_is_one_at_all_heights);
    tcase_add_test(t, a_profile_counts_once_however_many_sheets_it_has);
    tcase_add_test(t, what_can_be_reached_and_sheets_exclude_each_other_with_words);
    return run_suite(s);
}
