// Settings that change: what is built, what subscribers hear, what is left of profiles that are gone, and what
// survives.
#include "tests/daemon/profile_fixture.h"

#include <stdlib.h>
#include <string.h>

START_TEST(other_settings_come_first_and_then_all_tiles_made_with_them)
{
    nav_settings s = walker();
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    const float radii[] = {1.2f, 0.3f}; // more padding, which takes more tiles, and less
    for (int i = 0; i < 2; i++) {
        size_t before = author.tile_count;
        s.agent_radius_m = radii[i];
        np_world_profile_response r = change(&author, "walker", &s);
        ck_assert(!r.durable);
        ck_assert_uint_gt(r.dirty_tiles, 1);
        ck_assert_uint_eq(r.grid, 0);
        client_settle(&author);
        ck_assert_uint_eq(author.settings_notes, (uint64_t)i + 1);
        ck_assert_uint_eq(author.settings_at, before);
        ck_assert_uint_eq(author.last_settings.subscription, sub);
        ck_assert_uint_eq(author.last_settings.revision, r.revision);
        ck_assert(author.last_settings.settings.agent_radius_m == radii[i]);
        ck_assert_uint_gt(author.tile_count, before);
        must_be_as_new(&author, sub, &s);
    }
}
END_TEST

START_TEST(a_change_leaves_other_profiles_alone)
{
    nav_settings s = walker(), tall = walker();
    tall.agent_height_m = 3;
    make_scene();
    change(&author, "tall", &tall);
    subscribe(&other, "tall", NULL);
    client_settle(&other);
    size_t before = other.tile_count;
    ck_assert_uint_gt(before, 1);
    s.agent_slope_deg = 30;
    uint64_t revision = change(&author, "walker", &s).revision;
    await_synced(&other, revision);
    ck_assert_uint_eq(other.tile_count, before);
    ck_assert_uint_eq(other.settings_notes, 0);
}
END_TEST

START_TEST(nothing_is_left_of_a_profile_that_is_removed)
{
    nav_settings s = walker();
    make_scene();
    uint64_t tiles = client_stat(&author, "tiles");
    s.agent_radius_m = 1;
    fixture_hold_workers(&daemon_); // some of its tiles are being made
    change(&author, "second", &s);
    uint64_t sub = subscribe(&other, "second", NULL).subscription;
    ck_assert_uint_gt(client_stat(&author, "tiles"), tiles);
    uint64_t revision = take_away(&author, "second").revision;
    np_message m = {0};
    np_ended_note ended;
    np_error err;
    do {
        np_message_deinit(&m);
        m = (np_message){0};
        ck_assert(client_read(&other, &m));
    } while (np_method_of(&m) != NP_ENDED);
    ck_assert_int_eq(np_decode_ended_note(&m, &ended, &err), NAV_OK);
    ck_assert_uint_eq(ended.subscription, sub);
    ck_assert(np_str_equal(ended.reason, "profile removed"));
    np_message_deinit(&m);
    while (client_stat(&author, "tiles") != tiles) continue; // they are freed in the turns that follow
    ck_assert_uint_eq(client_stat(&author, "tiles_queued"), 0);
    ck_assert_uint_eq(client_stat(&author, "tiles_running"), 0);
    uint64_t built = client_stat(&author, "jobs_built");
    fixture_release_workers(&daemon_);
    client_settle(&author);
    while (client_stat(&author, "jobs_running")) continue;
    ck_assert_uint_eq(client_stat(&author, "jobs_built"), built);
    ck_assert_uint_eq(stored_open(&author, "w").profile_count, 1);

    const np_world_profile_request again = {.world = author.world, .name = np_str_of("second"), .remove = true};
    ck_assert_int_eq(client_call(&author, NP_WORLD_PROFILE, &again, NULL, &err), NAV_ERR_NOT_FOUND);
    ck_assert_msg(strstr(err.message, "second"), "%s", err.message);
    ck_assert_uint_gt(change(&author, "second", &s).revision, revision);
    uint64_t fresh = subscribe(&author, "second", NULL).subscription;
    client_settle(&author);
    must_be_as_new(&author, fresh, &s);
}
END_TEST

START_TEST(who_says_nothing_of_outlines_opens_a_profile_as_it_is)
{
    nav_settings s = walker();
    np_profile p = {.name = np_str_of("walker"), .settings = walker()};
    const np_world_open_request again = {.name = np_str_of("w"), .profile_count = 1, .profiles = &p};
    np_world_open_response r;
    np_error err;
    make_scene();
    s.outlines = s.outlines == NAV_OUTLINES_VOXEL ? NAV_OUTLINES_TRUE : NAV_OUTLINES_VOXEL;
    change(&author, "walker", &s);
    ck_assert_int_eq(client_call(&author, NP_WORLD_OPEN, &again, &r, &err), NAV_OK);
    ck_assert_int_eq(r.profiles[0].settings.outlines, s.outlines);
    p.settings.agent_climb_m = 0.3f;
    ck_assert_int_eq(client_call(&author, NP_WORLD_OPEN, &again, &r, &err), NAV_ERR_EXISTS);
}
END_TEST

START_TEST(of_many_changes_only_the_newest_is_made)
{
    enum { CHANGES = 30 };
    nav_settings s = walker();
    uint32_t ids[CHANGES];
    np_world_profile_response r;
    np_error err;
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    fixture_hold_workers(&daemon_);
    uint64_t built = client_stat(&author, "jobs_built");
    for (int i = 0; i < CHANGES; i++) {
        s.agent_radius_m = 0.4f + 0.05f * (float)i;
        const np_world_profile_request request = change_to("walker", &s);
        ids[i] = client_send(&author, NP_WORLD_PROFILE, &request);
        ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, ids[i], &r, &err), NAV_OK);
    }
    size_t before = author.tile_count;
    fixture_release_workers(&daemon_);
    client_settle(&author);
    while (client_stat(&author, "jobs_running")) continue;
    uint64_t made = 0;
    for (size_t i = before; i < author.tile_count; i++) made += author.tiles[i].made_us > 0;
    ck_assert_uint_gt(made, 1);
    ck_assert_uint_eq(client_stat(&author, "jobs_built"), built + made);
    must_be_as_new(&author, sub, &s);
}
END_TEST

START_TEST(the_value_before_comes_from_the_cache)
{
    nav_settings s = walker();
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    s.agent_radius_m = 1;
    change(&author, "walker", &s);
    client_settle(&author);
    uint64_t built = client_stat(&author, "jobs_built");
    s = walker();
    change(&author, "walker", &s);
    client_settle(&author);
    ck_assert_uint_eq(client_stat(&author, "jobs_built"), built);
    must_be_as_new(&author, sub, &s);
    np_world_profile_response r = change(&author, "walker", &s); // and nothing where nothing differs
    ck_assert_uint_eq(r.dirty_tiles, 0);
}
END_TEST

START_TEST(a_subscription_resumes_over_other_settings_and_not_over_another_grid)
{
    nav_settings s = walker();
    make_scene();
    uint64_t first = subscribe(&author, "walker", NULL).subscription, since;
    client_settle(&author);
    await_synced(&author, 1);
    since = author.last_synced.revision;
    const np_tiles_unsubscribe_request enough = {first};
    np_none nothing;
    ck_assert_int_eq(client_call(&author, NP_TILES_UNSUBSCRIBE, &enough, &nothing, NULL), NAV_OK);
    s.agent_radius_m = 1;
    change(&author, "walker", &s);
    client_settle(&author);
    np_tiles_subscribe_response again = subscribe(&author, "walker", &since);
    ck_assert(again.resumed);
    client_settle(&author);
    static shown all;
    for (size_t i = 0; i < author.tile_count; i++) // it goes on where the first one was
        if (author.tiles[i].subscription == first) author.tiles[i].subscription = again.subscription;
    must_be_as_new(&author, again.subscription, &s);
    collect_shown(&author, again.subscription, &all);
    since = author.last_synced.revision;

    s.tile_cells = 24;
    np_world_profile_response r = change(&author, "walker", &s);
    client_settle(&author);
    np_tiles_subscribe_response other_grid = subscribe(&author, "walker", &since);
    ck_assert(!other_grid.resumed);
    ck_assert_uint_eq(other_grid.grid, r.grid);
    client_settle(&author);
    must_be_as_new(&author, other_grid.subscription, &s);
}
END_TEST

// --- in slices ---

START_TEST(a_newer_change_takes_the_place_of_one_that_is_being_prepared)
{
    nav_settings s = walker();
    np_world_profile_response r;
    np_error err;
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription, notes;
    client_settle(&author);
    fixture_pace(&daemon_, 0);
    s.tile_cells = 24; // the tiles of another grid are counted first
    np_world_profile_request request = change_to("walker", &s);
    uint32_t first = client_send(&author, NP_WORLD_PROFILE, &request);
    s.tile_cells = 32;
    request = change_to("walker", &s);
    uint32_t second = client_send(&author, NP_WORLD_PROFILE, &request);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, first, &r, &err), NAV_ERR_CANCELLED);
    ck_assert_msg(strstr(err.message, "newer"), "%s", err.message);
    ck_assert_int_eq(client_call(&other, NP_PING, &(np_none){0}, &(np_none){0}, NULL), NAV_OK); // others are served
    notes = author.settings_notes;
    fixture_pace(&daemon_, 1);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, second, &r, &err), NAV_OK);
    client_settle(&author);
    ck_assert_uint_eq(author.settings_notes, notes + 1);
    must_be_as_new(&author, sub, &s);
}
END_TEST

START_TEST(an_edit_behind_a_change_finds_it_finished)
{
    nav_settings s = walker();
    np_world_profile_response r;
    np_world_edit_response edited;
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    fixture_pace(&daemon_, 0);
    s.tile_cells = 24;
    const np_world_profile_request request = change_to("walker", &s);
    uint32_t id = client_send(&author, NP_WORLD_PROFILE, &request);
    const np_op move = op_move(2, -5, 1, -5);
    const np_world_edit_request edit = {.world = author.world, .op_count = 1, .ops = &move};
    uint32_t edit_id = client_send(&author, NP_WORLD_EDIT, &edit);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, id, &r, NULL), NAV_OK);
    fixture_pace(&daemon_, 8192);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit_id, &edited, NULL), NAV_OK);
    ck_assert_uint_eq(edited.revision, r.revision + 1);
    client_settle(&author);
    must_be_as_new(&author, sub, &s);
}
END_TEST

START_TEST(a_profile_that_is_opened_comes_in_slices)
{
    nav_settings s = walker();
    np_world_open_response opened;
    make_scene();
    fixture_pace(&daemon_, 0);
    s.agent_height_m = 3;
    const np_profile tall = {.name = np_str_of("tall"), .settings = s};
    const np_world_open_request r = {.name = np_str_of("w"), .profile_count = 1, .profiles = &tall};
    uint32_t id = client_send(&author, NP_WORLD_OPEN, &r);
    ck_assert_int_eq(client_call(&other, NP_PING, &(np_none){0}, &(np_none){0}, NULL), NAV_OK); // others are served
    fixture_pace(&daemon_, 1);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_OPEN, id, &opened, NULL), NAV_OK);
    ck_assert(!opened.created);
    ck_assert_uint_eq(opened.profile_count, 2);
    ck_assert(np_str_equal(opened.profiles[1].name, "tall"));
    uint64_t sub = subscribe(&author, "tall", NULL).subscription;
    client_settle(&author);
    must_be_as_new(&author, sub, &s);
    s.agent_height_m = 2.5f;
    const np_profile other_tall = {.name = np_str_of("tall"), .settings = s};
    const np_world_open_request again = {.name = np_str_of("w"), .profile_count = 1, .profiles = &other_tall};
    np_error err;
    ck_assert_int_eq(client_call(&author, NP_WORLD_OPEN, &again, NULL, &err), NAV_ERR_EXISTS);
}
END_TEST

START_TEST(what_is_asked_behind_a_change_waits_for_it)
{
    nav_settings s = walker();
    np_world_profile_response r;
    np_jobs_wait_response done;
    np_tiles_subscribe_response subscribed;
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    fixture_pace(&daemon_, 0);
    s.agent_radius_m = 1;
    np_world_profile_request request = change_to("walker", &s);
    uint32_t id = client_send(&author, NP_WORLD_PROFILE, &request);
    uint32_t wait_id = client_send(&author, NP_JOBS_WAIT, &(np_jobs_wait_request){.world = author.world});
    ck_assert_int_eq(client_call(&other, NP_PING, &(np_none){0}, &(np_none){0}, NULL), NAV_OK);
    fixture_pace(&daemon_, 100);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, id, &r, NULL), NAV_OK);
    ck_assert_int_eq(client_wait(&author, NP_JOBS_WAIT, wait_id, &done, NULL), NAV_OK);
    ck_assert_uint_ge(done.revision, r.revision);
    must_be_as_new(&author, sub, &s);
    fixture_pace(&daemon_, 0);
    request = change_to("added", &s);
    id = client_send(&author, NP_WORLD_PROFILE, &request);
    const np_tiles_subscribe_request all = {.world = author.world, .profile = np_str_of("added")};
    uint32_t sub_id = client_send(&author, NP_TILES_SUBSCRIBE, &all);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, id, &r, NULL), NAV_OK);
    ck_assert_int_eq(client_wait(&author, NP_TILES_SUBSCRIBE, sub_id, &subscribed, NULL), NAV_OK);
    fixture_pace(&daemon_, 8192);
}
END_TEST

// What is known of a tile's ground belongs to the settings that it was made with.
START_TEST(what_can_be_reached_is_found_anew_with_other_settings)
{
    nav_settings s = walker();
    const np_seed seed = {{-8, 0, -8}};
    const np_op goal = {.kind = NP_OP_SET_REACH,
                        .u.reach = {.unreachable = NAV_UNREACHABLE_DROP, .seed_count = 1, .seeds = &seed}};
    make_scene();
    ck_assert_int_eq(client_edit(&author, &goal, 1, NULL, NULL), NAV_OK);
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    const float radii[] = {1.2f, 0.9f, 0.3f, 0.3f};
    for (int i = 0; i < 4; i++) {
        s.agent_radius_m = radii[i];
        s.tile_cells = i < 3 ? 16 : 24;
        change(&author, "walker", &s);
        if (i == 0) continue; // the next one comes while this one is being made
        client_settle(&author);
        must_be_as_new(&author, sub, &s);
    }
}
END_TEST

// --- on disk ---

static void start_stored(void)
{
    stored_setup();
    stored_start(&daemon_, &author);
    client_connect(&other, &daemon_);
    client_greet(&other);
}

static void stop_stored(void)
{
    profile_stop();
    stored_teardown();
}

START_TEST(a_restart_finds_each_profile_with_its_own_tiles)
{
    nav_settings s[3] = {walker(), walker(), walker()};
    s[1].agent_radius_m = 1;
    s[2].agent_height_m = 3;
    make_scene();
    change(&author, "b", &s[1]);
    change(&author, "c", &s[2]);
    client_settle(&author);
    take_away(&author, "b"); // the one in the middle
    s[0].tile_cells = 24;    // and the first one moves into another slot
    np_world_profile_response moved = change(&author, "walker", &s[0]);
    ck_assert(moved.durable);
    client_settle(&author);
    profile_stop();

    stored_start(&daemon_, &author);
    client_greet(&author);
    client_connect(&other, &daemon_);
    client_greet(&other);
    np_world_open_response r = stored_open(&author, "w");
    other.world = author.world;
    ck_assert_uint_eq(r.profile_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        bool is_walker = np_str_equal(r.profiles[i].name, "walker");
        ck_assert(is_walker || np_str_equal(r.profiles[i].name, "c"));
        ck_assert_int_eq(r.profiles[i].settings.tile_cells, is_walker ? 24 : 16);
        ck_assert_uint_eq(r.profiles[i].grid, is_walker ? moved.grid : r.profiles[i].grid);
    }
    uint64_t a = subscribe(&author, "walker", NULL).subscription, c = subscribe(&author, "c", NULL).subscription;
    client_settle(&author);
    ck_assert_uint_eq(client_stat(&author, "jobs_built"), 0); // all of it was on disk
    must_be_as_new(&author, a, &s[0]);
    must_be_as_new(&author, c, &s[2]);
}
END_TEST

static void start_small(void)
{
    stored_setup();
    fixture_start(&daemon_, stored_use_small_file);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&author, &daemon_);
    client_connect(&other, &daemon_);
    client_greet(&other);
}

START_TEST(changes_that_cannot_be_stored_are_taken_back)
{
    enum { MANY = 20000 };
    nav_settings s = walker(), b = walker();
    static shown before, after;
    b.agent_height_m = 3;
    make_scene();
    change(&author, "b", &b);
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    collect_shown(&author, sub, &before);
    np_op *ops = calloc(MANY, sizeof *ops);
    ck_assert_ptr_nonnull(ops);
    for (uint32_t i = 0; i < MANY; i++) {
        ops[i] = stored_volume(100 + i);
        for (int k = 0; k < 8; k++) ops[i].u.volume.points[k] += 5000;
    }
    stored_gather_writes(&daemon_); // all of it is one group, which does not fit
    const np_world_edit_request edit = {.world = author.world, .op_count = MANY, .ops = ops};
    uint32_t edit_id = client_send(&author, NP_WORLD_EDIT, &edit);
    s.tile_cells = 24;
    const np_world_profile_request changing = change_to("walker", &s);
    uint32_t change_id = client_send(&author, NP_WORLD_PROFILE, &changing);
    const np_world_profile_request removing = {.world = author.world, .name = np_str_of("b"), .remove = true};
    uint32_t remove_id = client_send(&author, NP_WORLD_PROFILE, &removing);
    np_error err;
    np_world_profile_response r;
    ck_assert_int_eq(client_call(&author, NP_PING, &(np_none){0}, &(np_none){0}, NULL), NAV_OK); // it has read them all
    stored_commit(&daemon_);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, remove_id, &r, &err), NAV_ERR_LIMIT); // newest first
    ck_assert_int_eq(client_wait(&author, NP_WORLD_PROFILE, change_id, &r, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "undone"), "%s", err.message);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit_id, NULL, &err), NAV_ERR_LIMIT);
    free(ops);
    const np_world_open_request open = {.name = np_str_of("w")};
    np_world_open_response opened;
    nav_status status;
    do status = client_call(&author, NP_WORLD_OPEN, &open, &opened, &err); // until a probe has found that there is room
    while (status == NAV_ERR_LIMIT);
    ck_assert_msg(status == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(opened.profile_count, 2);
    for (uint32_t i = 0; i < 2; i++) ck_assert_int_eq(opened.profiles[i].settings.tile_cells, 16);
    client_settle(&author);
    collect_shown(&author, sub, &after);
    ck_assert_uint_eq(after.count, before.count);
    ck_assert_int_eq(author.last_settings.settings.tile_cells, 16);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("profiles");
    TCase *t = tcase_create("profiles");
    tcase_add_checked_fixture(t, profile_start, profile_stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, other_settings_come_first_and_then_all_tiles_made_with_them);
    tcase_add_test(t, a_change_leaves_other_profiles_alone);
    tcase_add_test(t, nothing_is_left_of_a_profile_that_is_removed);
    tcase_add_test(t, who_says_nothing_of_outlines_opens_a_profile_as_it_is);
    tcase_add_test(t, of_many_changes_only_the_newest_is_made);
    tcase_add_test(t, the_value_before_comes_from_the_cache);
    tcase_add_test(t, a_subscription_resumes_over_other_settings_and_not_over_another_grid);
    tcase_add_test(t, a_newer_change_takes_the_place_of_one_that_is_being_prepared);
    tcase_add_test(t, an_edit_behind_a_change_finds_it_finished);
    tcase_add_test(t, a_profile_that_is_opened_comes_in_slices);
    tcase_add_test(t, what_is_asked_behind_a_change_waits_for_it);
    tcase_add_test(t, what_can_be_reached_is_found_anew_with_other_settings);
    suite_add_tcase(s, t);
    TCase *stored = tcase_create("stored");
    tcase_add_checked_fixture(stored, start_stored, stop_stored);
    tcase_set_timeout(stored, 900);
    tcase_add_test(stored, a_restart_finds_each_profile_with_its_own_tiles);
    suite_add_tcase(s, stored);
    TCase *small = tcase_create("small");
    tcase_add_checked_fixture(small, start_small, stop_stored);
    tcase_set_timeout(small, 900);
    tcase_add_test(small, changes_that_cannot_be_stored_are_taken_back);
    suite_add_tcase(s, small);
    return run_suite(s);
}
