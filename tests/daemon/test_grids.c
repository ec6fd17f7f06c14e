// Settings and origins that give a profile another grid: what comes, in which order, and what goes.
#include "daemon/methods/methods.h"
#include "daemon/service/service.h"
#include "tests/daemon/profile_fixture.h"

START_TEST(another_grid_takes_the_place_of_the_older_one)
{
    nav_settings s = walker();
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    const int32_t cells[] = {48, 16, 8}; // fewer tiles, as before, more
    for (int i = 0; i < 3; i++) {
        size_t before = author.tile_count;
        s.tile_cells = cells[i];
        np_world_profile_response r = change(&author, "walker", &s);
        ck_assert_uint_eq(r.grid, r.revision);
        client_settle(&author);
        ck_assert_uint_eq(author.last_settings.grid, r.grid);
        ck_assert_uint_eq(author.settings_at, before);
        // What only the older grid has goes last, when all of the new one is there.
        bool gone = false;
        for (size_t k = before; k < author.tile_count; k++) {
            ck_assert_msg(!gone || author.tiles[k].status == NP_TILE_REMOVED, "a tile behind what is removed");
            gone |= author.tiles[k].status == NP_TILE_REMOVED;
        }
        ck_assert(gone == (i == 0));
        must_be_as_new(&author, sub, &s);
        await_synced(&author, r.revision);
    }
}
END_TEST

// Its client drops all that it had, so equal tiles come, too.
START_TEST(a_grid_that_comes_back_brings_all_of_its_tiles)
{
    static shown had;
    nav_settings s = walker();
    make_scene();
    uint64_t sub = subscribe(&author, "walker", NULL).subscription;
    client_settle(&author);
    collect_shown(&author, sub, &had);
    ck_assert_uint_gt(had.count, 1);
    fixture_hold_workers(&daemon_); // nothing comes of the grid in between
    s.tile_cells = 48;
    change(&author, "walker", &s);
    s = walker();
    uint64_t grid = change(&author, "walker", &s).grid;
    fixture_release_workers(&daemon_);
    client_settle(&author);
    ck_assert_uint_eq(author.last_settings.grid, grid);
    for (size_t i = 0; i < had.count; i++) {
        const seen_tile *t = client_last_tile(&author, had.tiles[i].x, had.tiles[i].z, author.settings_at);
        ck_assert_msg(t, "tile %d, %d did not come", had.tiles[i].x, had.tiles[i].z);
        ck_assert(nav_key_equal(t->data_key, had.tiles[i].data_key));
    }
}
END_TEST

START_TEST(the_origin_moves_all_profiles_at_once)
{
    nav_settings s = walker(), tall = walker();
    tall.agent_height_m = 3;
    make_scene();
    change(&author, "tall", &tall);
    uint64_t a = subscribe(&author, "walker", NULL).subscription, b = subscribe(&author, "tall", NULL).subscription;
    client_settle(&author);
    const np_world_origin_request r = {author.world, {1.5, -0.25, -40}};
    np_world_origin_response out;
    ck_assert_int_eq(client_call(&author, NP_WORLD_ORIGIN, &r, &out, NULL), NAV_OK);
    client_settle(&author);
    ck_assert_uint_eq(author.settings_notes, 2);
    ck_assert_mem_eq(author.last_settings.origin_m, r.origin_m, sizeof r.origin_m);
    np_world_open_response opened = stored_open(&author, "w");
    ck_assert_mem_eq(opened.origin_m, r.origin_m, sizeof r.origin_m);
    ck_assert_uint_eq(opened.profiles[0].grid, out.revision);
    must_be_as_new(&author, a, &s);
    must_be_as_new(&author, b, &tall);
}
END_TEST

typedef struct waiting {
    bool tiles_gone, waits;
} waiting;

static void look_at_waits(nd_server *s, void *user)
{
    const nd_world *w = nd_server_service(s)->methods->worlds->list[0];
    *(waiting *)user = (waiting){!w->gone_count, w->waiters != NULL};
}

START_TEST(who_waits_for_a_profile_waits_for_its_new_grid)
{
    nav_settings s = walker();
    np_jobs_wait_response done;
    waiting now;
    make_scene();
    fixture_hold_workers(&daemon_);
    s.agent_radius_m = 1;
    change(&author, "walker", &s);
    const np_jobs_wait_request wait = {
        .world = author.world, .has_profile = true, .profile = np_str_of("walker"), .has_bounds = true, .max = {5, 5}};
    uint32_t id = client_send(&author, NP_JOBS_WAIT, &wait);
    s.tile_cells = 24;
    uint64_t revision = change(&author, "walker", &s).revision;
    do fixture_call(&daemon_, look_at_waits, &now); // until nothing of the older grid is left
    while (!now.tiles_gone);
    fixture_release_workers(&daemon_);
    ck_assert(now.waits);
    ck_assert_int_eq(client_wait(&author, NP_JOBS_WAIT, id, &done, NULL), NAV_OK);
    ck_assert_uint_ge(done.revision, revision);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("grids");
    TCase *t = tcase_create("grids");
    tcase_add_checked_fixture(t, profile_start, profile_stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, another_grid_takes_the_place_of_the_older_one);
    tcase_add_test(t, a_grid_that_comes_back_brings_all_of_its_tiles);
    tcase_add_test(t, the_origin_moves_all_profiles_at_once);
    tcase_add_test(t, who_waits_for_a_profile_waits_for_its_new_grid);
    suite_add_tcase(s, t);
    return run_suite(s);
}
