// world.sync: what a source has put into a world follows its list, and what others have put stays. What a list may be
// is in test_sync_lists.c.
#include "core/base/endian.h"
#include "daemon/methods/methods.h"
#include "daemon/session/session.h"
#include "tests/check.h"
#include "tests/daemon/stored.h"
#include "tests/daemon/sync_fixture.h"

#include <stdlib.h>
#include <string.h>

static void use_few_sources(nd_config *c)
{
    c->max_sources = 2;
    c->max_objects = MOST;
}

static void start(void)
{
    fixture_start(&daemon_, use_few_sources);
    sync_begin();
}

static void start_stored(void)
{
    stored_setup();
    fixture_start(&daemon_, stored_use);
    sync_begin();
}

static void start_in_a_small_file(void)
{
    stored_setup();
    fixture_start(&daemon_, stored_use_small_file);
    sync_begin();
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static void stop_stored(void)
{
    stop();
    stored_teardown();
}

START_TEST(a_list_brings_what_is_new_and_takes_what_is_gone)
{
    list l = {.count = 0};
    put_floor();
    for (uint32_t i = 0; i < 10; i++) list_add(&l, i, (int)(i % MESHES), 2 * (float)i, 3);
    np_world_sync_response r = sync_list(&l, "level");
    ck_assert(r.complete && r.applied);
    ck_assert_uint_eq(r.received, 10);
    ck_assert_uint_eq(r.added, 10);
    ck_assert_uint_gt(r.dirty_tiles, 0);
    check_standing(&l, "level");

    list_put(&l, 0, 0, meshes[0], 1, 9, 63);                                       // moved
    list_put(&l, 1, 1, meshes[3], 2, 3, 63);                                       // another mesh
    list_put(&l, 2, 2, meshes[2], 4, 3, 0);                                        // another area
    list_drop(&l, 5);                                                              // gone
    list_add(&l, 77, 1, -5, -5);                                                   // new
    list_put(&l, 4, 44, nav_key_load(l.meshes + 16 * 4), 2 * 4.0f, 3, l.areas[4]); // renamed
    r = sync_list(&l, "level");
    ck_assert_uint_eq(r.moved, 1);
    ck_assert_uint_eq(r.changed, 2);
    ck_assert_uint_eq(r.removed, 1);
    ck_assert_uint_eq(r.added, 1);
    ck_assert_uint_eq(r.renamed, 1);
    ck_assert_uint_eq(r.unchanged, 5);
    check_standing(&l, "level");
    check_fresh();

    uint64_t before = revision();
    r = sync_list(&l, "level");
    ck_assert_uint_eq(r.unchanged, 10);
    ck_assert_uint_eq(r.revision, before);
    ck_assert_uint_eq(r.dirty_tiles, 0);

    l.count = 0;
    r = sync_list(&l, "level");
    ck_assert_uint_eq(r.removed, 10);
    ck_assert_uint_eq(read_standing(&(standing){0}, 1), 1); // the floor is nobody's
}
END_TEST

START_TEST(sources_do_not_touch_what_others_have_put)
{
    list first = {.count = 0}, second = {.count = 0};
    for (uint32_t i = 0; i < 8; i++) list_add(&first, i, 0, 2 * (float)i, 3);
    for (uint32_t i = 0; i < 8; i++) list_add(&second, 100 + i, 1, 2 * (float)i, -3);
    sync_list(&first, "first");
    sync_list(&second, "second");
    list_drop(&first, 0);
    sync_list(&first, "first");
    check_standing(&first, "first");
    check_standing(&second, "second");

    list thief = second;
    np_world_sync_request r = request_of(&thief, "first");
    np_world_sync_response out;
    np_error err;
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_EXISTS);
    ck_assert_msg(strstr(err.message, "instance 100 ") && strstr(err.message, "\"second\"") &&
                      strstr(err.message, "\"first\""),
                  "%s", err.message);
    check_standing(&first, "first");
    check_standing(&second, "second");
}
END_TEST

START_TEST(what_nobody_owns_is_taken_over_only_when_asked_for)
{
    list l = {.count = 0};
    np_op ops[2] = {op_put(1, meshes[0], 2, 0, 3), op_put(2, meshes[0], 4, 0, 3)};
    ck_assert_int_eq(client_edit(&a, ops, 2, NULL, NULL), NAV_OK);
    list_add(&l, 1, 0, 2, 3);
    np_world_sync_request r = request_of(&l, "level");
    np_world_sync_response out;
    np_error err;
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_EXISTS);
    ck_assert_msg(strstr(err.message, "instance 1 ") && strstr(err.message, "adopt"), "%s", err.message);
    r.adopt = true;
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.changed, 1);
    ck_assert_uint_eq(out.dirty_tiles, 0); // it stands where it stood
    check_standing(&l, "level");
    standing all[2];
    ck_assert_uint_eq(read_standing(all, 2), 2);
    ck_assert_str_eq(all[1].source, "");
}
END_TEST

START_TEST(the_source_is_an_objects_own)
{
    list l = {.count = 0};
    np_op ops[3] = {op_put(1, meshes[0], 2, 0, 3), stored_volume(4), stored_volume(5)};
    np_op moved = op_move(1, 5, 0, 5), plain = op_put(1, meshes[0], 5, 0, 5);
    standing one;
    ops[0].source = ops[1].source = np_str_of("editor");
    ck_assert_int_eq(client_edit(&a, ops, 3, NULL, NULL), NAV_OK);
    ck_assert_int_eq(client_edit(&a, &moved, 1, NULL, NULL), NAV_OK);
    ck_assert_uint_eq(read_standing(&one, 1), 1);
    ck_assert_str_eq(one.source, "editor"); // a move keeps it
    np_op all[8];
    ck_assert_uint_eq(stored_objects(&a, all, 8), 3);
    sync_list(&l, "editor"); // volumes are not listed, and stay
    ck_assert_uint_eq(stored_objects(&a, all, 8), 2);
    ck_assert_int_eq(client_edit(&a, ops, 1, NULL, NULL), NAV_OK);
    ck_assert_int_eq(client_edit(&a, &plain, 1, NULL, NULL), NAV_OK);
    ck_assert_uint_eq(read_standing(&one, 1), 1);
    ck_assert_str_eq(one.source, ""); // a put replaces all of it
}
END_TEST

START_TEST(a_dry_run_says_what_would_change_and_changes_nothing)
{
    list l = {.count = 0}, next;
    for (uint32_t i = 0; i < 6; i++) list_add(&l, i, 0, 2 * (float)i, 3);
    sync_list(&l, "level");
    next = l;
    list_put(&next, 0, 0, meshes[0], -9, 3, 63);
    list_put(&next, 1, 1, meshes[1], 2, 3, 63);
    list_put(&next, 2, 22, meshes[0], 4, 3, 63);
    list_drop(&next, 3);
    list_add(&next, 50, 2, 9, 9);
    np_world_sync_request r = request_of(&next, "level");
    np_world_sync_response out;
    uint64_t before = revision();
    r.dry_run = true;
    ck_assert_int_eq(call_sync(&r, &out, NULL), NAV_OK);
    ck_assert(out.complete && !out.applied);
    const np_bin ids[] = {out.moved_ids,  out.changed_ids, out.renamed_from,
                          out.renamed_to, out.removed_ids, out.added_ids};
    const uint64_t wanted[] = {0, 1, 2, 22, 3, 50};
    for (size_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(ids[i].size, 8);
        ck_assert_uint_eq(nav_load_u64(ids[i].data), wanted[i]);
    }
    ck_assert_uint_eq(out.unchanged, 2);
    ck_assert_uint_eq(revision(), before);
    check_standing(&l, "level");
}
END_TEST

START_TEST(a_renamed_object_builds_nothing)
{
    list l = {.count = 0};
    put_floor();
    for (uint32_t i = 0; i < 20; i++) list_add(&l, i, 0, 2 * (float)(i % 5), 2 * (float)(i / 5));
    list_put(&l, 20, 20, meshes[0], 0, 0, 63); // two at one place
    sync_list(&l, "level");
    client_settle(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    size_t tiles = a.tile_count;
    uint64_t built = client_stat(&a, "jobs_built");
    for (uint32_t i = 0; i < 21; i++) nav_store_u64(l.ids + 8 * i, 500 + i);
    np_world_sync_response r = sync_list(&l, "level");
    ck_assert_uint_eq(r.renamed, 21);
    ck_assert_uint_eq(r.added + r.removed, 0);
    ck_assert_uint_eq(r.dirty_tiles, 0);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), built);
    ck_assert_uint_eq(a.tile_count, tiles);
    check_standing(&l, "level");
    check_fresh();
}
END_TEST

// --- random sequences ---

static uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

static float random_place(uint64_t *state)
{
    return (float)random_below(state, 400) / 10 - 20;
}

static void change_list(list *l, uint64_t *state, uint64_t *next_id)
{
    for (uint32_t n = random_below(state, 8) + 1; n--;) {
        uint32_t at = l->count ? random_below(state, l->count) : 0;
        switch (l->count < 5 ? 0 : random_below(state, l->count < MOST ? 5 : 4)) {
        case 1: // moved
            list_put(l, at, nav_load_u64(l->ids + 8 * at), nav_key_load(l->meshes + 16 * at), random_place(state),
                     random_place(state), l->areas[at]);
            break;
        case 2: // renamed
            nav_store_u64(l->ids + 8 * at, (*next_id)++);
            break;
        case 3:
            list_drop(l, at);
            break;
        case 4: // another mesh or area
            nav_key_store(meshes[random_below(state, MESHES)], l->meshes + 16 * at);
            l->areas[at] = random_below(state, 3) ? 63 : 0;
            break;
        default:
            list_add(l, (*next_id)++, (int)random_below(state, MESHES), random_place(state), random_place(state));
        }
    }
}

// Also where each sync takes many turns of the loop.
START_TEST(after_any_changes_the_tiles_are_those_of_a_fresh_world)
{
    static list l;
    uint64_t state = 11 + (uint64_t)_i, next_id = 1;
    size_t steps = _i % 2 ? 3 : 8192;
    fixture_pace(&daemon_, steps);
    l.count = 0;
    put_floor();
    for (int round = 0; round < 12; round++) {
        change_list(&l, &state, &next_id);
        if (round % 5 == 4) l.count /= 2;
        sync_list(&l, "level");
        check_standing(&l, "level");
        if (round % 3 == 2) check_fresh();
    }
}
END_TEST

START_TEST(a_world_that_is_deleted_during_the_comparison_takes_it_along)
{
    static list l;
    client other;
    size_t steps = 0;
    np_none none;
    l.count = 0;
    for (uint32_t i = 0; i < 50; i++) list_add(&l, i, 0, (float)i / 5, 3);
    sync_list(&l, "level");
    for (uint32_t i = 0; i < 50; i++) list_put(&l, i, i, meshes[1], (float)i / 5, 5, 63);
    client_connect(&other, &daemon_);
    client_greet(&other);
    fixture_pace(&daemon_, steps);
    np_world_sync_request r = request_of(&l, "level");
    uint32_t id = client_send(&a, NP_WORLD_SYNC, &r);
    np_world_delete_request gone = {a.world};
    ck_assert_int_eq(client_call(&other, NP_WORLD_DELETE, &gone, &none, NULL),
                     NAV_OK); // it finishes the edit, or comes first
    np_world_sync_response out;
    nav_status s = client_wait(&a, NP_WORLD_SYNC, id, &out, NULL);
    ck_assert(s == NAV_OK || s == NAV_ERR_NOT_FOUND);
    client_close(&other);
}
END_TEST

START_TEST(sources_outlive_the_daemon)
{
    list l = {.count = 0};
    for (uint32_t i = 0; i < 20; i++) list_add(&l, i, (int)(i % MESHES), 2 * (float)(i % 5), 2 * (float)(i / 5));
    ck_assert(sync_list(&l, "level").durable);
    np_op op = stored_volume(3);
    op.source = np_str_of("editor");
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, NULL), NAV_OK);
    stop();
    stored_start(&daemon_, &a);
    client_greet(&a);
    stored_open(&a, "w");
    check_standing(&l, "level");
    np_op all[32];
    uint32_t count = stored_objects(&a, all, 32);
    ck_assert_uint_eq(count, 21);
    list_drop(&l, 3);
    np_world_sync_response r = sync_list(&l, "level");
    ck_assert_uint_eq(r.removed, 1);
    ck_assert_uint_eq(r.unchanged, 19);
}
END_TEST

START_TEST(a_sync_that_cannot_be_stored_is_taken_back_with_its_owners)
{
    enum { MANY = 20000 };
    list l = {.count = 0};
    np_world_sync_response out;
    np_error err;
    for (uint32_t i = 0; i < 20; i++) list_add(&l, i, 0, 2 * (float)(i % 5), 2 * (float)(i / 5));
    sync_list(&l, "level");
    uint8_t *ids = malloc(8 * MANY), *keys = malloc(16 * MANY), *transforms = calloc(48, MANY);
    ck_assert(ids && keys && transforms);
    for (uint32_t i = 0; i < MANY; i++) {
        nav_store_u64(ids + 8 * i, 10 + i); // half of what was there goes
        nav_key_store(meshes[1], keys + 16 * i);
        for (uint32_t k = 0; k < 3; k++) nav_store_f32(transforms + 48 * i + 20 * k, 1);
    }
    np_world_sync_request r = {.world = a.world,
                               .source = np_str_of("level"),
                               .ids = {ids, 8 * MANY},
                               .meshes = {keys, 16 * MANY},
                               .transforms = {transforms, 48 * MANY}};
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "full"), "%s", err.message);
    free(ids);
    free(keys);
    free(transforms);
    check_standing(&l, "level");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sync");
    TCase *t = tcase_create("sync");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_list_brings_what_is_new_and_takes_what_is_gone);
    tcase_add_test(t, sources_do_not_touch_what_others_have_put);
    tcase_add_test(t, what_nobody_owns_is_taken_over_only_when_asked_for);
    tcase_add_test(t, the_source_is_an_objects_own);
    tcase_add_test(t, a_dry_run_says_what_would_change_and_changes_nothing);
    tcase_add_test(t, a_renamed_object_builds_nothing);
    tcase_add_loop_test(t, after_any_changes_the_tiles_are_those_of_a_fresh_world, 0, 6);
    tcase_add_test(t, a_world_that_is_deleted_during_the_comparison_takes_it_along);
    suite_add_tcase(suite, t);
    TCase *kept = tcase_create("stored");
    tcase_add_checked_fixture(kept, start_stored, stop_stored);
    tcase_add_test(kept, sources_outlive_the_daemon);
    suite_add_tcase(suite, kept);
    TCase *full = tcase_create("full");
    tcase_add_checked_fixture(full, start_in_a_small_file, stop_stored);
    tcase_add_test(full, a_sync_that_cannot_be_stored_is_taken_back_with_its_owners);
    suite_add_tcase(suite, full);
    return run_suite(suite);
}
