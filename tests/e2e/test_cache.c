// The tiles on a daemon's disk, with the real programs: navctl cache out of one daemon and into another, damage in
// between, and what a daemon without a disk says.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static daemon_process d;

static void launch(const char *state)
{
    daemon_options at = {.state = state, .no_tcp = true};
    daemon_launch(&d, &at);
}

#define EXPECT_TEXT(text, wanted) ck_assert_msg(strstr(text, wanted) != NULL, "%s is not in: %s", wanted, text)

static void push_yard(void)
{
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "--world", "yard", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
}

// A value of navctl's JSON.
static long value_of(const char *json, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(json, key);
    ck_assert_msg(at != NULL, "%s is not in: %s", name, json);
    return strtol(at + strlen(key), NULL, 10);
}

START_TEST(tiles_exported_from_one_daemon_save_another_one_the_work)
{
    char a[PATH_BYTES], b[PATH_BYTES], file[PATH_BYTES];
    path_into(file, "x.navdtiles");
    launch(path_into(a, "state_a"));
    push_yard();
    outcome r = run_navctl("cache", "verify", "--json", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    long entries = value_of(r.out, "entries");
    ck_assert_int_gt(entries, 0);
    r = run_navctl("cache", "export", "-o", file, "--json", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_int_eq(value_of(r.out, "entries"), entries);
    ck_assert_int_eq(daemon_stop(&d), 0);

    launch(path_into(b, "state_b"));
    r = run_navctl("cache", "import", file, "--json", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_int_eq(value_of(r.out, "taken"), entries);
    push_yard();
    ck_assert_uint_eq(daemon_stat(&d, "jobs_built"), 0);
    ck_assert_uint_gt(daemon_stat(&d, "disk_cache_hits"), 0);

    r = run_navctl("cache", "gc", "--keep-gib", "0", "--json", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_int_eq(value_of(r.out, "entries"), 0);
    ck_assert_int_eq(value_of(r.out, "dropped"), entries);
    r = run_navctl("cache", "stats", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    EXPECT_TEXT(r.out, "evicted");
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

START_TEST(a_file_that_was_damaged_or_cut_is_refused_where_it_is)
{
    char state[PATH_BYTES], file[PATH_BYTES], bad[PATH_BYTES];
    size_t count;
    path_into(file, "y.navdtiles");
    path_into(bad, "bad.navdtiles");
    launch(path_into(state, "state_c"));
    push_yard();
    outcome r = run_navctl("cache", "export", "-o", file, "--json", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    long entries = value_of(r.out, "entries");
    uint8_t *bytes = read_file(file, &count);

    bytes[count - 40] ^= 1; // in the data of the last tile
    write_file(bad, bytes, count);
    r = run_navctl("cache", "import", bad, "--json", "-c", d.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_int_eq(value_of(r.out, "refused"), 1);
    ck_assert_int_eq(value_of(r.out, "taken"), entries - 1);
    EXPECT_TEXT(r.err, "its checksum is wrong");
    bytes[count - 40] ^= 1;

    write_file(bad, bytes, count - 5);
    r = run_navctl("cache", "import", bad, "-c", d.socket, NULL);
    EXPECT_CODE(r, 4);
    EXPECT_TEXT(r.err, "it ends too early");
    bytes[0] ^= 1;
    write_file(bad, bytes, count);
    r = run_navctl("cache", "import", bad, "-c", d.socket, NULL);
    EXPECT_CODE(r, 4);
    EXPECT_TEXT(r.err, "not a file that navctl cache export wrote");
    free(bytes);
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

START_TEST(without_a_state_folder_there_is_no_cache_to_look_at)
{
    launch(NULL);
    outcome r = run_navctl("cache", "verify", "-c", d.socket, NULL);
    ck_assert_int_ne(r.code, 0);
    EXPECT_TEXT(r.err, "there is no disk cache");
    r = run_navctl("cache", "gc", "-c", d.socket, NULL);
    EXPECT_TEXT(r.err, "--keep-gib N is missing");
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cache");
    TCase *t = tcase_create("cache");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, NULL, remove_temp_folder);
    tcase_add_test(t, tiles_exported_from_one_daemon_save_another_one_the_work);
    tcase_add_test(t, a_file_that_was_damaged_or_cut_is_refused_where_it_is);
    tcase_add_test(t, without_a_state_folder_there_is_no_cache_to_look_at);
    suite_add_tcase(s, t);
    return run_suite(s);
}
