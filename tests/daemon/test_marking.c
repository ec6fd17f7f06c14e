// Tiles of a profile that has got other settings: in which order they are marked, in which steps, and what may happen
// to the world meanwhile.
#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/world/marking.h"
#include "daemon/world/profile_change.h"
#include "tests/check.h"

#include <string.h>

enum { SIDE = 24, BOXES = SIDE * SIDE, FOCUS = 7 }; // boxes in a square, about a tile apart; FOCUS: a tile, both ways

static nd_world *w;
static nd_mesh_store meshes;
static nd_namespace space;
static nav_key box;
static nd_world_limits limits;

// Tiles of 10 m; padding is 3 + radius cells.
static nav_settings settings(float radius_m)
{
    nav_settings s;
    nav_settings_default(&s);
    s.cell_size_m = 0.5f;
    s.tile_cells = 20;
    s.agent_radius_m = radius_m;
    return s;
}

static np_op put(uint64_t id, float x, float z)
{
    return (np_op){.kind = NP_OP_PUT_INSTANCE,
                   .id = id,
                   .u.instance = {.mesh = box, .transform = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z}, .area = 63}};
}

static void edit(const np_op *ops, uint32_t count)
{
    uint32_t dirty;
    np_error err;
    np_world_edit_request r = {.world = 1, .op_count = count, .ops = ops};
    ck_assert_int_eq(nd_world_edit(w, &meshes, &limits, NULL, &r, 0, &dirty, &err), NAV_OK);
}

static nd_tile *next_tile(void)
{
    for (int c = 0; c < ND_CLASSES; c++) {
        nd_tile *t = nd_scheduler_next(&w->scheduler, (nd_class)c, false);
        if (t) return t;
    }
    return NULL;
}

static void settle_all(void)
{
    for (nd_tile *t; (t = next_tile());) nd_scheduler_settle(&w->scheduler, t);
}

static void add_profile(const char *name, float radius_m)
{
    np_error err;
    size_t steps = SIZE_MAX;
    np_profile p = {.name = np_str_of(name), .settings = settings(radius_m)};
    ck_assert_int_eq(nd_world_add_profiles(w, &p, 1, &limits, 0, &err), NAV_OK);
    ck_assert(!nd_marking_run(w, &steps));
}

static void start(void)
{
    const float verts[12] = {-1, 0, -1, 1, 0, -1, 1, 1, 1, -1, 1, 1};
    const uint32_t tris[6] = {0, 2, 1, 0, 3, 2};
    const double origin[3] = {0, 0, 0};
    np_op ops[BOXES];
    nav_mesh *m;
    nd_mesh *kept;
    nd_thread_set_loop(true);
    limits = nd_world_no_limits;
    limits.interactive_tiles = 256;
    nd_mesh_store_init(&meshes, 1 << 20);
    ck_assert_int_eq(nav_mesh_create(verts, 4, tris, 2, &m), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&meshes, m, &kept), NAV_OK);
    ck_assert_int_eq(nd_mesh_show(kept, &space), NAV_OK);
    box = kept->mesh->hash;
    ck_assert_int_eq(nd_world_create(1, &space, np_str_of("w"), origin, &w), NAV_OK);
    add_profile("a", 0.5f);
    for (int i = 0; i < BOXES; i++) // a little further over the borders of tiles with each
        ops[i] = put((uint64_t)i + 1, 10.04f * (float)(i % SIDE) + 4.5f, 10.04f * (float)(i / SIDE) + 4.5f);
    edit(ops, BOXES);
    settle_all();
}

static void stop(void)
{
    nd_world_destroy(w);
    nd_mesh_store_deinit(&meshes);
}

static nav_status begin(const nav_settings *s, nd_profile_change **c)
{
    nd_profile_list wanted;
    np_error err;
    const np_profile p = {.name = np_str_of("a"), .settings = *s};
    ck_assert_int_eq(nd_profile_list_of(w, &wanted), NAV_OK);
    ck_assert_int_eq(nd_profile_list_put(&wanted, &p), NAV_OK);
    ck_assert_int_eq(nd_profile_change_begin(w, &wanted, NULL, 3, 0, "settings", c, &err), NAV_OK);
    return nd_profile_change_collect(*c, &limits, 0, &err);
}

static void end(nd_profile_change *c)
{
    np_error err;
    ck_assert_int_eq(nd_profile_change_prepare(c, &err), NAV_OK);
    nd_profile_change_apply(c);
    nd_profile_change_destroy(c);
}

static void change_radius(float radius_m)
{
    nd_profile_change *c;
    const nav_settings s = settings(radius_m);
    ck_assert_int_eq(begin(&s, &c), NAV_OK);
    end(c);
}

static bool is_queued(int32_t x, int32_t z)
{
    const nd_tile *t = nd_scheduler_find(&w->scheduler, 0, x, z);
    return t && t->state == ND_TILE_QUEUED;
}

static void count_queued(void *user, nd_node *n)
{
    const nd_tile *t = ND_HOLDER(n, nd_tile, node);
    size_t *queued = user;
    if (t->profile == 0) *queued += t->state == ND_TILE_QUEUED;
}

// All tiles are queued, and they are those that a profile has that never had other settings.
static void must_be_complete(float radius_m)
{
    size_t queued = 0;
    nd_table_each(&w->scheduler.tiles, count_queued, &queued);
    ck_assert_uint_eq(queued, w->scheduler.progress[0].tiles);
    add_profile("twin", radius_m);
    ck_assert_uint_eq(w->scheduler.progress[0].tiles, w->scheduler.progress[1].tiles);
}

// However large the world is: no step is taken before the change takes effect, and the first ones are for these tiles.
START_TEST(the_tiles_near_a_focus_are_marked_first)
{
    enum { NEAR = 9 * 9 };
    size_t steps = NEAR;
    ck_assert_int_eq(nd_scheduler_set_focus(&w->scheduler, 1, 0, FOCUS + 0.5, FOCUS + 0.5), NAV_OK);
    change_radius(2.5f);
    ck_assert(nd_marking_run(w, &steps));
    for (int32_t z = 0; z < SIDE; z++)
        for (int32_t x = 0; x < SIDE; x++) {
            bool is_near = x >= FOCUS - 4 && x <= FOCUS + 4 && z >= FOCUS - 4 && z <= FOCUS + 4;
            ck_assert_msg(is_queued(x, z) == is_near, "tile %d %d", x, z);
        }
    steps = SIZE_MAX;
    ck_assert(!nd_marking_run(w, &steps));
    must_be_complete(2.5f);
}
END_TEST

START_TEST(the_revision_is_complete_when_all_are_marked_and_done)
{
    size_t steps = 100;
    change_radius(2.5f);
    ck_assert(nd_marking_run(w, &steps));
    settle_all();
    ck_assert(!nd_scheduler_done_to(&w->scheduler, w->revision));
    ck_assert_uint_eq(nd_scheduler_complete_to(&w->scheduler, w->revision), w->revision - 1);
    steps = SIZE_MAX;
    ck_assert(!nd_marking_run(w, &steps));
    ck_assert(!nd_scheduler_done_to(&w->scheduler, w->revision));
    settle_all();
    ck_assert(nd_scheduler_done_to(&w->scheduler, w->revision));
}
END_TEST

START_TEST(edits_come_in_between)
{
    bool more = true;
    uint64_t id = 1;
    change_radius(2.5f);
    while (more) {
        size_t steps = 40;
        more = nd_marking_run(w, &steps);
        np_op ops[] = {{.kind = NP_OP_REMOVE_INSTANCE, .id = id}, put(BOXES + id, 12.5f * (float)id, -40)};
        if (!more) break;
        edit(ops, 2);
        id++;
        ck_assert(w->scheduler.remarking < w->revision);
        ck_assert_uint_eq(w->scheduler.marking, 0);
    }
    ck_assert_uint_gt(id, 10);
    size_t queued = 0;
    nd_table_each(&w->scheduler.tiles, count_queued, &queued);
    ck_assert_uint_eq(queued, w->scheduler.progress[0].tiles);
    add_profile("twin", 2.5f);
    for (int32_t z = -10; z < SIDE + 10; z++) // others have lost their ground, which is found when they are looked at
        for (int32_t x = -10; x < 1000; x++)
            ck_assert(!nd_scheduler_find(&w->scheduler, 1, x, z) || nd_scheduler_find(&w->scheduler, 0, x, z));
}
END_TEST

// The second change joins when the first has made some of the tiles that it needs.
START_TEST(another_change_joins)
{
    uint64_t before = w->scheduler.progress[0].tiles;
    change_radius(2.5f);
    size_t steps = (size_t)before + 200;
    ck_assert(nd_marking_run(w, &steps));
    uint64_t first = w->scheduler.remarking;
    change_radius(1.5f);
    ck_assert_uint_eq(w->scheduler.remarking, first);
    change_radius(3.5f);
    steps = SIZE_MAX;
    ck_assert(!nd_marking_run(w, &steps));
    ck_assert_uint_gt(w->scheduler.progress[0].tiles, before);
    must_be_complete(3.5f);
}
END_TEST

START_TEST(where_room_is_not_certain_the_tiles_are_counted_first)
{
    nd_profile_change *c;
    np_error err;
    const nav_settings s = settings(2.5f);
    uint64_t before = w->scheduler.tiles.count, revision = w->revision;
    add_profile("b", 2.5f);
    uint64_t more = w->scheduler.progress[1].tiles - before;
    ck_assert_uint_gt(more, 0);
    limits.max_tiles = w->scheduler.tiles.count + more - 1;
    ck_assert_int_eq(begin(&s, &c), NAV_ERR_AGAIN);
    ck_assert_int_eq(nd_profile_change_collect(c, &limits, SIZE_MAX, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "--max-tiles"), "%s", err.message);
    nd_profile_change_destroy(c);
    ck_assert_uint_eq(w->scheduler.progress[0].tiles, before);
    ck_assert_uint_eq(w->revision, revision + 1); // of the profile
    const np_op far = put(BOXES + 1, 5005, 5005); // what all boxes lie in is no help any more
    edit(&far, 1);
    limits.max_tiles = w->scheduler.tiles.count + w->scheduler.progress[1].tiles - w->scheduler.progress[0].tiles;
    ck_assert_int_eq(begin(&s, &c), NAV_ERR_AGAIN);
    ck_assert_int_eq(nd_profile_change_collect(c, &limits, SIZE_MAX, &err), NAV_OK);
    end(c);
    size_t steps = SIZE_MAX;
    ck_assert(!nd_marking_run(w, &steps));
    ck_assert_uint_eq(w->scheduler.progress[0].tiles, w->scheduler.progress[1].tiles);
}
END_TEST

// In a world that builds only what is watched, of which nothing is.
START_TEST(what_is_left_stays_left_and_comes_back_in_order)
{
    nd_scheduler *sched = &w->scheduler;
    size_t steps = SIZE_MAX;
    w->build.mode = NP_BUILD_WATCHED;
    nd_world_judge_build(w);
    for (uint64_t id = 1; id <= BOXES; id += 100) { // in several revisions
        const np_op ops[] = {{.kind = NP_OP_REMOVE_INSTANCE, .id = id}, put(id, 3000 + (float)id, 5)};
        edit(ops, 2);
    }
    for (nd_tile *t; (t = sched->open.newest);) nd_scheduler_leave(sched, t); // the newest first
    size_t left = sched->unwatched.count;
    ck_assert_uint_gt(left, 10);
    change_radius(0.6f); // the same columns
    ck_assert(!nd_marking_run(w, &steps));
    ck_assert_uint_eq(sched->unwatched.count, left);
    ck_assert_uint_eq(sched->open.count, sched->progress[0].tiles - left);
    w->build.mode = NP_BUILD_ALL;
    nd_world_judge_build(w);
    ck_assert(!nd_scheduler_look(sched, SIZE_MAX, 0));
    ck_assert_uint_eq(sched->open.count, sched->progress[0].tiles);
    for (const nd_tile *t = sched->open.oldest; t->after; t = t->after) ck_assert(t->since <= t->after->since);
}
END_TEST

START_TEST(a_profile_that_goes_is_not_marked_any_more)
{
    nd_profile_list wanted;
    nd_profile_change *c;
    np_error err;
    size_t steps = 100;
    add_profile("b", 0.5f);
    settle_all();
    change_radius(2.5f);
    ck_assert(nd_marking_run(w, &steps));
    ck_assert_int_eq(nd_profile_list_of(w, &wanted), NAV_OK);
    ck_assert(nd_profile_list_remove(&wanted, np_str_of("a")));
    ck_assert_int_eq(nd_profile_change_begin(w, &wanted, NULL, 3, 0, "settings", &c, &err), NAV_OK);
    ck_assert_int_eq(nd_profile_change_collect(c, &limits, 0, &err), NAV_OK);
    end(c);
    while (nd_world_free_gone(w, 100)) continue;
    steps = SIZE_MAX;
    ck_assert(!nd_marking_run(w, &steps));
    ck_assert_ptr_null(next_tile());
    ck_assert_uint_eq(w->scheduler.progress[0].tiles, 0);
    ck_assert(nd_scheduler_done_to(&w->scheduler, w->revision));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("marking");
    TCase *t = tcase_create("marking");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, the_tiles_near_a_focus_are_marked_first);
    tcase_add_test(t, the_revision_is_complete_when_all_are_marked_and_done);
    tcase_add_test(t, edits_come_in_between);
    tcase_add_test(t, another_change_joins);
    tcase_add_test(t, where_room_is_not_certain_the_tiles_are_counted_first);
    tcase_add_test(t, what_is_left_stays_left_and_comes_back_in_order);
    tcase_add_test(t, a_profile_that_goes_is_not_marked_any_more);
    suite_add_tcase(s, t);
    return run_suite(s);
}
