// When what clients see of a tile changed last, and which tiles are gone.
#include "daemon/base/thread.h"
#include "daemon/world/changes.h"
#include "tests/check.h"

static nd_world *w;

static void start(void)
{
    static nd_namespace space;
    nd_thread_set_loop(true);
    ck_assert_int_eq(nd_world_create(1, &space, np_str_of("w"), (double[3]){0, 0, 0}, &w), NAV_OK);
}

static void stop(void)
{
    nd_world_destroy(w);
}

static nd_tile_result seen(np_tile_status status, uint64_t revision, uint64_t content)
{
    return (nd_tile_result){.status = status, .revision = revision, .content = {content, 0}};
}

// What follows for a tile whose result was `before`.
static uint64_t changed(nd_tile_result before, nd_tile_result now)
{
    nd_tile t = {.x = 3, .z = 4, .told = true, .result = now}; // of a mark that repeats a revision
    nd_changes_note(w, &t, &before);
    return t.result.changed;
}

START_TEST(only_what_clients_see_counts_as_a_change)
{
    w->revision = 9;
    nd_tile_result none = seen(NP_TILE_PENDING, 0, 0), one = seen(NP_TILE_OK, 5, 1);
    ck_assert_uint_eq(changed(none, one), 5);
    one.changed = 5;
    ck_assert_uint_eq(changed(one, seen(NP_TILE_OK, 7, 1)), 5); // the same bytes again
    ck_assert_uint_eq(changed(one, seen(NP_TILE_OK, 7, 2)), 7);
    ck_assert_uint_eq(changed(one, seen(NP_TILE_FAILED, 7, 1)), 7);
    nd_tile_result failed = seen(NP_TILE_FAILED, 7, 1);
    failed.changed = 7;
    ck_assert_uint_eq(changed(failed, seen(NP_TILE_FAILED, 8, 1)), 7);
    ck_assert_uint_eq(changed(failed, seen(NP_TILE_OK, 9, 1)), 9);
    ck_assert_uint_eq(w->revision, 9);
}
END_TEST

START_TEST(a_change_is_never_below_what_clients_were_told_to_have)
{
    w->revision = w->scheduler.told = 6;
    nd_tile_result failed = seen(NP_TILE_FAILED, 6, 1), healed = seen(NP_TILE_OK, 6, 2);
    ck_assert_uint_eq(changed(failed, healed), 7); // tried again, with no edit between
    ck_assert_uint_eq(w->revision, 7);
    ck_assert_uint_eq(changed(failed, healed), 7); // the next one of its kind needs no other number
    ck_assert_uint_eq(w->revision, 7);
}
END_TEST

START_TEST(removed_tiles_are_known_newest_first_and_once)
{
    w->revision = 9;
    nd_changes_add_removed(w, 0, 1, 1, 3);
    nd_changes_add_removed(w, 0, 2, 2, 8);
    nd_changes_add_removed(w, 0, 3, 3, 5); // as it comes back from disk, in any order
    nd_changes_add_removed(w, 0, 1, 1, 9);
    const uint64_t order[] = {9, 8, 5};
    const nd_removed *r = nd_changes_newest_removed(w);
    for (int i = 0; i < 3; i++, r = r->older) {
        ck_assert_ptr_nonnull(r);
        ck_assert_uint_eq(r->changed, order[i]);
    }
    ck_assert_ptr_null(r);
    ck_assert(nd_changes_reach_back(w, 0));
    ck_assert(!nd_changes_reach_back(w, 10)); // another history
    ck_assert_uint_eq(changed(seen(NP_TILE_OK, 2, 1), seen(NP_TILE_REMOVED, 9, 0)), 9);
    ck_assert_int_eq(nd_changes_newest_removed(w)->x, 3);
    ck_assert_uint_eq(changed(seen(NP_TILE_PENDING, 0, 0), seen(NP_TILE_REMOVED, 9, 0)), 9); // as after a restart
    ck_assert_uint_eq(changed(seen(NP_TILE_REMOVED, 8, 0), seen(NP_TILE_REMOVED, 9, 0)), 0);
}
END_TEST

START_TEST(what_was_forgotten_cannot_be_resumed_from)
{
    w->revision = ND_MAX_REMOVED + 10;
    for (int i = 0; i < ND_MAX_REMOVED; i++) nd_changes_add_removed(w, 0, i, 0, (uint64_t)i + 1);
    ck_assert(nd_changes_reach_back(w, 0));
    nd_changes_add_removed(w, 0, -1, 0, ND_MAX_REMOVED + 1);
    ck_assert(!nd_changes_reach_back(w, 0)); // the removal of revision 1 is forgotten
    ck_assert(nd_changes_reach_back(w, 1));
    ck_assert_uint_eq(w->removed.forgotten, 1);
}
END_TEST

START_TEST(what_is_forgotten_while_it_comes_back_from_disk_cannot_be_resumed_from)
{
    w->revision = ND_MAX_REMOVED + 10;
    for (int i = 0; i < ND_MAX_REMOVED; i++) nd_changes_add_removed(w, 0, i, 0, (uint64_t)i + 5);
    nd_changes_add_removed(w, 0, -1, 0, 3); // the removal of revision 5 is forgotten
    nd_changes_add_removed(w, 0, -2, 0, 4); // that of 3
    ck_assert(!nd_changes_reach_back(w, 4));
    ck_assert(nd_changes_reach_back(w, 5));
}
END_TEST

START_TEST(complete_is_what_is_made_and_would_survive)
{
    nd_tile *t;
    w->revision = 5;
    ck_assert_uint_eq(nd_changes_complete_in(w, NULL), 5);
    ck_assert_int_eq(nd_scheduler_add_profile(&w->scheduler), NAV_OK);
    ck_assert_int_eq(nd_scheduler_touch(&w->scheduler, 0, 0, 0, &t), NAV_OK);
    (void)nd_scheduler_mark(&w->scheduler, t, &(nd_mark){.revision = 4});
    ck_assert_uint_eq(nd_changes_complete_in(w, NULL), 3);
    nd_scheduler_settle(&w->scheduler, t);
    ck_assert_uint_eq(nd_changes_complete_in(w, NULL), 5);
    w->durable = 2;
    ck_assert_uint_eq(nd_changes_complete_in(w, NULL), 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("changes");
    TCase *t = tcase_create("changes");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, only_what_clients_see_counts_as_a_change);
    tcase_add_test(t, a_change_is_never_below_what_clients_were_told_to_have);
    tcase_add_test(t, removed_tiles_are_known_newest_first_and_once);
    tcase_add_test(t, what_was_forgotten_cannot_be_resumed_from);
    tcase_add_test(t, what_is_forgotten_while_it_comes_back_from_disk_cannot_be_resumed_from);
    tcase_add_test(t, complete_is_what_is_made_and_would_survive);
    return run_suite(s);
}
