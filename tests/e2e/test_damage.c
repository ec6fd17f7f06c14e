// Bytes of the state folder that changed: a damaged cache heals, damaged worlds are refused in words.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/edit_pair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A state folder with a world in it, as a daemon that ended well left it; copied for each test.
static void write_state(const char *state)
{
    const daemon_options o = {.state = state, .no_tcp = true};
    pair_begin(&o);
    np_error err;
    for (int i = 0; i < 50; i++) ck_assert_int_eq(pair_edit(&err), NAV_OK);
    pair_settle();
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
}

static void spoil(const char *path, off_t at, size_t bytes, uint64_t *chance)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
    for (size_t i = 0; i < bytes; i++) {
        uint8_t b = (uint8_t)random_below(chance, 256);
        ck_assert_int_eq(pwrite(fd, &b, 1, at + (off_t)i), 1);
    }
    close(fd);
}

static off_t size_of(const char *path)
{
    struct stat st;
    ck_assert_msg(stat(path, &st) == 0, "%s: %s", path, strerror(errno));
    return st.st_size;
}

static void copy_state(const char *from, const char *to)
{
    static const char *const parts[] = {"worlds/data.mdb", "cache/data.mdb"};
    char a[512], b[512];
    mkdir(to, 0700);
    for (int i = 0; i < 2; i++) {
        snprintf(b, sizeof b, "%s/%s", to, i ? "cache" : "worlds");
        mkdir(b, 0700);
        snprintf(a, sizeof a, "%s/%s", from, parts[i]);
        snprintf(b, sizeof b, "%s/%s", to, parts[i]);
        size_t count;
        uint8_t *bytes = read_file(a, &count);
        write_file(b, bytes, count);
        free(bytes);
    }
}

enum { PAGE = 4096, METAS = 2 };

// Damages one part of the cache; the daemon must come up and give the very tiles of before.
static void cache_heals(off_t first, off_t pages, size_t bytes_each)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    const char *clean = path_into(from, "clean"), *state = path_into(to, "spoilt");
    const daemon_options o = {.state = state, .no_tcp = true};
    write_state(clean);
    peer_tile *before = pair_copy_tiles(&pair.watcher);
    pair_end();
    copy_state(clean, state);
    char path[512];
    uint64_t chance = 5;
    snprintf(path, sizeof path, "%s/cache/data.mdb", state);
    if (pages < 0) pages = size_of(path) / PAGE - first;
    for (off_t i = 0; i < pages; i++)
        spoil(path, (first + i) * PAGE + (bytes_each < PAGE ? 2000 : 0), bytes_each, &chance);
    daemon_launch(&pair.navd, &o);
    pair_connect();
    ck_assert(pair_same_tiles(&pair.watcher, before));
    np_error err;
    ck_assert_int_eq(pair_edit(&err), NAV_OK);
    pair_settle();
    pair_restart_and_compare(&o);
    free(before);
    pair_end();
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
}

START_TEST(damaged_values_in_the_cache_are_misses)
{
    cache_heals(METAS, -1, 64);
}
END_TEST

START_TEST(damaged_pages_in_the_cache_are_set_aside)
{
    cache_heals(METAS, -1, PAGE);
}
END_TEST

START_TEST(a_damaged_meta_page_of_the_cache_is_set_aside)
{
    cache_heals(0, METAS, PAGE);
}
END_TEST

// Whatever byte of the worlds changes: the daemon serves what can be read, or refuses to run in words. It never
// crashes, and never takes an edit into a damaged database.
static void spoil_worlds(off_t at, size_t bytes, const char *clean, const char *state, uint64_t *chance)
{
    char path[512];
    copy_state(clean, state);
    snprintf(path, sizeof path, "%s/worlds/data.mdb", state);
    if (at < 0) at = (off_t)random_below(chance, (uint32_t)(size_of(path) - (off_t)bytes));
    spoil(path, at, bytes, chance);
    const daemon_options o = {.state = state, .no_tcp = true};
    daemon_launch(&pair.navd, &o);
    peer p;
    peer_init(&p, PAIR_WORLD, PAIR_SIDE);
    ck_assert(peer_dial(&p, pair.navd.socket));
    np_error err = {0};
    ck_assert_int_eq(peer_call(&p, NP_HELLO, &(np_hello_request){.version = NP_PROTOCOL_VERSION}, NULL, &err), NAV_OK);
    np_world_open_response opened;
    nav_status status =
        peer_call(&p, NP_WORLD_OPEN, &(np_world_open_request){.name = np_str_of(PAIR_WORLD)}, &opened, &err);
    if (status == NAV_OK) {
        p.world = opened.world;
        ck_assert_int_eq(peer_call(&p, NP_JOBS_WAIT, &(np_jobs_wait_request){.world = p.world}, NULL, &err), NAV_OK);
        np_op op = city_move(PAIR_SIDE, 0, 0, 4711);
        status = peer_call(&p, NP_WORLD_EDIT, &(np_world_edit_request){.world = p.world, .op_count = 1, .ops = &op},
                           NULL, &err);
    }
    if (status != NAV_OK) ck_assert_msg(err.message[0] != 0, "no words");
    peer_deinit(&p);
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
}

START_TEST(damaged_worlds_never_crash_the_daemon)
{
    uint64_t chance = 3, count = wanted_count("NAVD_DAMAGES", FULL_OR_SANITIZED(60, 12));
    char from[PATH_BYTES], to[PATH_BYTES];
    const char *clean = path_into(from, "clean-worlds"), *state = path_into(to, "spoilt-worlds");
    write_state(clean);
    pair_end();
    spoil_worlds(0, PAGE, clean, state, &chance);            // one meta page
    spoil_worlds(0, METAS * PAGE, clean, state, &chance);    // both
    spoil_worlds(METAS * PAGE, PAGE, clean, state, &chance); // a page behind them
    for (uint64_t i = 0; i < count; i++)
        spoil_worlds(-1, i % 3 == 0 ? 1 : i % 3 == 1 ? 64 : 8000, clean, state, &chance);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("damage");
    TCase *t = tcase_create("damage");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(suite, t);
    tcase_add_test(t, damaged_values_in_the_cache_are_misses);
    tcase_add_test(t, damaged_pages_in_the_cache_are_set_aside);
    tcase_add_test(t, a_damaged_meta_page_of_the_cache_is_set_aside);
    tcase_add_test(t, damaged_worlds_never_crash_the_daemon);
    return run_suite_in_folder(suite);
}
