// What is being made and for whom, what failed and why, and how it is stopped: as a client meets it.
#include "tests/daemon/fixture.h"

#include <string.h>

static daemon_fixture d;
static client a;

// A tile of much work: generation of one takes longer than it may.
static void impatient(nd_config *c)
{
    c->tile_ms = 1;
}

static void with_little_memory(nd_config *c)
{
    c->tile_memory_bytes = 1 << 20;
}

static void all_is_interactive(nd_config *c)
{
    c->interactive_tiles = 1 << 20;
}

// A world whose tiles are large: world "big", profile "p".
static void open_big(client *c, int tile_cells)
{
    np_profile p = {.name = np_str_of("p")};
    nav_settings_default(&p.settings);
    p.settings.tile_cells = tile_cells;
    np_world_open_request open = {.name = np_str_of("big"), .create = true, .profile_count = 1, .profiles = &p};
    np_world_open_response opened;
    client_greet(c);
    ck_assert_int_eq(client_call(c, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    c->world = opened.world;
}

static void start(void (*change)(nd_config *c), int tile_cells)
{
    fixture_start(&d, change);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    open_big(&a, tile_cells);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&d);
}

static np_tiles_failed_response failed_tiles(uint32_t limit)
{
    np_tiles_failed_request ask = {.world = a.world, .limit = limit};
    np_tiles_failed_response r;
    ck_assert_int_eq(client_call(&a, NP_TILES_FAILED, &ask, &r, NULL), NAV_OK);
    return r;
}

static np_tiles_why_response why(int32_t x, int32_t z)
{
    np_tiles_why_request ask = {.world = a.world, .profile = np_str_of("p"), .x = x, .z = z};
    np_tiles_why_response r;
    ck_assert_int_eq(client_call(&a, NP_TILES_WHY, &ask, &r, NULL), NAV_OK);
    return r;
}

START_TEST(a_tile_that_took_too_long_is_listed_with_its_stage_and_will_be_tried_again)
{
    start(impatient, 1000);
    nav_key box = client_put_box(&a, 100, 1, 100);
    np_op put = op_put(42, box, 150, 0, 150);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    np_tiles_failed_response r = failed_tiles(10);
    ck_assert_uint_eq(r.total, 1);
    ck_assert_uint_eq(r.tile_count, 1);
    const np_failed_tile *t = &r.tiles[0];
    ck_assert(np_str_equal(t->code, "timeout"));
    ck_assert_uint_gt(t->stage.size, 0);
    ck_assert(np_str_equal(t->profile, "p"));
    ck_assert_int_eq(t->x, 0);
    ck_assert_uint_ge(t->tries, 1);
    ck_assert_ptr_nonnull(memmem(t->reason.data, t->reason.size, t->stage.data, t->stage.size));
    ck_assert_uint_eq(failed_tiles(0).tile_count, 0);

    np_tiles_why_response w = why(0, 0);
    ck_assert_int_eq(w.status, NP_TILE_FAILED);
    ck_assert(w.has_failure);
    if (w.cause != NP_CAUSE_RETRY) { // it was not tried again yet
        ck_assert_int_eq(w.cause, NP_CAUSE_INSTANCE);
        ck_assert(w.has_object);
        ck_assert_uint_eq(w.object, 42);
        ck_assert(np_str_equal(w.caller.client, "test"));
        ck_assert_uint_gt(w.caller.session, 0);
        ck_assert_uint_gt(w.caller.principal.size, 0);
        ck_assert(w.failure.has_retry);
    }
    np_op remove = op_remove(42);
    ck_assert_int_eq(client_edit(&a, &remove, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_uint_eq(failed_tiles(10).total, 0);
    stop();
}
END_TEST

START_TEST(a_tile_that_needs_too_much_memory_is_not_tried_again)
{
    start(with_little_memory, 1000);
    nav_key box = client_put_box(&a, 100, 1, 100);
    np_op put = op_put(1, box, 150, 0, 150);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    np_tiles_failed_response r = failed_tiles(10);
    ck_assert_uint_eq(r.total, 1);
    ck_assert(np_str_equal(r.tiles[0].code, "limit"));
    ck_assert(!r.tiles[0].has_retry);
    ck_assert_uint_gt(r.tiles[0].stage.size, 0);
    stop();
}
END_TEST

// Each at most once, and together no longer than the run.
static void must_have_stages(const np_tiles_why_response *w)
{
    uint64_t sum = 0;
    ck_assert_uint_gt(w->stage_count, 0);
    ck_assert_uint_le(w->stage_count, NAV_STAGE_COUNT);
    for (uint32_t i = 0; i < w->stage_count; i++) {
        ck_assert_uint_gt(w->stages[i].value, 0);
        sum += w->stages[i].value;
    }
    ck_assert_uint_le(sum, w->made_us);
}

START_TEST(a_tile_from_the_cache_has_no_stages)
{
    start(NULL, 32);
    nav_key box = client_put_box(&a, 1, 1, 1);
    const np_op put = op_put(7, box, 5, 0, 5), away = op_move(7, 8, 0, 8), back = op_move(7, 5, 0, 5);
    const np_op *const steps[] = {&put, &away, &back};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(client_edit(&a, steps[i], 1, NULL, NULL), NAV_OK);
        client_settle(&a);
    }
    np_tiles_why_response w = why(0, 0);
    ck_assert_uint_eq(w.made_us, 0);
    ck_assert_uint_eq(w.stage_count, 0);
    stop();
}
END_TEST

START_TEST(a_tile_says_who_made_it_what_it_is)
{
    start(NULL, 32);
    nav_key box = client_put_box(&a, 1, 1, 1);
    const np_op ops[] = {op_put(7, box, 5, 0, 5), op_put(8, box, 105, 0, 105)};
    np_world_edit_response edited;
    ck_assert_int_eq(client_edit(&a, ops, 2, &edited, NULL), NAV_OK);
    client_settle(&a);
    np_tiles_why_response w = why(0, 0);
    ck_assert_int_eq(w.state, NP_STATE_CLEAN);
    ck_assert(!w.is_open && !w.has_failure);
    ck_assert_int_eq(w.cause, NP_CAUSE_INSTANCE);
    ck_assert_uint_eq(w.object, 7);
    must_have_stages(&w);
    ck_assert_uint_eq(w.cause_revision, edited.revision);
    w = why(10, 10);
    ck_assert_uint_eq(w.object, 8);
    np_tiles_why_request nowhere = {.world = a.world, .profile = np_str_of("p"), .x = 500, .z = 500};
    ck_assert_int_eq(client_call(&a, NP_TILES_WHY, &nowhere, &w, NULL), NAV_ERR_NOT_FOUND);
    stop();
}
END_TEST

// Work that waits: more than 1000 tiles.
static uint64_t begin_much(void)
{
    nav_key slab = client_put_box(&a, 2400, 1, 2400);
    fixture_hold_workers(&d);
    np_op put = op_put(1, slab, 2410, 0, 2410);
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&a, &put, 1, &r, NULL), NAV_OK);
    ck_assert_uint_ge(r.dirty_tiles, 1000);
    return r.revision;
}

static np_jobs_list_response jobs(void)
{
    np_jobs_list_request ask = {.world = a.world, .has_world = true};
    np_jobs_list_response r;
    ck_assert_int_eq(client_call(&a, NP_JOBS_LIST, &ask, &r, NULL), NAV_OK);
    return r;
}

START_TEST(one_edit_is_cancelled_and_the_others_go_on)
{
    start(all_is_interactive, 500);
    nav_key box = client_put_box(&a, 1, 1, 1);
    uint64_t first = begin_much(), cancelled_revision;
    np_op put = op_put(2, box, 5000, 0, 5000); // waits behind all of them: they are one caller's
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&a, &put, 1, &r, NULL), NAV_OK);
    cancelled_revision = r.revision;
    np_jobs_list_response list = jobs();
    ck_assert_uint_eq(list.edit_count, 2);
    ck_assert_uint_eq(list.edits[0].revision, first);
    ck_assert(np_str_equal(list.edits[0].name, "big"));
    ck_assert_uint_gt(list.edits[0].tiles, 1);
    ck_assert_int_eq(list.edits[0].class, NP_JOB_INTERACTIVE);
    ck_assert(np_str_equal(list.edits[0].caller.client, "test"));
    ck_assert_uint_eq(list.edits[1].revision, cancelled_revision);
    ck_assert_uint_eq(list.edits[1].tiles, 1);

    np_jobs_wait_request wait = {.world = a.world};
    uint32_t waiting = client_send(&a, NP_JOBS_WAIT, &wait);
    np_jobs_cancel_request cancel = {
        .world = a.world, .revision = cancelled_revision, .has_world = true, .has_revision = true};
    uint32_t cancelling = client_send(&a, NP_JOBS_CANCEL, &cancel);
    np_jobs_wait_response waited;
    np_jobs_cancel_response cancelled;
    ck_assert_int_eq(client_wait(&a, NP_JOBS_WAIT, waiting, &waited, NULL), NAV_ERR_CANCELLED);
    ck_assert_int_eq(client_wait(&a, NP_JOBS_CANCEL, cancelling, &cancelled, NULL), NAV_OK);
    ck_assert_uint_eq(cancelled.cancelled, 1);
    list = jobs();
    ck_assert_uint_eq(list.edit_count, 1);
    ck_assert_uint_eq(list.edits[0].revision, first);
    cancel.has_revision = false;
    ck_assert_int_eq(client_call(&a, NP_JOBS_CANCEL, &cancel, &cancelled, NULL), NAV_OK);
    ck_assert_uint_eq(jobs().edit_count, 0);
    fixture_release_workers(&d);
    stop();
}
END_TEST

START_TEST(a_subscriber_gets_all_its_tiles_and_synced_though_the_work_is_cancelled)
{
    start(NULL, 64);
    nav_key floor = client_put_box(&a, 40, 1, 40);
    np_op put = op_put(1, floor, 0, 0, 0);
    np_world_edit_response edited;
    ck_assert_int_eq(client_edit(&a, &put, 1, &edited, NULL), NAV_OK);
    client_settle(&a);
    np_tiles_subscribe_request subscribe = {// nobody wanted this encoding yet: all have to be made again
                                            .world = a.world,
                                            .profile = np_str_of("p"),
                                            .encoding = NP_ENCODING_DETOUR};
    np_tiles_subscribe_response subscribed;
    np_jobs_cancel_request cancel = {.world = a.world, .has_world = true};
    np_jobs_cancel_response cancelled;
    uint32_t first = client_send(&a, NP_TILES_SUBSCRIBE, &subscribe), second = client_send(&a, NP_JOBS_CANCEL, &cancel);
    ck_assert_int_eq(client_wait(&a, NP_TILES_SUBSCRIBE, first, &subscribed, NULL), NAV_OK);
    ck_assert_int_eq(client_wait(&a, NP_JOBS_CANCEL, second, &cancelled, NULL), NAV_OK);
    ck_assert_uint_eq(cancelled.cancelled, 0);
    np_message m;
    while (!a.synced_notes) {
        ck_assert(client_read(&a, &m));
        np_message_deinit(&m);
    }
    ck_assert_uint_eq(a.last_synced.revision, edited.revision);
    ck_assert_uint_eq(a.tile_count, edited.dirty_tiles);
    stop();
}
END_TEST

START_TEST(a_build_is_cancelled_by_its_number_and_its_call_is_answered)
{
    start(all_is_interactive, 32);
    static const float verts[12] = {0, 0, 0, 4800, 0, 0, 4800, 0, 4800, 0, 0, 4800};
    static const uint32_t tris[6] = {0, 2, 1, 0, 3, 2};
    np_tiles_build_request build = {.last = {31, 31},
                                    .area = NAV_AREA_DEFAULT,
                                    .vertices = {(const uint8_t *)verts, sizeof verts},
                                    .indices = {(const uint8_t *)tris, sizeof tris}};
    nav_settings_default(&build.settings);
    build.settings.tile_cells = 500;
    fixture_hold_workers(&d);
    uint32_t building = client_send(&a, NP_TILES_BUILD, &build);
    np_jobs_list_request ask = {.has_world = false};
    np_jobs_list_response list;
    ck_assert_int_eq(client_call(&a, NP_JOBS_LIST, &ask, &list, NULL), NAV_OK);
    ck_assert_uint_eq(list.build_count, 1);
    ck_assert_uint_eq(list.builds[0].tiles, 1024);
    ck_assert_int_eq(list.builds[0].class, NP_JOB_INTERACTIVE);
    np_jobs_cancel_request cancel = {.build = list.builds[0].build, .has_build = true};
    uint32_t cancelling = client_send(&a, NP_JOBS_CANCEL, &cancel);
    np_tiles_build_response built;
    np_jobs_cancel_response cancelled;
    ck_assert_int_eq(client_wait(&a, NP_TILES_BUILD, building, &built, NULL), NAV_ERR_CANCELLED);
    ck_assert_int_eq(client_wait(&a, NP_JOBS_CANCEL, cancelling, &cancelled, NULL), NAV_OK);
    ck_assert_uint_gt(cancelled.cancelled, 0);
    ck_assert_int_eq(client_call(&a, NP_JOBS_LIST, &ask, &list, NULL), NAV_OK);
    ck_assert_uint_eq(list.build_count, 0);
    cancel.build = 999;
    ck_assert_int_eq(client_call(&a, NP_JOBS_CANCEL, &cancel, &cancelled, NULL), NAV_ERR_NOT_FOUND);
    fixture_release_workers(&d);
    stop();
}
END_TEST

START_TEST(cancel_wants_to_know_what)
{
    start(NULL, 32);
    np_jobs_cancel_request nothing = {.has_world = false};
    np_jobs_cancel_request both = {.world = a.world, .build = 1, .has_world = true, .has_build = true};
    np_jobs_cancel_response r;
    ck_assert_int_eq(client_call(&a, NP_JOBS_CANCEL, &nothing, &r, NULL), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(client_call(&a, NP_JOBS_CANCEL, &both, &r, NULL), NAV_ERR_ARGUMENT);
    stop();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs");
    TCase *t = tcase_create("jobs");
    suite_add_tcase(suite, t);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, a_tile_that_took_too_long_is_listed_with_its_stage_and_will_be_tried_again);
    tcase_add_test(t, a_tile_that_needs_too_much_memory_is_not_tried_again);
    tcase_add_test(t, a_tile_says_who_made_it_what_it_is);
    tcase_add_test(t, a_tile_from_the_cache_has_no_stages);
    tcase_add_test(t, one_edit_is_cancelled_and_the_others_go_on);
    tcase_add_test(t, a_subscriber_gets_all_its_tiles_and_synced_though_the_work_is_cancelled);
    tcase_add_test(t, a_build_is_cancelled_by_its_number_and_its_call_is_answered);
    tcase_add_test(t, cancel_wants_to_know_what);
    return run_suite(suite);
}
