// Who comes next, counted; time is an argument everywhere.
#include "daemon/access/quota.h"
#include "daemon/base/thread.h"
#include "daemon/schedule/scheduler.h"
#include "daemon/work/backlog.h"
#include "tests/check.h"

#include <stdlib.h>

static const nd_pace pace = {.stale_ns = 50, .rest_ns = 33};
static nd_scheduler s;

static void start(void)
{
    nd_thread_set_loop(true);
    nd_scheduler_init(&s);
    s.pace = &pace;
    ck_assert_int_eq(nd_scheduler_add_profile(&s), NAV_OK);
}

static void stop(void)
{
    nd_scheduler_deinit(&s);
}

// --- the heap and the shares ---

typedef struct number {
    nd_heap_node node;
    uint32_t value;
} number;

static bool less(const nd_heap_node *a, const nd_heap_node *b)
{
    return ND_HEAP_HOLDER(a, const number, node)->value < ND_HEAP_HOLDER(b, const number, node)->value;
}

START_TEST(a_heap_gives_the_least_whatever_is_taken_out_between)
{
    enum { COUNT = 500 };
    static number all[COUNT];
    bool in[COUNT] = {false};
    nd_heap h = {0};
    uint32_t random = 1;
    size_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) all[i].value = i * 7919 % COUNT;
    for (int step = 0; step < 20000; step++) {
        random = random * 1664525u + 1013904223u;
        uint32_t i = (random >> 8) % COUNT;
        if (in[i])
            nd_heap_remove(&h, &all[i].node, less);
        else
            nd_heap_push(&h, &all[i].node, less);
        in[i] = !in[i];
        count += in[i] ? 1 : (size_t)-1;
        ck_assert_uint_eq(h.count, count);
        if (step % 50) continue;
        uint32_t least = UINT32_MAX;
        for (uint32_t k = 0; k < COUNT; k++)
            if (in[k] && all[k].value < least) least = all[k].value;
        ck_assert_uint_eq(h.first ? ND_HEAP_HOLDER(h.first, number, node)->value : UINT32_MAX, least);
    }
}
END_TEST

START_TEST(a_heap_stays_one_while_any_of_it_are_taken)
{
    enum { COUNT = 3000 };
    static number all[COUNT];
    nd_heap h = {0};
    bool taken[COUNT] = {false};
    for (uint32_t i = 0; i < COUNT; i++) {
        all[i].value = i * 7919 % COUNT;
        nd_heap_push(&h, &all[i].node, less);
    }
    for (size_t left = COUNT; left; left--) {
        nd_heap_node *first = h.first;
        nd_heap_node *n = left % 5 ? nd_heap_take_any(&h) : first;
        if (left % 5 == 0) nd_heap_remove(&h, first, less);
        if (left % 5 && left > 1) ck_assert_ptr_ne(n, first);
        number *v = ND_HEAP_HOLDER(n, number, node);
        ck_assert(!taken[v->value]);
        taken[v->value] = true;
        if (left % 5) continue;
        for (uint32_t k = 0; k < v->value; k++) ck_assert_msg(taken[k], "%u is in there, %u came first", k, v->value);
    }
    ck_assert_ptr_null(h.first);
    ck_assert_ptr_null(nd_heap_take_any(&h));
}
END_TEST

static uint32_t comparisons;

static bool less_counted(const nd_heap_node *a, const nd_heap_node *b)
{
    comparisons++;
    return less(a, b);
}

// A heap of so many must not hold its owner up when the first of them is taken.
START_TEST(a_heap_takes_the_first_of_many_in_few_steps)
{
    enum { COUNT = 1 << 16, FEW = 64 };
    number *all = calloc(COUNT, sizeof *all);
    nd_heap h = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        all[i].value = i;
        comparisons = 0;
        nd_heap_push(&h, &all[i].node, less_counted);
        ck_assert_uint_le(comparisons, FEW);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(ND_HEAP_HOLDER(h.first, number, node)->value, i);
        comparisons = 0;
        nd_heap_remove(&h, h.first, less_counted);
        ck_assert_uint_le(comparisons, FEW);
    }
    free(all);
}
END_TEST

START_TEST(shares_get_what_their_weights_say)
{
    enum { PARTIES = 3 };
    nd_shares all = {0};
    nd_share p[PARTIES];
    const uint32_t weights[PARTIES] = {1, 4, 16};
    uint64_t got[PARTIES] = {0};
    for (int i = 0; i < PARTIES; i++) {
        nd_share_init(&p[i], &got[i], weights[i]);
        nd_share_activate(&all, &p[i]);
    }
    for (int i = 0; i < 2100; i++) {
        nd_share *first = nd_shares_first(&all);
        ++*(uint64_t *)first->owner;
        nd_share_charge(&all, first, 1000);
    }
    for (int i = 0; i < PARTIES; i++) {
        ck_assert_uint_ge(got[i], 100 * weights[i] - 2);
        ck_assert_uint_le(got[i], 100 * weights[i] + 2);
    }
}
END_TEST

START_TEST(who_had_nothing_to_do_has_not_saved_up)
{
    nd_shares all = {0};
    nd_share busy, idle;
    nd_share_init(&busy, NULL, 1);
    nd_share_init(&idle, NULL, 1);
    nd_share_activate(&all, &busy);
    for (int i = 0; i < 1000; i++) nd_share_charge(&all, nd_shares_first(&all), 10);
    nd_share_activate(&all, &idle);
    int turns = 0;
    for (int i = 0; i < 100; i++) {
        nd_share *first = nd_shares_first(&all);
        turns += first == &idle;
        nd_share_charge(&all, first, 10);
    }
    ck_assert_int_ge(turns, 49); // half, and not all hundred
    ck_assert_int_le(turns, 52);
}
END_TEST

START_TEST(a_namespace_without_a_weight_has_one_part)
{
    static const struct {
        uint64_t value;
        uint32_t weight;
    } cases[] = {{UINT64_MAX, 1}, {0, 1}, {1, 1}, {4, 4}, {5000, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nd_quota q;
        q.max[ND_QUOTA_weight] = cases[i].value;
        ck_assert_uint_eq(nd_quota_weight(&q), cases[i].weight);
    }
}
END_TEST

// --- flows ---

static nd_tile *mark(int32_t x, nd_caller *caller, nd_class class, uint64_t revision)
{
    nd_tile *t;
    ck_assert_int_eq(nd_scheduler_touch(&s, 0, x, 0, &t), NAV_OK);
    const nd_mark m = {.revision = revision, .now_ns = 1000 * revision, .class = class, .caller = caller};
    (void)nd_scheduler_mark(&s, t, &m);
    return t;
}

// Serves the queue as the builder does, each tile at the same cost. Returns whose it was.
static nd_caller *serve(nd_class class)
{
    nd_tile *t = nd_scheduler_next(&s, class, false);
    if (!t) return NULL;
    nd_caller *caller = t->flow->caller;
    nd_flows_charge(&s.flows, t, 2 * class, 100);
    nd_scheduler_settle(&s, t);
    return caller;
}

START_TEST(a_caller_with_few_tiles_does_not_wait_for_one_with_many)
{
    nd_caller *many = nd_caller_create(1), *few = nd_caller_create(2);
    ck_assert_int_eq(nd_flows_admit(&s.flows, many), NAV_OK);
    ck_assert_int_eq(nd_flows_admit(&s.flows, few), NAV_OK);
    for (int32_t x = 0; x < 1000; x++) mark(x, many, ND_INTERACTIVE, 1);
    for (int i = 0; i < 100; i++) ck_assert_ptr_eq(serve(ND_INTERACTIVE), many);
    for (int32_t x = 2000; x < 2010; x++) mark(x, few, ND_INTERACTIVE, 2);
    int turns = 0;
    for (int i = 0; i < 22; i++) turns += serve(ND_INTERACTIVE) == few;
    ck_assert_int_eq(turns, 10);
    nd_caller_unref(many);
    nd_caller_unref(few);
}
END_TEST

START_TEST(callers_share_as_their_priorities_say)
{
    nd_caller *callers[3];
    const np_priority priorities[3] = {NP_PRIORITY_LOW, NP_PRIORITY_NORMAL, NP_PRIORITY_HIGH};
    int turns[3] = {0};
    for (int i = 0; i < 3; i++) {
        callers[i] = nd_caller_create((uint64_t)i + 1);
        nd_caller_set_priority(callers[i], priorities[i]);
        ck_assert_int_eq(nd_flows_admit(&s.flows, callers[i]), NAV_OK);
        for (int32_t x = 0; x < 400; x++) mark(1000 * i + x, callers[i], ND_BACKGROUND, 1);
    }
    for (int k = 0; k < 420; k++) {
        const nd_caller *c = serve(ND_BACKGROUND);
        for (int i = 0; i < 3; i++) turns[i] += callers[i] == c;
    }
    ck_assert_int_ge(turns[0], 19);
    ck_assert_int_le(turns[0], 21);
    ck_assert_int_ge(turns[1], 79);
    ck_assert_int_le(turns[1], 81);
    for (int i = 0; i < 3; i++) nd_caller_unref(callers[i]);
}
END_TEST

START_TEST(worlds_share_what_lies_above_them)
{
    nd_shares above[ND_QUEUES] = {0};
    nd_scheduler other;
    nd_scheduler_init(&other);
    ck_assert_int_eq(nd_scheduler_add_profile(&other), NAV_OK);
    nd_flows_share(&s.flows, &s, 1, above);
    nd_flows_share(&other.flows, &other, 3, above);
    const nd_mark m = {.revision = 1, .class = ND_BACKGROUND};
    for (int32_t x = 0; x < 500; x++) {
        nd_tile *t;
        mark(x, NULL, ND_BACKGROUND, 1);
        ck_assert_int_eq(nd_scheduler_touch(&other, 0, x, 0, &t), NAV_OK);
        (void)nd_scheduler_mark(&other, t, &m);
    }
    int mine = 0;
    for (int i = 0; i < 400; i++) {
        nd_scheduler *w = nd_shares_first(&above[2 * ND_BACKGROUND])->owner;
        nd_tile *t = nd_scheduler_next(w, ND_BACKGROUND, false);
        mine += w == &s;
        nd_flows_charge(&w->flows, t, 2 * ND_BACKGROUND, 100);
        nd_scheduler_settle(w, t);
    }
    ck_assert_int_ge(mine, 99);
    ck_assert_int_le(mine, 101);
    nd_scheduler_deinit(&other);
    ck_assert_ptr_eq(nd_shares_first(&above[2 * ND_BACKGROUND])->owner, &s); // the one that is gone takes no turns
    stop();
    ck_assert_ptr_null(nd_shares_first(&above[2 * ND_BACKGROUND]));
    start();
}
END_TEST

START_TEST(a_tile_of_the_background_that_is_edited_becomes_urgent)
{
    nd_tile *t = mark(0, NULL, ND_BACKGROUND, 1);
    ck_assert_ptr_null(nd_scheduler_next(&s, ND_INTERACTIVE, false));
    nd_scheduler_miss(&s, t);
    mark(0, NULL, ND_INTERACTIVE, 2);
    ck_assert_ptr_eq(nd_scheduler_next(&s, ND_INTERACTIVE, false), t);
    mark(0, NULL, ND_BACKGROUND, 3); // and stays so
    ck_assert_ptr_eq(nd_scheduler_next(&s, ND_INTERACTIVE, false), t);
    ck_assert_uint_eq(t->since, 1);
}
END_TEST

START_TEST(a_flow_outlives_its_session_until_its_last_tile_is_clean)
{
    nd_caller *c = nd_caller_create(7);
    ck_assert_int_eq(nd_flows_admit(&s.flows, c), NAV_OK);
    nd_tile *t = mark(0, c, ND_INTERACTIVE, 1);
    nd_flows_leave(&s.flows, c);
    ck_assert_uint_eq(s.flows.table.count, 1);
    ck_assert_ptr_eq(t->flow->caller, c);
    nd_scheduler_settle(&s, t);
    ck_assert_uint_eq(s.flows.table.count, 0);
    ck_assert_ptr_eq(t->cause.caller, c); // the report still knows
    ck_assert_uint_eq(c->refs, 2);
    nd_caller_unref(c);
}
END_TEST

// --- tiles that are edited all the time ---

static void *mark_at(nd_tile *t, uint64_t revision, uint64_t now_ns)
{
    const nd_mark m = {.revision = revision, .now_ns = now_ns};
    return nd_scheduler_mark(&s, t, &m);
}

START_TEST(a_run_of_a_tile_that_is_stale_too_long_goes_on_and_counts)
{
    int run;
    nd_tile *t = mark(0, NULL, ND_INTERACTIVE, 1); // at 1000
    uint64_t ticket = nd_scheduler_start(&s, t, &run);
    ck_assert_ptr_null(mark_at(t, 2, 1050)); // stale for 50: it is not said to stop
    ck_assert_ptr_null(mark_at(t, 3, 1090));
    ck_assert(nd_scheduler_is_newest(t, ticket));
    ck_assert(nd_scheduler_finish(&s, t, ticket));
    ck_assert_int_eq(t->state, ND_TILE_QUEUED); // for what it has not read
    ck_assert_uint_eq(t->since, 2);
    ck_assert_uint_eq(t->marked_ns, 1050);
    ck_assert(nd_scheduler_done_to(&s, 1) && !nd_scheduler_done_to(&s, 2));
    ck_assert_uint_eq(s.running_count, 0);
}
END_TEST

START_TEST(a_run_that_is_void_is_stopped_however_stale_its_tile_is)
{
    int run;
    nd_tile *t = mark(0, NULL, ND_INTERACTIVE, 1);
    (void)nd_scheduler_start(&s, t, &run);
    ck_assert_ptr_null(mark_at(t, 2, 1050)); // it goes on
    const nd_mark m = {.revision = 3, .now_ns = 1060, .class = ND_BACKGROUND, .by = ND_BY_AREA, .voids = true};
    ck_assert_ptr_eq(nd_scheduler_mark(&s, t, &m), &run);
    ck_assert_int_eq(t->state, ND_TILE_QUEUED);
    ck_assert_uint_eq(t->since, 1);
    ck_assert_uint_eq(s.running_count, 0);
}
END_TEST

START_TEST(a_run_of_a_tile_that_is_fresh_is_stopped)
{
    int run;
    nd_tile *t = mark(0, NULL, ND_INTERACTIVE, 1);
    (void)nd_scheduler_start(&s, t, &run);
    ck_assert_ptr_eq(mark_at(t, 2, 1049), &run);
    ck_assert_int_eq(t->state, ND_TILE_QUEUED);
}
END_TEST

START_TEST(a_tile_that_never_rests_is_begun_once_in_a_while_and_always_delivered)
{
    int run, delivered = 0, begun = 0;
    nd_tile *t = NULL;
    uint64_t ticket = 0, ends_ns = 0, last_begun_ns = 0;
    ck_assert_int_eq(nd_scheduler_touch(&s, 0, 0, 0, &t), NAV_OK);
    // An object that moves every 5 ns, and a tile that takes 20 to make: each run is outdated before it ends.
    for (uint64_t now = 10000; now < 13300; now++) {
        if (now % 5 == 0 && mark_at(t, now, now)) ticket = 0;
        nd_scheduler_wake(&s, now);
        if (ticket && now == ends_ns) {
            delivered += nd_scheduler_finish(&s, t, ticket);
            ticket = 0;
        }
        if (!ticket && nd_scheduler_next(&s, ND_INTERACTIVE, false)) {
            if (begun > 5) ck_assert_uint_ge(now - last_begun_ns, 33);
            t->begun_ns = last_begun_ns = now;
            ticket = nd_scheduler_start(&s, t, &run);
            ends_ns = now + 20;
            begun++;
        }
    }
    ck_assert_int_ge(delivered, 80); // of 100 times 33
    ck_assert_int_le(begun, 110);
}
END_TEST

START_TEST(a_tile_that_rests_is_due_and_is_given_up_like_any_other)
{
    nd_tile *t;
    ck_assert_int_eq(nd_scheduler_touch(&s, 0, 0, 0, &t), NAV_OK);
    for (uint64_t i = 0; i < 6; i++) {
        (void)mark_at(t, i, 100 + i);
        if (!t->resting) nd_scheduler_settle(&s, t);
        t->begun_ns = 100 + i;
    }
    ck_assert(t->resting);
    uint64_t due = nd_scheduler_due(&s);
    ck_assert_uint_eq(nd_scheduler_queued(&s), 1);
    ck_assert_ptr_null(nd_scheduler_next(&s, ND_INTERACTIVE, false));
    nd_scheduler_wake(&s, due - 1);
    ck_assert(t->resting);
    nd_scheduler_wake(&s, due);
    ck_assert_ptr_eq(nd_scheduler_next(&s, ND_INTERACTIVE, false), t);
    ck_assert_uint_eq(nd_scheduler_due(&s), UINT64_MAX);
    uint64_t revision = t->since;
    ck_assert_uint_eq(nd_scheduler_cancel(&s, &revision, NULL, NULL), 1);
    ck_assert_int_eq(t->state, ND_TILE_CLEAN);
}
END_TEST

START_TEST(cancelling_one_revision_leaves_the_others)
{
    nd_tile *a = mark(0, NULL, ND_INTERACTIVE, 1), *b = mark(1, NULL, ND_INTERACTIVE, 2);
    nd_tile *c = mark(2, NULL, ND_INTERACTIVE, 2), *d = mark(3, NULL, ND_INTERACTIVE, 3);
    nd_scheduler_hold(&s, c);
    const uint64_t revision = 2;
    ck_assert_uint_eq(nd_scheduler_cancel(&s, &revision, NULL, NULL), 2);
    ck_assert_int_eq(a->state, ND_TILE_QUEUED);
    ck_assert_int_eq(b->state, ND_TILE_CLEAN);
    ck_assert_int_eq(c->state, ND_TILE_CLEAN);
    ck_assert_int_eq(d->state, ND_TILE_QUEUED);
}
END_TEST

// --- failures ---

#define SECOND UINT64_C(1000000000)

static void fail_tile(nd_tile *t, nav_status why, uint64_t now_ns)
{
    t->result.status = NP_TILE_FAILED;
    t->result.failure = nd_reason_of(why);
    nd_failures_add(&s.failures, t, now_ns);
}

START_TEST(transient_failures_are_tried_six_times_later_and_later)
{
    nd_tile *t = mark(0, NULL, ND_INTERACTIVE, 1);
    uint64_t now = SECOND, delay = SECOND;
    nd_scheduler_settle(&s, t);
    fail_tile(t, NAV_ERR_TIMEOUT, now);
    for (int i = 0; i < ND_RETRIES; i++, delay *= 2) {
        ck_assert_ptr_eq(nd_failures_first(&s.failures), t);
        ck_assert_uint_eq(t->due_ns - now, delay);
        now = t->due_ns;
        const nd_mark again = {.revision = 1, .now_ns = now, .class = ND_BACKGROUND, .by = ND_BY_RETRY};
        (void)nd_scheduler_mark(&s, t, &again);
        ck_assert_ptr_null(nd_failures_first(&s.failures));
        nd_scheduler_settle(&s, t);
        fail_tile(t, NAV_ERR_TIMEOUT, now);
    }
    ck_assert_ptr_null(nd_failures_first(&s.failures)); // it stays failed
    ck_assert_uint_eq(s.failures.count, 1);
    ck_assert_uint_eq(t->failure.since_ns, SECOND);
    (void)mark(0, NULL, ND_INTERACTIVE, 2); // until its input changes
    ck_assert_uint_eq(t->failure.tries, 0);
    nd_scheduler_settle(&s, t);
    fail_tile(t, NAV_ERR_MEMORY, now);
    ck_assert_ptr_eq(nd_failures_first(&s.failures), t);
    nd_failures_remove(&s.failures, t);
    ck_assert_uint_eq(s.failures.count, 0);
    ck_assert_ptr_null(nd_failures_first(&s.failures));
}
END_TEST

START_TEST(what_the_input_makes_fail_is_not_tried_again)
{
    nd_tile *t = mark(0, NULL, ND_INTERACTIVE, 1), *u = mark(1, NULL, ND_INTERACTIVE, 1);
    nd_scheduler_settle(&s, t);
    nd_scheduler_settle(&s, u);
    fail_tile(t, NAV_ERR_LIMIT, SECOND);
    fail_tile(u, NAV_ERR_LIMIT, 2 * SECOND);
    ck_assert_ptr_null(nd_failures_first(&s.failures));
    ck_assert_ptr_eq(s.failures.first, t);
    nd_scheduler_forget(&s, t);
    ck_assert_ptr_eq(s.failures.first, u);
    ck_assert_ptr_eq(s.failures.last, u);
}
END_TEST

START_TEST(a_queue_that_grows_for_a_minute_is_said_once_until_it_shrinks)
{
    nd_backlog b = {0};
    for (size_t i = 0; i < 59; i++) ck_assert(!nd_backlog_sample(&b, 100 + i));
    ck_assert(nd_backlog_sample(&b, 200));
    ck_assert(b.growing);
    for (size_t i = 0; i < 30; i++) ck_assert(!nd_backlog_sample(&b, 200)); // neither more nor less
    ck_assert(b.growing);
    bool said = false;
    for (size_t i = 0; i < 60; i++) said |= nd_backlog_sample(&b, 150 - i);
    ck_assert(said && !b.growing);
}
END_TEST

START_TEST(a_queue_that_jumps_up_and_shrinks_is_no_backlog)
{
    nd_backlog b = {0};
    for (size_t i = 0; i < 300; i++) ck_assert(!nd_backlog_sample(&b, i < 10 ? 0 : 5000 - 10 * i));
    for (size_t i = 0; i < 300; i++) ck_assert(!nd_backlog_sample(&b, 100 + i % 20)); // nor one that goes up and down
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fairness");
    TCase *t = tcase_create("fairness");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(suite, t);
    tcase_add_test(t, a_heap_gives_the_least_whatever_is_taken_out_between);
    tcase_add_test(t, a_heap_stays_one_while_any_of_it_are_taken);
    tcase_add_test(t, a_heap_takes_the_first_of_many_in_few_steps);
    tcase_add_test(t, shares_get_what_their_weights_say);
    tcase_add_test(t, a_namespace_without_a_weight_has_one_part);
    tcase_add_test(t, who_had_nothing_to_do_has_not_saved_up);
    tcase_add_test(t, a_caller_with_few_tiles_does_not_wait_for_one_with_many);
    tcase_add_test(t, callers_share_as_their_priorities_say);
    tcase_add_test(t, worlds_share_what_lies_above_them);
    tcase_add_test(t, a_tile_of_the_background_that_is_edited_becomes_urgent);
    tcase_add_test(t, a_flow_outlives_its_session_until_its_last_tile_is_clean);
    tcase_add_test(t, a_run_of_a_tile_that_is_stale_too_long_goes_on_and_counts);
    tcase_add_test(t, a_run_that_is_void_is_stopped_however_stale_its_tile_is);
    tcase_add_test(t, a_run_of_a_tile_that_is_fresh_is_stopped);
    tcase_add_test(t, a_tile_that_never_rests_is_begun_once_in_a_while_and_always_delivered);
    tcase_add_test(t, a_tile_that_rests_is_due_and_is_given_up_like_any_other);
    tcase_add_test(t, cancelling_one_revision_leaves_the_others);
    tcase_add_test(t, transient_failures_are_tried_six_times_later_and_later);
    tcase_add_test(t, what_the_input_makes_fail_is_not_tried_again);
    tcase_add_test(t, a_queue_that_grows_for_a_minute_is_said_once_until_it_shrinks);
    tcase_add_test(t, a_queue_that_jumps_up_and_shrinks_is_no_backlog);
    return run_suite(suite);
}
