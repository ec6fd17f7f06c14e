// Readers of the cache of tiles on disk beside its writer, and in which order they come.
#include "daemon/work/lookup.h"
#include "tests/daemon/tile_cache_fixture.h"

#include <string.h>

static uint32_t under_way, hits;

static void one_of_many(nd_disk_task *task, bool ran)
{
    nd_lookup *l = (nd_lookup *)task;
    const nd_blob *b = l->out[NP_ENCODING_DETOUR].blob;
    if (ran && l->found) {
        nd_blob *want = blob_of(l->at, b->size);
        ck_assert(!memcmp(want->data, b->data, b->size));
        nd_blob_unref(want);
        hits++;
    }
    nd_lookup_destroy(l);
    under_way--;
}

START_TEST(reads_go_on_while_much_is_written_and_dropped)
{
    cap = 4 << 20;
    restart();
    hits = under_way = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        put(i, 200 + i % 3000);
        nd_lookup *l = nd_lookup_create(key_of(i - i % 700), 1u << NP_ENCODING_DETOUR, NULL, one_of_many);
        ck_assert_ptr_nonnull(l);
        l->at = i - i % 700;
        under_way++;
        nd_tile_cache_push(cache, &l->task);
        while (under_way > 100) uv_run(&loop, UV_RUN_ONCE);
    }
    flush();
    while (under_way) uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(nd_tile_cache_stats_of(cache).damaged, 0);
    ck_assert_uint_eq(nd_tile_cache_stats_of(cache).errors, 0);
    ck_assert(has(19999));
}
END_TEST

typedef struct walk {
    nd_disk_task task;
    uint8_t last[ND_TILE_KEY_BYTES];
    bool has_last, end;
    uint32_t seen, slice;
    nav_status status;
} walk;

static bool see(void *user, const nd_tile_visit *v)
{
    walk *w = user;
    if (w->has_last) ck_assert_int_lt(memcmp(w->last, v->key, sizeof w->last), 0);
    memcpy(w->last, v->key, sizeof w->last);
    w->has_last = true;
    w->seen++;
    return ++w->slice < 7;
}

static void walk_some(nd_disk_task *task, nd_tile_reader *r)
{
    walk *w = (walk *)task;
    w->slice = 0;
    w->status = nd_tile_reader_walk(r, w->has_last, w->last, see, w, &w->end);
}

START_TEST(a_walk_in_slices_sees_each_once)
{
    for (uint32_t i = 0; i < 100; i++) put(i, 100);
    flush();
    walk w = {.task = {.run = walk_some, .done = note_done}};
    while (!w.end) {
        done = false;
        nd_tile_cache_push(cache, &w.task);
        wait_done();
        ck_assert_int_eq(w.status, NAV_OK);
    }
    ck_assert_uint_eq(w.seen, 100);
}
END_TEST

typedef struct step {
    nd_disk_task task;
    uv_sem_t *gate; // to be waited for
    unsigned at;
} step;

static unsigned steps, ended;

static void take_step(nd_disk_task *task, nd_tile_reader *r)
{
    step *s = (step *)task;
    (void)r;
    if (s->gate) uv_sem_wait(s->gate);
    s->at = ++steps;
}

static void end_step(nd_disk_task *task, bool ran)
{
    (void)task, (void)ran;
    ended++;
}

START_TEST(who_reads_much_comes_after_the_others)
{
    uv_sem_t gate;
    ck_assert_int_eq(uv_sem_init(&gate, 0), 0);
    step s[5];
    for (int i = 0; i < 5; i++) s[i] = (step){.task = {.run = take_step, .done = end_step}};
    s[0].gate = &gate;
    steps = ended = 0;
    nd_tile_cache_push(cache, &s[0].task); // holds the reader until all of these wait
    nd_tile_cache_push_bulk(cache, &s[1].task);
    nd_tile_cache_push_bulk(cache, &s[2].task);
    nd_tile_cache_push(cache, &s[3].task);
    nd_tile_cache_push(cache, &s[4].task);
    uv_sem_post(&gate);
    while (ended < 5) uv_run(&loop, UV_RUN_ONCE);
    const unsigned order[5] = {1, 4, 5, 2, 3};
    for (int i = 0; i < 5; i++) ck_assert_uint_eq(s[i].at, order[i]);
    uv_sem_destroy(&gate);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile_cache_reads");
    TCase *t = tcase_create("reads");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, reads_go_on_while_much_is_written_and_dropped);
    tcase_add_test(t, a_walk_in_slices_sees_each_once);
    tcase_add_test(t, who_reads_much_comes_after_the_others);
    suite_add_tcase(s, t);
    return run_suite(s);
}
