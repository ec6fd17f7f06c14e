// Runs that fail late: the stage is named, and the tile is tried again. And one that comes back when its tile was
// edited again.
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/work/build_call.h"
#include "daemon/work/steps.h"
#include "daemon/world/profile_change.h"
#include "tests/check.h"

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    uv_loop_t loop;
    nd_cache cache;
    nd_mesh_store meshes;
    nd_worlds worlds;
    nd_builder builder;
    nd_world *world;
    nd_namespace space;
    nd_tile_result last;
    nd_batch_tile built; // the last build's first tile
    int failed, ok;
    np_tile_status first; // of those that are ok
    float half_m;         // of the mesh
} bench;

static bench t;
static sem_t begun, block;

static void on_tile(void *user, nd_world *w, nd_tile *tile, const nd_cached *out)
{
    bench *b = user;
    (void)w;
    (void)out;
    b->last = tile->result;
    tile->result.status == NP_TILE_FAILED ? b->failed++ : b->ok++;
    if (b->ok == 1) b->first = tile->result.status;
}

static void on_batch(nd_batch *batch)
{
    bench *b = batch->builder->user;
    b->built = batch->tiles[0];
    b->failed += b->built.how.status != NAV_OK;
    nd_builder_remove_batch(&b->builder, batch);
    nd_batch_destroy(batch);
}

static uint32_t apply(const np_op *op)
{
    const nd_world_limits limits = {.max_objects = 100,
                                    .max_all_objects = 100,
                                    .max_edit_tiles = 100,
                                    .max_tiles = 100,
                                    .max_new_tiles = UINT64_MAX,
                                    .max_profiles = 1,
                                    .interactive_tiles = 100};
    const np_world_edit_request r = {.world = 1, .op_count = 1, .ops = op};
    uint32_t dirty;
    np_error err;
    ck_assert_int_eq(nd_world_edit(t.world, &t.meshes, &limits, NULL, &r, nd_now_ns(), &dirty, &err), NAV_OK);
    return dirty;
}

// Its only mesh stands in the middle of one tile.
static void edit(float x)
{
    static nav_key hash;
    if (!t.meshes.table.count) {
        const float verts[12] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1};
        const uint32_t tris[6] = {0, 2, 1, 0, 3, 2};
        nav_mesh *mesh;
        nd_mesh *kept;
        ck_assert_int_eq(nav_mesh_create(verts, 4, tris, 2, &mesh), NAV_OK);
        ck_assert_int_eq(nd_mesh_store_add(&t.meshes, mesh, &kept), NAV_OK);
        ck_assert_int_eq(nd_mesh_show(kept, &t.space), NAV_OK);
        hash = kept->mesh->hash;
    }
    const np_op op = {
        .kind = NP_OP_PUT_INSTANCE,
        .id = 1,
        .u.instance = {.mesh = hash, .transform = {t.half_m, 0, 0, x, 0, 1, 0, 0, 0, 0, t.half_m, 5}, .area = 63}};
    ck_assert_uint_eq(apply(&op), 1);
}

static nav_settings settings(void)
{
    nav_settings s;
    nav_settings_default(&s);
    s.cell_size_m = 0.5f;
    s.tile_cells = 20;
    s.region_min_cells = 0;
    return s;
}

static void add_world(void)
{
    ck_assert_int_eq(nd_worlds_add(&t.worlds, t.world), NAV_OK);
    nd_builder_add_world(&t.builder, t.world);
}

static void start(void)
{
    const double origin[3] = {0};
    const nd_world_limits limits = {.max_profiles = 1};
    nd_thread_set_loop(true);
    memset(&t, 0, sizeof t);
    t.half_m = 1;
    sem_init(&begun, 0, 0);
    sem_init(&block, 0, 0);
    uv_loop_init(&t.loop);
    nd_cache_init(&t.cache, 1 << 20);
    nd_mesh_store_init(&t.meshes, 1 << 20);
    ck_assert_int_eq(nd_world_create(1, &t.space, np_str_of("w"), origin, &t.world), NAV_OK);
    const np_profile p = {.name = np_str_of("a"), .settings = settings()};
    np_error err;
    ck_assert_int_eq(nd_world_add_profiles(t.world, &p, 1, &limits, 0, &err), NAV_OK);
    nd_worlds_init(&t.worlds, &t.loop);
    t.builder = (nd_builder){.worlds = &t.worlds,
                             .cache = &t.cache,
                             .zstd_level = 1,
                             .tile_timeout_us = 60000000,
                             .interactive_tiles = 100,
                             .on_tile = on_tile,
                             .user = &t};
    ck_assert_int_eq(nd_workers_create(&t.loop, 1, 0, NULL, &t.builder.workers), NAV_OK);
    ck_assert_int_eq(nd_builder_init(&t.builder, &t.loop), NAV_OK);
    add_world();
}

static void stop(void)
{
    nd_builder_close(&t.builder);
    nd_workers_close(t.builder.workers);
    nd_worlds_close(&t.worlds);
    uv_run(&t.loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&t.loop), 0);
    nd_worlds_deinit(&t.worlds);
    nd_builder_deinit(&t.builder);
    nd_cache_deinit(&t.cache);
    nd_mesh_store_deinit(&t.meshes);
}

static void stand_in_front(nd_task *task, nd_worker *w)
{
    (void)task;
    (void)w;
    sem_post(&begun);
    sem_wait(&block);
}

static void ignore(nd_task *task, bool ran)
{
    (void)task;
    (void)ran;
}

static void fail_late(nd_task *task, nd_worker *w)
{
    nd_tile_job *j = (nd_tile_job *)task;
    (void)w;
    j->stage = NAV_STAGE_REGIONS;
    j->status = NAV_ERR_TIMEOUT;
}

// The worker has a task that waits for `block`, so that a job can be changed before it is taken.
static void keep_the_worker(void)
{
    static nd_task in_front;
    in_front = (nd_task){.urgent = true, .run = stand_in_front, .done = ignore};
    nd_workers_push(t.builder.workers, &in_front);
    sem_wait(&begun);
}

// The tile's job waits for the worker.
static void begin(void)
{
    keep_the_worker();
    edit(5);
    nd_builder_pump(&t.builder);
    ck_assert_ptr_nonnull(t.builder.running);
}

static void let_it_fail(void)
{
    t.builder.running->job.task.run = fail_late;
    sem_post(&block);
    while (!t.failed) uv_run(&t.loop, UV_RUN_ONCE);
}

START_TEST(a_failed_tile_that_is_tried_again_and_succeeds_is_new_to_clients)
{
    begin();
    let_it_fail();
    ck_assert_int_eq(t.last.failure.status, NAV_ERR_TIMEOUT);
    ck_assert_uint_eq(t.last.failure.stage, NAV_STAGE_REGIONS);
    nd_tile *tile = t.world->scheduler.failures.first;
    ck_assert_ptr_nonnull(tile);
    ck_assert(tile->failure.waits);
    t.world->scheduler.told = t.world->revision; // somebody was told that this is all
    uint64_t revision = t.world->revision;
    ck_assert_ptr_eq(t.world->scheduler.failures.waiting.first, &tile->heap_node);
    tile->due_ns = 1; // its time has come
    nd_builder_pump(&t.builder);
    while (!t.ok) uv_run(&t.loop, UV_RUN_ONCE);
    ck_assert_uint_eq(t.builder.stats.retried, 1);
    ck_assert_uint_eq(t.world->scheduler.failures.count, 0);
    ck_assert_uint_gt(t.world->revision, revision);
    ck_assert_uint_eq(tile->result.changed, t.world->revision);
}
END_TEST

START_TEST(a_world_can_be_removed_while_its_tile_is_made)
{
    const double origin[3] = {0};
    begin();
    t.builder.running->job.task.run = fail_late;
    nd_builder_remove_world(&t.builder, t.world);
    nd_worlds_delete(&t.worlds, t.world);
    ck_assert(nd_worlds_free_deleted(&t.worlds));
    sem_post(&block);
    while (t.builder.running) uv_run(&t.loop, UV_RUN_ONCE);
    ck_assert_int_eq(t.failed, 0);
    ck_assert_int_eq(nd_world_create(2, &t.space, np_str_of("w"), origin, &t.world), NAV_OK); // for the end
    add_world();
}
END_TEST

static nd_mesh *floor_at(float x, float z)
{
    const float verts[12] = {x - 1, 0, z - 1, x + 1, 0, z - 1, x + 1, 0, z + 1, x - 1, 0, z + 1};
    const uint32_t tris[6] = {0, 2, 1, 0, 3, 2};
    nd_mesh *m = calloc(1, sizeof *m);
    ck_assert_ptr_nonnull(m);
    atomic_init(&m->refs, 1);
    ck_assert_int_eq(nav_mesh_create(verts, 4, tris, 2, &m->owned), NAV_OK);
    m->mesh = m->owned;
    return m;
}

START_TEST(a_build_whose_run_fails_ends_and_its_stage_is_named)
{
    const np_tiles_build_request r = {
        .settings = settings(), .encoding = NP_ENCODING_DETOUR, .first = {3, -2}, .last = {3, -2}, .area = 63};
    nd_caller *caller = nd_caller_create(1);
    ck_assert_ptr_nonnull(caller);
    nd_batch *batch = nd_build_call_create(&t.builder, caller, &r, 1);
    ck_assert_ptr_nonnull(batch);
    batch->done = on_batch;
    nd_builder_add_batch(&t.builder, batch);
    keep_the_worker();
    nd_build_call_start(batch, floor_at(35, -15));
    nd_builder_pump(&t.builder);
    ck_assert_ptr_nonnull(t.builder.running);
    ck_assert_int_eq(t.builder.running->run.x, 3); // as the log names it
    ck_assert_int_eq(t.builder.running->run.z, -2);
    let_it_fail();
    ck_assert_int_eq(t.built.how.status, NAV_ERR_TIMEOUT);
    ck_assert_uint_eq(t.built.how.stage, NAV_STAGE_REGIONS);
    ck_assert_ptr_null(t.builder.batches);
    ck_assert_int_eq(t.failed, 1);
    nd_builder_leave(&t.builder, caller);
    nd_caller_unref(caller);
}
END_TEST

static const np_seed far_away = {{1000, 0, 1000}}, on_it = {{5, 0, 5}};

// What a run has made of it is shown though the tile was edited meanwhile (it is stale at once here), and not held with
// others of its revision: the next run may be overtaken in the same way, and so on. Both where the run has guessed what
// can be reached, nothing, and where it must be masked again.
START_TEST(a_tile_with_a_goal_that_is_edited_while_it_is_made_is_shown_each_time)
{
    const np_reach reach = {NAV_UNREACHABLE_DROP, 1, _i ? &on_it : &far_away, 0};
    const np_op goal = {.kind = NP_OP_SET_REACH, .u.reach = reach};
    (void)apply(&goal);
    t.builder.stuck_us = 60000000;
    t.half_m = 2;
    for (int round = 0; round < 3; round++) {
        begin();
        float aside = (float)(round + 1) / 8;
        edit(5 + aside);
        t.ok = 0;
        sem_post(&block);
        while (t.builder.running || nd_scheduler_queued(&t.world->scheduler)) uv_run(&t.loop, UV_RUN_ONCE);
        ck_assert_int_eq(t.ok, 2);
        ck_assert_int_eq(t.first, _i ? NP_TILE_OK : NP_TILE_EMPTY);
        ck_assert_int_eq(t.last.status, _i ? NP_TILE_OK : NP_TILE_EMPTY);
        ck_assert_uint_eq(t.last.revision, t.world->revision);
        t.half_m = 2 - 0.1f * (float)(round + 1); // the next one is another tile
    }
    ck_assert_int_eq(t.failed, 0);
    ck_assert(_i ? t.builder.stats.masked : !t.builder.stats.masked);
    ck_assert_uint_eq(t.world->scheduler.held.count, 0);
    ck_assert_ptr_null(t.world->scheduler.open.oldest);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("watchdog");
    TCase *c = tcase_create("watchdog");
    tcase_add_checked_fixture(c, start, stop);
    suite_add_tcase(suite, c);
    nd_log_set_level(ND_LOG_ERROR);
    tcase_add_test(c, a_failed_tile_that_is_tried_again_and_succeeds_is_new_to_clients);
    tcase_add_test(c, a_world_can_be_removed_while_its_tile_is_made);
    tcase_add_test(c, a_build_whose_run_fails_ends_and_its_stage_is_named);
    tcase_add_loop_test(c, a_tile_with_a_goal_that_is_edited_while_it_is_made_is_shown_each_time, 0, 2);
    return run_suite(suite);
}
