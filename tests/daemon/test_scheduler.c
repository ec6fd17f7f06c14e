#include "daemon/schedule/scheduler.h"

#include "daemon/base/thread.h"
#include "tests/check.h"

#include <stdlib.h>

static nd_scheduler s;
static const nd_pace pace = {.stale_ns = 50, .rest_ns = 33};

static void start(void)
{
    nd_thread_set_loop(true);
    nd_scheduler_init(&s);
    s.pace = &pace;
    ck_assert_int_eq(nd_scheduler_add_profile(&s), NAV_OK);
    ck_assert_int_eq(nd_scheduler_add_profile(&s), NAV_OK);
}

static void stop(void)
{
    nd_scheduler_deinit(&s);
}

static nd_tile *tile(uint32_t profile, int32_t x, int32_t z)
{
    nd_tile *t;
    ck_assert_int_eq(nd_scheduler_touch(&s, profile, x, z, &t), NAV_OK);
    return t;
}

// No two of these marks come soon after each other, and no tile gets stale.
static void *mark(nd_tile *t, uint64_t revision)
{
    const nd_mark m = {.revision = revision};
    return nd_scheduler_mark(&s, t, &m);
}

static nd_tile *next(void)
{
    nd_tile *t = nd_scheduler_next(&s, ND_INTERACTIVE, false);
    return t ? t : nd_scheduler_next(&s, ND_INTERACTIVE, true);
}

START_TEST(a_tile_marked_often_is_one_entry)
{
    nd_tile *t = tile(0, 3, 4);
    for (uint64_t r = 1; r <= 5; r++) ck_assert_ptr_null(mark(t, r));
    ck_assert_ptr_eq(next(), t);
    ck_assert_uint_eq(nd_scheduler_queued(&s), 1);
    uint64_t ticket = nd_scheduler_start(&s, t, &s);
    ck_assert_ptr_null(next());
    ck_assert(nd_scheduler_finish(&s, t, ticket));
    ck_assert_int_eq(t->state, ND_TILE_CLEAN);
}
END_TEST

START_TEST(a_tile_that_must_be_made_anew_stays_so_until_it_runs)
{
    nd_tile *t = tile(0, 3, 4);
    const nd_mark forced = {.revision = 1, .forced = true};
    (void)nd_scheduler_mark(&s, t, &forced);
    mark(t, 2);
    ck_assert(t->forced);
    uint64_t ticket = nd_scheduler_start(&s, t, &s);
    ck_assert(!t->forced);
    ck_assert(nd_scheduler_finish(&s, t, ticket));
}
END_TEST

START_TEST(the_same_place_in_two_profiles_is_two_tiles)
{
    ck_assert_ptr_ne(tile(0, 1, 1), tile(1, 1, 1));
    ck_assert_ptr_eq(tile(1, 1, 1), tile(1, 1, 1));
    ck_assert_ptr_null(nd_scheduler_find(&s, 0, 1, 2));
}
END_TEST

START_TEST(a_mark_on_a_running_tile_outdates_its_run_and_queues_it_at_once)
{
    nd_tile *t = tile(0, 0, 0);
    int first_run, second_run;
    mark(t, 1);
    uint64_t first = nd_scheduler_start(&s, t, &first_run);
    ck_assert_ptr_eq(mark(t, 2), &first_run);
    ck_assert_ptr_null(mark(t, 3)); // told once
    ck_assert_ptr_eq(next(), t);
    uint64_t second = nd_scheduler_start(&s, t, &second_run);
    ck_assert(!nd_scheduler_finish(&s, t, first)); // the old run comes back late
    ck_assert_int_eq(t->state, ND_TILE_RUNNING);
    ck_assert(nd_scheduler_finish(&s, t, second));
    ck_assert(!nd_scheduler_finish(&s, t, second));
    ck_assert_uint_eq(s.running_count, 0);
}
END_TEST

START_TEST(without_a_focus_the_oldest_mark_comes_first)
{
    nd_tile *a = tile(0, 9, 9), *b = tile(1, 0, 0), *c = tile(0, 1, 0);
    mark(a, 1);
    mark(b, 1);
    mark(c, 1);
    mark(a, 2); // keeps its place
    nd_tile *want[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_eq(next(), want[i]);
        nd_scheduler_settle(&s, want[i]);
    }
}
END_TEST

START_TEST(tiles_come_in_the_order_of_their_distance_to_a_focus_that_moves)
{
    enum { SIDE = 20 };
    for (int i = 0; i < SIDE * SIDE; i++) mark(tile(0, i % SIDE, i / SIDE), 1);
    ck_assert_int_eq(nd_scheduler_set_focus(&s, 7, 0, 5.5, 5.5), NAV_OK);
    double last = -1;
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (i == 100) { // half-way, the camera jumps
            ck_assert_int_eq(nd_scheduler_set_focus(&s, 7, 0, 18.5, 18.5), NAV_OK);
            last = -1;
        }
        nd_tile *t = next();
        double f = i < 100 ? 5 : 18, d = (t->x - f) * (t->x - f) + (t->z - f) * (t->z - f);
        ck_assert_msg(d >= last, "tile %d: distance %g comes after %g", i, d, last);
        last = d;
        if (i % 3) nd_scheduler_miss(&s, t);
        if (t->missed) ck_assert_ptr_eq(nd_scheduler_next(&s, ND_INTERACTIVE, true), t);
        nd_scheduler_settle(&s, t);
    }
    ck_assert_ptr_null(next());
}
END_TEST

static double distance2(const nd_tile *t, double f)
{
    return (t->x - f) * (t->x - f) + (t->z - f) * (t->z - f);
}

// So many that they are not all measured at once: the first ones taken may be others, as there is not yet time to know
// better; then the nearest come, and none is lost or comes twice, whatever happens to it meanwhile.
START_TEST(many_tiles_are_ordered_in_parts_when_the_focus_jumps)
{
    enum { SIDE = 120, LATE = SIDE * SIDE / 256 + 1, MARKED = 10, CANCELLED = 20 };
    for (int i = 0; i < SIDE * SIDE; i++) mark(tile(0, i % SIDE, i / SIDE), i < CANCELLED ? 1 : 2);
    ck_assert_int_eq(nd_scheduler_set_focus(&s, 7, 0, 0.5, 0.5), NAV_OK);
    for (int i = 0; i < LATE; i++) nd_scheduler_settle(&s, next());
    ck_assert_int_eq(nd_scheduler_set_focus(&s, 7, 0, 100.5, 100.5), NAV_OK);
    size_t left = nd_scheduler_queued(&s);
    double last = -1;
    for (int i = 0; left; i++, left--) {
        nd_tile *t = next();
        ck_assert_uint_eq(nd_scheduler_queued(&s), left);
        if (i == MARKED) { // into another queue and back, and out of all
            uint64_t revision = 1;
            nd_scheduler_miss(&s, tile(0, 60, 60));
            mark(tile(0, 60, 60), 3);
            left -= nd_scheduler_cancel(&s, &revision, NULL, NULL);
            ck_assert_uint_eq(nd_scheduler_queued(&s), left);
            t = next();
        }
        if (i > LATE) {
            ck_assert_msg(distance2(t, 100) >= last, "tile %d: %g comes after %g", i, distance2(t, 100), last);
            last = distance2(t, 100);
        }
        nd_scheduler_settle(&s, t);
    }
    ck_assert_ptr_null(next());
}
END_TEST

START_TEST(tiles_that_nobody_looks_at_come_last)
{
    nd_tile *other = tile(1, 0, 0), *far = tile(0, 1000, 1000);
    mark(other, 1);
    mark(far, 1);
    ck_assert_ptr_eq(next(), other);
    ck_assert_int_eq(nd_scheduler_set_focus(&s, 1, 0, 0, 0), NAV_OK);
    ck_assert_ptr_eq(next(), far);
    nd_scheduler_remove_focus(&s, 1);
    ck_assert_ptr_eq(next(), other);
}
END_TEST

START_TEST(a_missed_tile_waits_for_a_worker_until_its_input_changes)
{
    nd_tile *t = tile(0, 0, 0);
    mark(t, 1);
    nd_scheduler_miss(&s, t);
    ck_assert_ptr_null(nd_scheduler_next(&s, ND_INTERACTIVE, false));
    ck_assert_ptr_eq(next(), t);
    mark(t, 2); // another input: the cache may have this one
    ck_assert_ptr_eq(nd_scheduler_next(&s, ND_INTERACTIVE, false), t);
}
END_TEST

START_TEST(revisions_are_done_when_their_oldest_tile_is)
{
    nd_tile *a = tile(0, 0, 0), *b = tile(0, 1, 0);
    ck_assert(nd_scheduler_done_to(&s, 100));
    mark(a, 1);
    mark(b, 2);
    mark(a, 3);
    ck_assert(nd_scheduler_done_to(&s, 0));
    ck_assert(!nd_scheduler_done_to(&s, 1));
    nd_scheduler_settle(&s, b);
    ck_assert(!nd_scheduler_done_to(&s, 2)); // a, of revision 1, is not out
    nd_scheduler_settle(&s, a);
    ck_assert(nd_scheduler_done_to(&s, 3));
    ck_assert_uint_eq(s.progress[0].done, 2);
    ck_assert_uint_eq(s.progress[0].open, 0);
    mark(a, 4);
    ck_assert_uint_eq(s.progress[0].done, 0); // counted again since it was idle
}
END_TEST

static void count_run(void *user, void *run)
{
    ck_assert_ptr_eq(run, &s);
    ++*(int *)user;
}

START_TEST(a_held_tile_is_not_done_until_it_is_released_and_finished)
{
    nd_tile *a = tile(0, 0, 0), *b = tile(0, 1, 0);
    mark(a, 1);
    mark(b, 2);
    nd_scheduler_hold(&s, a);
    ck_assert(!nd_scheduler_done_to(&s, 1));
    ck_assert(nd_scheduler_was_last(&s, 1));
    ck_assert_ptr_eq(next(), b);
    uint64_t ticket = nd_scheduler_start(&s, b, &s);
    ck_assert(nd_scheduler_is_newest(b, ticket));
    nd_scheduler_hold(&s, b); // from its run
    ck_assert(!nd_scheduler_is_newest(b, ticket));
    ck_assert_uint_eq(s.running_count, 0);
    ck_assert_ptr_null(next());
    mark(b, 3); // new input: no longer held, as old as it was
    ck_assert_ptr_eq(next(), b);
    ck_assert_uint_eq(b->since, 2);
    nd_scheduler_release(&s, a);
    ck_assert_ptr_eq(s.open.oldest, a);
    nd_scheduler_settle(&s, a);
    ck_assert(nd_scheduler_done_to(&s, 1) && !nd_scheduler_done_to(&s, 2));
    ticket = nd_scheduler_start(&s, b, &s);
    nd_scheduler_requeue(&s, b); // its run ends, and it is not finished
    ck_assert_int_eq(b->state, ND_TILE_QUEUED);
    nd_scheduler_settle(&s, b);
    ck_assert(nd_scheduler_done_to(&s, 9));
    ck_assert_uint_eq(s.progress[0].open, 0);
    ck_assert_uint_eq(s.progress[0].done, 2);
}
END_TEST

static void check_list(const nd_tile_list *l, bool held)
{
    size_t count = 0;
    const nd_tile *before = NULL;
    for (const nd_tile *t = l->oldest; t; before = t, t = t->after, count++) {
        ck_assert_ptr_eq(t->before, before);
        ck_assert(!before || before->since <= t->since);
        ck_assert_int_eq(t->state == ND_TILE_HELD, held);
    }
    ck_assert_ptr_eq(l->newest, before);
    ck_assert_uint_eq(l->count, count);
}

START_TEST(lists_stay_in_the_order_of_their_revisions_whatever_comes)
{
    enum { COUNT = 60 };
    nd_tile *all[COUNT];
    uint32_t random = 7;
    for (int32_t i = 0; i < COUNT; i++) all[i] = tile(0, i, 0);
    for (int step = 0; step < 20000; step++) {
        random = random * 1664525u + 1013904223u;
        nd_tile *t = all[(random >> 16) % COUNT];
        uint64_t since = t->since;
        bool left = t->state == ND_TILE_QUEUED, was_last = true;
        for (int i = 0; i < COUNT; i++)
            was_last &= all[i] == t || all[i]->state != ND_TILE_QUEUED || all[i]->since != since;
        if (t->state == ND_TILE_CLEAN) {
            (void)mark(t, (uint64_t)(step / 200) + random % 5);
        } else if (t->state == ND_TILE_HELD) {
            nd_scheduler_release(&s, t);
        } else if (random & 1) {
            nd_scheduler_hold(&s, t);
        } else {
            nd_scheduler_settle(&s, t);
        }
        if (left) ck_assert_int_eq(nd_scheduler_was_last(&s, since), was_last);
        check_list(&s.open, false);
        check_list(&s.held, true);
    }
}
END_TEST

START_TEST(cancelling_leaves_every_tile_clean_and_stops_what_runs)
{
    int stopped = 0;
    nd_tile *running = tile(0, 0, 0);
    for (int i = 0; i < 10; i++) mark(tile(0, i, 0), 1);
    uint64_t ticket = nd_scheduler_start(&s, running, &s);
    nd_scheduler_miss(&s, tile(0, 5, 0));
    ck_assert_uint_eq(nd_scheduler_cancel(&s, NULL, count_run, &stopped), 10);
    ck_assert_int_eq(stopped, 1);
    ck_assert_ptr_null(next());
    ck_assert(nd_scheduler_done_to(&s, 1));
    ck_assert(!nd_scheduler_finish(&s, running, ticket));
    nd_scheduler_forget(&s, running);
    ck_assert_ptr_null(nd_scheduler_find(&s, 0, 0, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scheduler");
    TCase *t = tcase_create("scheduler");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(suite, t);
    tcase_add_test(t, a_tile_marked_often_is_one_entry);
    tcase_add_test(t, a_tile_that_must_be_made_anew_stays_so_until_it_runs);
    tcase_add_test(t, the_same_place_in_two_profiles_is_two_tiles);
    tcase_add_test(t, a_mark_on_a_running_tile_outdates_its_run_and_queues_it_at_once);
    tcase_add_test(t, without_a_focus_the_oldest_mark_comes_first);
    tcase_add_test(t, tiles_come_in_the_order_of_their_distance_to_a_focus_that_moves);
    tcase_add_test(t, many_tiles_are_ordered_in_parts_when_the_focus_jumps);
    tcase_add_test(t, tiles_that_nobody_looks_at_come_last);
    tcase_add_test(t, a_missed_tile_waits_for_a_worker_until_its_input_changes);
    tcase_add_test(t, revisions_are_done_when_their_oldest_tile_is);
    tcase_add_test(t, a_held_tile_is_not_done_until_it_is_released_and_finished);
    tcase_add_test(t, lists_stay_in_the_order_of_their_revisions_whatever_comes);
    tcase_add_test(t, cancelling_leaves_every_tile_clean_and_stops_what_runs);
    return run_suite(suite);
}
