#include "core/base/endian.h"
#include "daemon/base/thread.h"
#include "daemon/config/state_folder.h"
#include "daemon/disk/writer.h"
#include "tests/check.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const tables[] = {"info", "things"};
static uv_loop_t loop;
static char folder[64];

typedef struct thing {
    nd_write write;
    uint32_t key;
    size_t bytes;
    nav_status status;
    int order; // of being done; 0: not yet
    char why[ND_DATABASE_WHY_BYTES];
} thing;

static int done_count, state_changes;
static nav_status last_state;

static nav_status put_thing(nd_write *w, nd_txn *txn)
{
    thing *t = (thing *)w;
    uint8_t key[4], *value = calloc(1, t->bytes + 1);
    nav_store_u32(key, t->key);
    nav_status s = value ? nd_txn_put(txn, 1, (nd_bytes){key, 4}, (nd_bytes){value, t->bytes}) : NAV_ERR_MEMORY;
    free(value);
    if (nd_thread_is_loop()) s = NAV_ERR_INTERNAL;
    return s;
}

static void thing_done(nd_write *w, nav_status status, const char *why)
{
    thing *t = (thing *)w;
    t->status = status;
    t->order = ++done_count;
    snprintf(t->why, sizeof t->why, "%s", why);
}

static void on_state(void *user, nav_status status, const char *why)
{
    (void)user, (void)why;
    state_changes++;
    last_state = status;
}

static thing make_thing(uint32_t key, size_t bytes)
{
    return (thing){.write = {.run = put_thing, .done = thing_done, .bytes = bytes}, .key = key, .bytes = bytes};
}

static uint64_t put_off_ms, put_off_most_ms; // of the writer that is started next

static nd_writer *start(uint64_t map_bytes, uint64_t commit_ms)
{
    nd_writer *w;
    done_count = state_changes = 0;
    last_state = NAV_OK;
    nd_writer_options o = {
        .database = {.folder = folder, .tables = tables, .table_count = 2, .map_bytes = map_bytes, .lazy = true},
        .commit_ms = commit_ms,
        .commit_bytes = 1 << 20,
        .probe_ms = 10,
        .put_off_ms = put_off_ms,
        .put_off_most_ms = put_off_most_ms,
        .on_state = on_state};
    ck_assert_int_eq(nd_writer_create(&loop, &o, &w), NAV_OK);
    return w;
}

static void wait_open(nd_writer *w)
{
    char why[ND_DATABASE_WHY_BYTES] = "";
    nd_database_opening opening;
    nav_status s = nd_writer_wait_open(w, &opening, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
}

static void run_until(const int *value, int wanted)
{
    while (*value < wanted) uv_run(&loop, UV_RUN_ONCE);
}

static void stop(nd_writer *w)
{
    nd_writer_close(w);
    uv_run(&loop, UV_RUN_DEFAULT);
}

static bool is_there(nd_writer *w, uint32_t key)
{
    nd_txn *t;
    uint8_t k[4];
    nd_bytes value;
    nav_store_u32(k, key);
    ck_assert_int_eq(nd_database_begin_read(nd_writer_database(w), &t), NAV_OK);
    nav_status s = nd_txn_get(t, 1, (nd_bytes){k, 4}, &value);
    nd_txn_end(t);
    return s == NAV_OK;
}

static void setup(void)
{
    nd_thread_set_loop(true);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    strcpy(folder, "/tmp/navd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    char path[128];
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    const char *const files[] = {"data.mdb", "lock.mdb", "lock"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(tasks_of_a_window_share_a_commit_and_come_back_in_order)
{
    nd_writer *w = start(16 << 20, 60000);
    thing things[50];
    for (uint32_t i = 0; i < 50; i++) {
        things[i] = make_thing(i, 100);
        nd_writer_push(w, &things[i].write);
    }
    ck_assert_int_eq(done_count, 0);
    nd_writer_flush(w);
    run_until(&done_count, 50);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(things[i].status, NAV_OK);
        ck_assert_int_eq(things[i].order, i + 1);
        ck_assert(is_there(w, (uint32_t)i));
    }
    ck_assert_uint_eq(nd_writer_statistics(w).commits, 1);
    ck_assert_uint_eq(nd_writer_statistics(w).tasks, 50);
    stop(w);
}
END_TEST

START_TEST(a_group_that_is_large_does_not_wait_for_its_window)
{
    nd_writer *w = start(16 << 20, 60000);
    thing large = make_thing(1, 2 << 20);
    nd_writer_push(w, &large.write);
    run_until(&done_count, 1);
    ck_assert_int_eq(large.status, NAV_OK);
    stop(w);
}
END_TEST

START_TEST(closing_commits_what_is_queued_and_the_next_start_has_it)
{
    nd_writer *w = start(16 << 20, 60000);
    thing t = make_thing(7, 5000);
    nd_writer_push(w, &t.write);
    stop(w);
    ck_assert_int_eq(t.status, NAV_OK);
    w = start(16 << 20, 0);
    wait_open(w);
    ck_assert(is_there(w, 7));
    ck_assert(!is_there(w, 8));
    stop(w);
}
END_TEST

START_TEST(what_stands_behind_a_failed_commit_fails_too_newest_first)
{
    nd_writer *w = start(1 << 20, 60000);
    wait_open(w);
    thing things[20];
    for (uint32_t i = 0; i < 20; i++) {
        things[i] = make_thing(i, i == 10 ? 4 << 20 : 50); // more than fits into the file
        nd_writer_push(w, &things[i].write);
    }
    run_until(&done_count, 20);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(things[i].status, NAV_ERR_LIMIT);
        ck_assert_int_eq(things[i].order, 20 - i);
        ck_assert_msg(strstr(things[i].why, "full") != NULL, "%s", things[i].why);
        ck_assert(!is_there(w, (uint32_t)i));
    }
    run_until(&state_changes, 2); // failed, and well again: a small commit has room
    ck_assert_int_eq(last_state, NAV_OK);
    ck_assert_int_eq(nd_writer_failure(w, NULL), NAV_OK);
    thing small = make_thing(99, 50);
    nd_writer_push(w, &small.write);
    nd_writer_flush(w);
    run_until(&done_count, 21);
    ck_assert_int_eq(small.status, NAV_OK);
    stop(w);
}
END_TEST

START_TEST(it_refuses_while_the_disk_takes_nothing_and_heals_when_it_does)
{
    signal(SIGXFSZ, SIG_IGN);
    nd_writer *w = start(64 << 20, 0);
    wait_open(w);
    struct rlimit before, none;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = (struct rlimit){4096, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    thing a = make_thing(1, 100), b = make_thing(2, 100), c = make_thing(3, 100);
    nd_writer_push(w, &a.write);
    run_until(&done_count, 1);
    ck_assert_int_ne(a.status, NAV_OK);
    ck_assert(a.why[0]);
    ck_assert_int_ne(nd_writer_failure(w, NULL), NAV_OK);
    nd_writer_push(w, &b.write);
    run_until(&done_count, 2);
    ck_assert_int_ne(b.status, NAV_OK);
    ck_assert(!is_there(w, 1)); // reading goes on

    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    while (nd_writer_failure(w, NULL) != NAV_OK) uv_run(&loop, UV_RUN_ONCE);
    nd_writer_push(w, &c.write);
    run_until(&done_count, 3);
    ck_assert_int_eq(c.status, NAV_OK);
    ck_assert(is_there(w, 3) && !is_there(w, 1) && !is_there(w, 2));
    stop(w);
}
END_TEST

START_TEST(a_database_that_cannot_be_opened_fails_every_task_with_words)
{
    char kept[64];
    strcpy(kept, folder);
    strcat(folder, "/none/here");
    nd_writer *w = start(1 << 20, 0);
    thing t = make_thing(1, 10);
    nd_writer_push(w, &t.write);
    run_until(&done_count, 1);
    ck_assert_int_eq(t.status, NAV_ERR_IO);
    ck_assert_msg(strstr(t.why, folder) != NULL, "%s", t.why);
    stop(w);
    strcpy(folder, kept);
}
END_TEST

static const char *file_named(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// Starts one that cannot be opened.
static nav_status open_refused(char why[ND_DATABASE_WHY_BYTES])
{
    nd_writer *w = start(1 << 20, 0);
    nd_database_opening opening;
    nav_status s = nd_writer_wait_open(w, &opening, why, ND_DATABASE_WHY_BYTES);
    stop(w);
    return s;
}

START_TEST(a_file_that_was_emptied_is_damaged_and_not_a_new_one)
{
    char why[ND_DATABASE_WHY_BYTES] = "";
    nd_writer *w = start(1 << 20, 0);
    wait_open(w);
    stop(w);
    ck_assert_int_eq(truncate(file_named("data.mdb"), 0), 0);
    ck_assert_int_eq(open_refused(why), NAV_ERR_FORMAT);
    ck_assert_msg(strstr(why, "data.mdb") && strstr(why, "empty"), "%s", why);
    ck_assert_int_eq(open_refused(why), NAV_ERR_FORMAT); // the next time, too
}
END_TEST

START_TEST(a_file_that_cannot_be_begun_leaves_none)
{
    char why[ND_DATABASE_WHY_BYTES] = "";
    struct rlimit before, little;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = (struct rlimit){8192, before.rlim_max}; // the lock file has room
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    ck_assert_int_ne(open_refused(why), NAV_OK);
    ck_assert_int_ne(access(file_named("data.mdb"), F_OK), 0);
    ck_assert_int_ne(access(file_named("new"), F_OK), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(mkdir(file_named("new"), 0700), 0); // a start was killed
    FILE *left = fopen(file_named("new/data.mdb"), "w");
    ck_assert_ptr_nonnull(left);
    fputs("half", left);
    fclose(left);
    nd_writer *w = start(1 << 20, 0);
    wait_open(w);
    stop(w);
    ck_assert_int_ne(access(file_named("new"), F_OK), 0);
}
END_TEST

// Of the database's file, as memory of this process.
static unsigned long mapped_kb(void)
{
    char line[512], path[128];
    unsigned long kb = 0, sum = 0, from, to;
    bool ours = false;
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    FILE *f = fopen("/proc/self/smaps", "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "Rss: %lu", &kb) == 1)
            sum += ours ? kb : 0;
        else if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            ours = strstr(line, path) != NULL;
    }
    fclose(f);
    return sum;
}

// --- opening later ---

enum { AN_HOUR = 3600 * 1000 };

static nd_writer *start_later(uint64_t ms, uint64_t most_ms)
{
    put_off_ms = ms;
    put_off_most_ms = most_ms;
    nd_writer *w = start(16 << 20, 0);
    put_off_ms = put_off_most_ms = 0;
    return w;
}

START_TEST(a_database_that_is_put_off_is_opened_for_the_first_task)
{
    nd_writer *w = start_later(AN_HOUR, AN_HOUR);
    thing t = make_thing(1, 10);
    ck_assert_ptr_null(nd_writer_database(w));
    nd_writer_push(w, &t.write);
    run_until(&done_count, 1);
    ck_assert_int_eq(t.status, NAV_OK);
    ck_assert(is_there(w, 1));
    stop(w);
}
END_TEST

START_TEST(a_database_that_is_put_off_is_opened_for_who_asks_and_when_nobody_puts_it_off)
{
    nd_writer *w = start_later(AN_HOUR, AN_HOUR);
    nd_writer_open(w);
    wait_open(w);
    stop(w);
    w = start_later(1, AN_HOUR);
    wait_open(w);
    stop(w);
}
END_TEST

START_TEST(it_cannot_be_put_off_for_ever)
{
    nd_writer *w = start_later(AN_HOUR, 20);
    while (!nd_writer_database(w)) nd_writer_put_off(w);
    nd_writer_put_off(w); // too late
    wait_open(w);
    stop(w);
}
END_TEST

START_TEST(what_is_put_off_until_the_end_is_opened_only_for_tasks)
{
    char file[80];
    snprintf(file, sizeof file, "%s/data.mdb", folder);
    stop(start_later(AN_HOUR, AN_HOUR));
    ck_assert_int_ne(access(file, F_OK), 0);
    nd_writer *w = start_later(AN_HOUR, AN_HOUR);
    thing t = make_thing(1, 10);
    nd_writer_push(w, &t.write);
    stop(w);
    ck_assert_int_eq(t.status, NAV_OK);
    ck_assert_int_eq(access(file, F_OK), 0);
}
END_TEST

START_TEST(what_was_read_does_not_stay_in_memory)
{
    nd_writer *w = start(64 << 20, 0);
    static thing things[16];
    for (uint32_t i = 0; i < 16; i++) {
        things[i] = make_thing(i, 1 << 20);
        nd_writer_push(w, &things[i].write);
    }
    run_until(&done_count, 16);
    for (uint32_t i = 0; i < 16; i++) ck_assert(is_there(w, i));
    thing last = make_thing(16, 100);
    nd_writer_push(w, &last.write);
    run_until(&done_count, 17);
    uint64_t until_ns = uv_hrtime() + UINT64_C(60000000000);
    while (mapped_kb() > 1024) {
        ck_assert_msg(uv_hrtime() < until_ns, "%lu KiB are still there", mapped_kb());
        sched_yield();
    }
    for (uint32_t i = 0; i < 17; i++) ck_assert(is_there(w, i));
    stop(w);
}
END_TEST

static void *read_on(void *arg)
{
    nd_writer *w = arg;
    uint64_t seen = 0, last = 0;
    while (seen < 300) {
        nd_txn *t;
        if (nd_database_begin_read(nd_writer_database(w), &t) != NAV_OK) return (void *)1;
        uint64_t count;
        nav_status s = nd_txn_count(t, 1, &count);
        nd_txn_end(t);
        if (s != NAV_OK || count < last) return (void *)2;
        seen = last = count;
    }
    return NULL;
}

START_TEST(readers_see_whole_commits_while_it_writes)
{
    nd_writer *w = start(16 << 20, 0);
    wait_open(w);
    pthread_t readers[3];
    for (int i = 0; i < 3; i++) ck_assert_int_eq(pthread_create(&readers[i], NULL, read_on, w), 0);
    static thing things[300];
    for (uint32_t i = 0; i < 300; i++) {
        things[i] = make_thing(i, 64);
        nd_writer_push(w, &things[i].write);
        if (i % 10 == 9) run_until(&done_count, (int)i + 1);
    }
    for (int i = 0; i < 3; i++) {
        void *wrong;
        pthread_join(readers[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    stop(w);
}
END_TEST

START_TEST(a_state_folder_has_one_daemon)
{
    int first, second;
    char why[256] = "";
    ck_assert_int_eq(nd_state_folder_lock(folder, &first, why, sizeof why), NAV_OK);
    ck_assert_int_eq(nd_state_folder_lock(folder, &second, why, sizeof why), NAV_ERR_EXISTS);
    ck_assert_msg(strstr(why, folder) != NULL && strstr(why, "--state") != NULL, "%s", why);
    close(first);
    ck_assert_int_eq(nd_state_folder_lock(folder, &second, why, sizeof why), NAV_OK);
    close(second);
    ck_assert_int_eq(nd_state_folder_lock("/proc/navd", &second, why, sizeof why), NAV_ERR_IO);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("database");
    TCase *t = tcase_create("database");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    suite_add_tcase(s, t);
    tcase_add_test(t, tasks_of_a_window_share_a_commit_and_come_back_in_order);
    tcase_add_test(t, a_group_that_is_large_does_not_wait_for_its_window);
    tcase_add_test(t, closing_commits_what_is_queued_and_the_next_start_has_it);
    tcase_add_test(t, what_stands_behind_a_failed_commit_fails_too_newest_first);
    tcase_add_test(t, it_refuses_while_the_disk_takes_nothing_and_heals_when_it_does);
    tcase_add_test(t, a_database_that_cannot_be_opened_fails_every_task_with_words);
    tcase_add_test(t, a_database_that_is_put_off_is_opened_for_the_first_task);
    tcase_add_test(t, a_database_that_is_put_off_is_opened_for_who_asks_and_when_nobody_puts_it_off);
    tcase_add_test(t, it_cannot_be_put_off_for_ever);
    tcase_add_test(t, what_is_put_off_until_the_end_is_opened_only_for_tasks);
    tcase_add_test(t, a_file_that_was_emptied_is_damaged_and_not_a_new_one);
    tcase_add_test(t, a_file_that_cannot_be_begun_leaves_none);
    tcase_add_test(t, what_was_read_does_not_stay_in_memory);
    tcase_add_test(t, readers_see_whole_commits_while_it_writes);
    tcase_add_test(t, a_state_folder_has_one_daemon);
    return run_suite(s);
}
