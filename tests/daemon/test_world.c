#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/world/marking.h"
#include "daemon/world/profile_change.h"
#include "daemon/world/snapshot.h"
#include "daemon/world/world.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static nd_world *w;
static nd_mesh_store meshes;
static nd_namespace space;
static nav_key box, empty;
static nd_world_limits limits;
static uint64_t base_revision;

static nav_key add_mesh(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count)
{
    nav_mesh *m;
    nd_mesh *kept;
    ck_assert_int_eq(nav_mesh_create(verts, vert_count, tris, tri_count, &m), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&meshes, m, &kept), NAV_OK);
    ck_assert_int_eq(nd_mesh_show(kept, &space), NAV_OK);
    return kept->mesh->hash;
}

// Tiles of 10 m; padding is 3 + radius cells.
static nav_settings settings(void)
{
    nav_settings s;
    nav_settings_default(&s);
    s.cell_size_m = 0.5f;
    s.tile_cells = 20;
    s.agent_radius_m = 0.5f; // one cell: 2 m of padding
    return s;
}

static void start(void)
{
    const float verts[12] = {-1, 0, -1, 1, 0, -1, 1, 1, 1, -1, 1, 1};
    const uint32_t tris[6] = {0, 2, 1, 0, 3, 2};
    const double origin[3] = {0, 0, 0};
    nd_thread_set_loop(true);
    limits = (nd_world_limits){.max_objects = 1000,
                               .max_all_objects = UINT64_MAX,
                               .max_edit_tiles = 100000,
                               .max_tiles = 100000,
                               .max_new_tiles = UINT64_MAX,
                               .max_profiles = 3,
                               .interactive_tiles = 256};
    nd_mesh_store_init(&meshes, 1 << 20);
    box = add_mesh(verts, 4, tris, 2);
    empty = add_mesh(NULL, 0, NULL, 0);
    ck_assert_int_eq(nd_world_create(1, &space, np_str_of("w"), origin, &w), NAV_OK);
    np_profile p = {.name = np_str_of("a"), .settings = settings()};
    ck_assert_int_eq(nd_world_add_profiles(w, &p, 1, &limits, 0, NULL), NAV_OK);
    base_revision = w->revision;
}

static void stop(void)
{
    nd_world_destroy(w);
    nd_mesh_store_deinit(&meshes);
}

static np_op put(uint64_t id, float x, float z)
{
    np_op op = {.kind = NP_OP_PUT_INSTANCE,
                .id = id,
                .u.instance = {.mesh = box, .transform = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z}, .area = 63}};
    return op;
}

static np_op move(uint64_t id, float x, float z)
{
    np_op op = put(id, x, z);
    op.kind = NP_OP_MOVE_INSTANCE;
    return op;
}

static nav_status edit(const np_op *ops, uint32_t count, uint32_t *dirty, np_error *err)
{
    uint32_t ignored;
    np_error none;
    np_world_edit_request r = {.world = 1, .op_count = count, .ops = ops};
    return nd_world_edit(w, &meshes, &limits, NULL, &r, 0, dirty ? dirty : &ignored, err ? err : &none);
}

static nd_tile *next_tile(void)
{
    for (int c = 0; c < ND_CLASSES; c++)
        if (nd_scheduler_next(&w->scheduler, (nd_class)c, false))
            return nd_scheduler_next(&w->scheduler, (nd_class)c, false);
    return NULL;
}

static void settle_all(void)
{
    for (nd_tile *t; (t = next_tile());) nd_scheduler_settle(&w->scheduler, t);
}

static bool is_queued(int32_t x, int32_t z)
{
    nd_tile *t = nd_scheduler_find(&w->scheduler, 0, x, z);
    return t && t->state == ND_TILE_QUEUED;
}

// The queued tiles are exactly those whose padded bounds touch one of the boxes (half size 1 around x, z).
static void check_queued(const float places[][2], int count)
{
    nav_settings s = settings();
    for (int32_t z = -10; z < 10; z++)
        for (int32_t x = -10; x < 10; x++) {
            double min[2], max[2];
            bool want = false;
            nav_tile_padded_bounds(&s, x, z, min, max);
            for (int i = 0; i < count; i++)
                want |= (double)places[i][0] + 1 >= min[0] && (double)places[i][0] - 1 <= max[0] &&
                        (double)places[i][1] + 1 >= min[1] && (double)places[i][1] - 1 <= max[1];
            if (is_queued(x, z) != want) ck_abort_msg("tile %d %d: queued %d, expected %d", x, z, !want, want);
        }
}

START_TEST(a_move_dirties_the_old_and_the_new_place_padded)
{
    np_op first = put(1, 5, 5);
    uint32_t dirty;
    ck_assert_int_eq(edit(&first, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 1); // 3 m inside of its tile: no padding reaches it
    check_queued((const float[][2]){{5, 5}}, 1);
    settle_all();
    np_op second = move(1, 38, -22);
    ck_assert_int_eq(edit(&second, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 5); // one, and four around the corner at 40, -20
    check_queued((const float[][2]){{5, 5}, {38, -22}}, 2);
    ck_assert_uint_eq(w->revision, base_revision + 2);
}
END_TEST

START_TEST(an_instance_stays_within_the_world_s_reach)
{
    const float away[3] = {1e9f, 1.0000001e7f, 1e7f}; // of a mesh that reaches 1 m to each side
    np_error err;
    for (int i = 0; i < 3; i++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int k = 0; k < 2; k++) {
                float at = (float)sign * away[i];
                np_op op = k ? put(1, 0, at) : put(1, at, 0);
                ck_assert_int_eq(edit(&op, 1, NULL, &err), NAV_ERR_ARGUMENT);
                ck_assert_msg(strstr(err.message, "transform") && strstr(err.message, "1e7 m"), "%s", err.message);
            }
    np_op high = put(1, 0, 0), near = put(1, 9999990, -9999990), on = move(1, 1e9f, 0);
    high.u.instance.transform[7] = 1e9f;
    ck_assert_int_eq(edit(&high, 1, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(edit(&near, 1, NULL, &err), NAV_OK);
    ck_assert_int_eq(edit(&on, 1, NULL, &err), NAV_ERR_ARGUMENT);
}
END_TEST

START_TEST(removing_and_replacing_dirty_what_was_there)
{
    np_op ops[2] = {put(1, 5, 5), put(2, 25, 5)};
    ck_assert_int_eq(edit(ops, 2, NULL, NULL), NAV_OK);
    settle_all();
    np_op remove = {.kind = NP_OP_REMOVE_INSTANCE, .id = 1};
    ck_assert_int_eq(edit(&remove, 1, NULL, NULL), NAV_OK);
    check_queued((const float[][2]){{5, 5}}, 1);
    settle_all();
    np_op replace = put(2, 25, 45);
    ck_assert_int_eq(edit(&replace, 1, NULL, NULL), NAV_OK);
    check_queued((const float[][2]){{25, 5}, {25, 45}}, 2);
    ck_assert_uint_eq(w->objects[ND_INSTANCE].count, 1);
    ck_assert_uint_eq(w->index[ND_INSTANCE].count, 1);
}
END_TEST

START_TEST(a_bad_operation_leaves_the_world_as_it_was)
{
    np_op good = put(1, 5, 5);
    ck_assert_int_eq(edit(&good, 1, NULL, NULL), NAV_OK);
    settle_all();
    np_op missing_mesh = put(3, 0, 0), huge = put(4, 0, 0);
    missing_mesh.u.instance.mesh.low++;
    huge.u.instance.transform[0] = 3e38f;
    huge.u.instance.transform[1] = 3e38f;
    np_op bad[] = {move(9, 0, 0),
                   {.kind = NP_OP_REMOVE_INSTANCE, .id = 9},
                   {.kind = NP_OP_REMOVE_VOLUME, .id = 1},
                   {.kind = NP_OP_REMOVE_LINK, .id = 1},
                   missing_mesh,
                   huge,
                   {.kind = NP_OP_DIRTY, .u.dirty = {{1, 0}, {0, 0}}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        np_op batch[4] = {put(2, 50, 50), move(1, 90, 90), {.kind = NP_OP_REMOVE_INSTANCE, .id = 1}, bad[i]};
        np_error err;
        nav_status s = edit(batch, 4, NULL, &err);
        ck_assert_msg(s == NAV_ERR_NOT_FOUND || s == NAV_ERR_ARGUMENT, "operation %zu gives %s", i, nav_status_name(s));
        ck_assert(err.has_op);
        ck_assert_uint_eq(err.op, 3);
        ck_assert_ptr_null(next_tile());
        ck_assert_uint_eq(w->revision, base_revision + 1);
        ck_assert_uint_eq(w->objects[ND_INSTANCE].count, 1);
        const nd_object *o = nd_world_find(w, ND_INSTANCE, 1);
        ck_assert_double_eq_tol(o->box.xz.min[0], 4, 1e-3);
        ck_assert_uint_eq(w->scheduler.tiles.count, 1);
    }
}
END_TEST

START_TEST(operations_of_a_batch_see_those_before_them)
{
    np_op batch[] = {put(1, 5, 5), move(1, 25, 25), put(2, 65, 65), {.kind = NP_OP_REMOVE_INSTANCE, .id = 2}};
    ck_assert_int_eq(edit(batch, 4, NULL, NULL), NAV_OK);
    check_queued((const float[][2]){{25, 25}}, 1); // places that only the batch saw cost nothing
    np_op again[] = {{.kind = NP_OP_REMOVE_INSTANCE, .id = 1}, move(1, 0, 0)};
    np_error err;
    ck_assert_int_eq(edit(again, 2, NULL, &err), NAV_ERR_NOT_FOUND);
    ck_assert_uint_eq(err.op, 1);
}
END_TEST

START_TEST(a_move_to_the_same_place_dirties_nothing)
{
    np_op first = put(1, 5, 5), same = move(1, 5, 5);
    uint32_t dirty;
    ck_assert_int_eq(edit(&first, 1, NULL, NULL), NAV_OK);
    settle_all();
    ck_assert_int_eq(edit(&same, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 0);
    ck_assert_uint_eq(w->revision, base_revision + 2);
}
END_TEST

START_TEST(an_edit_against_another_revision_is_refused)
{
    np_op op = put(1, 5, 5);
    uint32_t dirty;
    np_error err;
    np_world_edit_request r = {.world = 1, .op_count = 1, .ops = &op, .has_base_revision = true};
    r.base_revision = w->revision + 1;
    ck_assert_int_eq(nd_world_edit(w, &meshes, &limits, NULL, &r, 0, &dirty, &err), NAV_ERR_STATE);
    r.base_revision = w->revision;
    ck_assert_int_eq(nd_world_edit(w, &meshes, &limits, NULL, &r, 0, &dirty, &err), NAV_OK);
}
END_TEST

START_TEST(a_batch_over_a_limit_is_refused_whole)
{
    limits.max_edit_tiles = 9;
    np_op ops[] = {put(1, 5, 5), put(2, 25, 25)};
    np_error err;
    ops[1].u.instance.transform[0] = 40; // 80 m wide: 9 tiles at least
    ck_assert_int_eq(edit(ops, 2, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_uint_eq(w->objects[ND_INSTANCE].count, 0);
    ck_assert_ptr_null(next_tile());
    ck_assert_uint_eq(w->scheduler.tiles.count, 0);
    limits.max_edit_tiles = 100000;
    limits.max_objects = 1;
    ops[1].u.instance.transform[0] = 1;
    ck_assert_int_eq(edit(ops, 2, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_int_eq(edit(ops, 1, NULL, &err), NAV_OK);
    ck_assert_int_eq(edit(ops + 1, 1, NULL, &err), NAV_ERR_LIMIT);
    ops[0] = (np_op){.kind = NP_OP_REMOVE_INSTANCE, .id = 1};
    ck_assert_int_eq(edit(ops, 2, NULL, &err), NAV_OK); // one goes, one comes
    ck_assert_uint_eq(w->objects[ND_INSTANCE].count, 1);
}
END_TEST

START_TEST(a_huge_instance_touches_all_its_tiles)
{
    np_op op = put(1, 1000, 1000);
    op.u.instance.transform[0] = op.u.instance.transform[10] = 1000; // 2 km x 2 km
    uint32_t dirty;
    ck_assert_int_eq(edit(&op, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 202 * 202); // 200 x 200 and a ring by padding
    settle_all();
    np_op remove = {.kind = NP_OP_REMOVE_INSTANCE, .id = 1};
    ck_assert_int_eq(edit(&remove, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 202 * 202);
}
END_TEST

START_TEST(an_instance_of_an_empty_mesh_is_nowhere)
{
    np_op op = put(1, 5, 5);
    op.u.instance.mesh = empty;
    uint32_t dirty;
    ck_assert_int_eq(edit(&op, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 0);
    np_op there = put(1, 5, 5), gone = op;
    ck_assert_int_eq(edit(&there, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 1);
    settle_all();
    ck_assert_int_eq(edit(&gone, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 1);
    ck_assert_uint_eq(w->index[ND_INSTANCE].count, 0);
}
END_TEST

START_TEST(volumes_and_links_dirty_only_tiles_that_exist)
{
    np_op ground = put(1, 15, 5);
    ground.u.instance.transform[0] = 8; // x 7 to 23
    ck_assert_int_eq(edit(&ground, 1, NULL, NULL), NAV_OK);
    settle_all();
    uint32_t dirty;
    np_op volume = {.kind = NP_OP_PUT_VOLUME,
                    .id = 1,
                    .u.volume = {.point_count = 4,
                                 .points = {-900, -900, 900, -900, 900, 900, -900, 900},
                                 .min_y = 0,
                                 .max_y = 1,
                                 .area = 5}};
    ck_assert_int_eq(edit(&volume, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, w->scheduler.tiles.count);
    settle_all();
    np_op link = {.kind = NP_OP_PUT_LINK,
                  .id = 4,
                  .u.link = {.id = 4, .start = {9.9f, 0, 5}, .end = {90, 0, 5}, .radius_m = 1, .area = 63, .flags = 1}};
    ck_assert_int_eq(edit(&link, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 1); // the tile of its start alone
    ck_assert(is_queued(0, 0));
    settle_all();
    np_op gone[] = {{.kind = NP_OP_REMOVE_LINK, .id = 4}, {.kind = NP_OP_REMOVE_VOLUME, .id = 1}};
    ck_assert_int_eq(edit(gone, 2, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, w->scheduler.tiles.count);
    ck_assert_uint_eq(w->index[ND_VOLUME].count + w->index[ND_LINK].count, 0);
}
END_TEST

START_TEST(a_dirty_area_forces_its_tiles)
{
    np_op ops[] = {put(1, 5, 5), put(2, 35, 5)};
    ck_assert_int_eq(edit(ops, 2, NULL, NULL), NAV_OK);
    settle_all();
    np_op dirty_op = {.kind = NP_OP_DIRTY, .u.dirty = {{0, 0}, {5, 5}}};
    uint32_t dirty;
    ck_assert_int_eq(edit(&dirty_op, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 1);
    ck_assert(is_queued(0, 0));
    ck_assert(nd_scheduler_find(&w->scheduler, 0, 0, 0)->forced);
    ck_assert(!is_queued(3, 0));
}
END_TEST

static void mark_all(void)
{
    size_t steps = SIZE_MAX;
    ck_assert(!nd_marking_run(w, &steps));
}

START_TEST(a_new_profile_gets_the_tiles_of_all_that_stands_there)
{
    np_op ops[] = {put(1, 5, 5), put(2, 35, 5)};
    ck_assert_int_eq(edit(ops, 2, NULL, NULL), NAV_OK);
    settle_all();
    np_profile p[2] = {{.name = np_str_of("a"), .settings = settings()},
                       {.name = np_str_of("b"), .settings = settings()}};
    p[1].settings.agent_height_m = 1;
    ck_assert_int_eq(nd_world_add_profiles(w, p, 2, &limits, 0, NULL), NAV_OK);
    mark_all();
    ck_assert_uint_eq(w->profile_count, 2);
    nd_tile *t = nd_scheduler_find(&w->scheduler, 1, 3, 0);
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(t->state, ND_TILE_QUEUED);
    ck_assert(!is_queued(0, 0));
    settle_all();
    uint32_t dirty;
    np_op moved = move(1, 5, 25);
    ck_assert_int_eq(edit(&moved, 1, &dirty, NULL), NAV_OK);
    ck_assert_uint_eq(dirty, 4); // two places, two profiles
}
END_TEST

// A change of the first profile's radius, up to where it takes effect.
static void change_radius(float radius_m)
{
    nd_profile_list wanted;
    nd_profile_change *c;
    np_error err;
    np_profile p = {.name = np_str_of("a"), .settings = settings()};
    p.settings.agent_radius_m = radius_m;
    ck_assert_int_eq(nd_profile_list_of(w, &wanted), NAV_OK);
    ck_assert_int_eq(nd_profile_list_put(&wanted, &p), NAV_OK);
    ck_assert_int_eq(nd_profile_change_begin(w, &wanted, NULL, 3, 0, "settings", &c, &err), NAV_OK);
    ck_assert_int_eq(nd_profile_change_collect(c, &limits, SIZE_MAX, &err), NAV_OK);
    ck_assert_int_eq(nd_profile_change_prepare(c, &err), NAV_OK);
    nd_profile_change_apply(c);
    nd_profile_change_destroy(c);
}

// Each box in rows of its own, a quarter of a metre further over the borders of tiles than the one before.
START_TEST(a_greater_radius_makes_the_tiles_that_a_new_profile_has)
{
    enum { BOXES = 80 };
    np_op ops[BOXES];
    for (int i = 0; i < BOXES; i++) ops[i] = put((uint64_t)i + 1, 0.25f * (float)i, 50.0f * (float)i + 5);
    ck_assert_int_eq(edit(ops, BOXES, NULL, NULL), NAV_OK);
    settle_all();
    uint64_t before = w->scheduler.progress[0].tiles;
    change_radius(2.5f);
    mark_all();
    np_profile p = {.name = np_str_of("b"), .settings = settings()};
    p.settings.agent_radius_m = 2.5f;
    ck_assert_int_eq(nd_world_add_profiles(w, &p, 1, &limits, 0, NULL), NAV_OK);
    ck_assert_uint_gt(w->scheduler.progress[0].tiles, before);
    ck_assert_uint_eq(w->scheduler.progress[0].tiles, w->scheduler.progress[1].tiles);
}
END_TEST

// What was begun between a change and a tile's mark is made with the new settings already.
START_TEST(a_run_with_the_new_settings_goes_on_when_its_tile_is_marked)
{
    np_op ops[] = {put(1, 5, 5), put(2, 35, 5)};
    ck_assert_int_eq(edit(ops, 2, NULL, NULL), NAV_OK);
    nd_tile *old = next_tile();
    old->begun_ns = nd_now_ns();
    uint64_t old_ticket = nd_scheduler_start(&w->scheduler, old, NULL);
    change_radius(0.6f);
    nd_tile *t = next_tile();
    t->begun_ns = nd_now_ns() + 1;
    uint64_t ticket = nd_scheduler_start(&w->scheduler, t, NULL);
    mark_all();
    ck_assert(nd_scheduler_is_newest(t, ticket));
    ck_assert(!nd_scheduler_is_newest(old, old_ticket));
    ck_assert_int_eq(old->state, ND_TILE_QUEUED);
}
END_TEST

START_TEST(a_profile_of_a_known_name_must_have_the_same_settings)
{
    np_error err;
    np_profile p[3] = {{.name = np_str_of("b"), .settings = settings()},
                       {.name = np_str_of("a"), .settings = settings()}};
    p[1].settings.agent_height_m = 1;
    ck_assert_int_eq(nd_world_add_profiles(w, p, 2, &limits, 0, &err), NAV_ERR_EXISTS);
    ck_assert_uint_eq(w->profile_count, 1); // not even the good one
    p[1] = (np_profile){.name = np_str_of("c"), .settings = settings()};
    p[2] = (np_profile){.name = np_str_of("d"), .settings = settings()};
    ck_assert_int_eq(nd_world_add_profiles(w, p, 3, &limits, 0, &err), NAV_ERR_LIMIT);
    ck_assert_uint_eq(w->profile_count, 1);
    ck_assert_int_eq(nd_world_add_profiles(w, p, 2, &limits, 0, &err), NAV_OK);
}
END_TEST

START_TEST(a_view_holds_what_touches_the_tile_and_a_snapshot_outlives_the_world)
{
    np_op ops[] = {put(1, 5, 5),
                   put(2, 12.5f, 5),
                   put(3, 25, 5),
                   {.kind = NP_OP_PUT_LINK,
                    .id = 4,
                    .u.link = {.id = 4, .start = {5, 0, 5}, .end = {7, 0, 5}, .radius_m = 1, .area = 63}}};
    ck_assert_int_eq(edit(ops, 4, NULL, NULL), NAV_OK);
    nd_view v = {0};
    ck_assert_int_eq(nd_view_collect(&v, w, 0, 0, 0), NAV_OK);
    ck_assert_uint_eq(v.source.instance_count, 2); // 1, and 2 within the padding
    ck_assert_uint_eq(v.source.link_count, 1);
    nav_key before = nav_tile_source_key(&v.source);
    nd_snapshot *s = nd_snapshot_create(&v);
    ck_assert_ptr_nonnull(s);
    np_op clear[] = {{.kind = NP_OP_REMOVE_INSTANCE, .id = 1}, {.kind = NP_OP_REMOVE_INSTANCE, .id = 2}};
    ck_assert_int_eq(edit(clear, 2, NULL, NULL), NAV_OK);
    ck_assert_int_eq(nd_view_collect(&v, w, 0, 0, 0), NAV_OK);
    ck_assert_uint_eq(v.source.instance_count, 0);
    nd_view_deinit(&v);
    stop();
    ck_assert(nav_key_equal(nav_tile_source_key(&s->source), before));
    ck_assert_uint_eq(s->source.instances[0].mesh->tri_count, 2);
    nd_snapshot_destroy(s);
    start();
}
END_TEST

START_TEST(a_large_world_is_freed_in_parts)
{
    enum { SMALL = 300, PART = 1000 };
    for (uint64_t i = 1; i <= SMALL; i++) {
        np_op op = put(i, (float)i, 0);
        if (i == 1) op.u.instance.transform[0] = op.u.instance.transform[10] = 500;
        ck_assert_int_eq(edit(&op, 1, NULL, NULL), NAV_OK);
    }
    size_t tiles = w->scheduler.tiles.count, objects = w->objects[ND_INSTANCE].count;
    ck_assert_uint_ge(tiles, 10000);
    ck_assert_uint_eq(objects, SMALL);
    while (nd_world_empty_some(w, PART)) {
        ck_assert_uint_le(tiles + objects - w->scheduler.tiles.count - w->objects[ND_INSTANCE].count, PART);
        tiles = w->scheduler.tiles.count;
        objects = w->objects[ND_INSTANCE].count;
    }
    ck_assert_uint_eq(tiles + objects, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("world");
    TCase *t = tcase_create("world");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_move_dirties_the_old_and_the_new_place_padded);
    tcase_add_test(t, an_instance_stays_within_the_world_s_reach);
    tcase_add_test(t, removing_and_replacing_dirty_what_was_there);
    tcase_add_test(t, a_bad_operation_leaves_the_world_as_it_was);
    tcase_add_test(t, operations_of_a_batch_see_those_before_them);
    tcase_add_test(t, a_move_to_the_same_place_dirties_nothing);
    tcase_add_test(t, an_edit_against_another_revision_is_refused);
    tcase_add_test(t, a_batch_over_a_limit_is_refused_whole);
    tcase_add_test(t, a_huge_instance_touches_all_its_tiles);
    tcase_add_test(t, an_instance_of_an_empty_mesh_is_nowhere);
    tcase_add_test(t, volumes_and_links_dirty_only_tiles_that_exist);
    tcase_add_test(t, a_dirty_area_forces_its_tiles);
    tcase_add_test(t, a_new_profile_gets_the_tiles_of_all_that_stands_there);
    tcase_add_test(t, a_greater_radius_makes_the_tiles_that_a_new_profile_has);
    tcase_add_test(t, a_run_with_the_new_settings_goes_on_when_its_tile_is_marked);
    tcase_add_test(t, a_profile_of_a_known_name_must_have_the_same_settings);
    tcase_add_test(t, a_view_holds_what_touches_the_tile_and_a_snapshot_outlives_the_world);
    tcase_add_test(t, a_large_world_is_freed_in_parts);
    return run_suite(s);
}
