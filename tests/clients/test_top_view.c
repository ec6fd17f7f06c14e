// The view of navctl top, from samples that the test makes up.
#include "clients/navctl/commands/top_view.h"
#include "clients/navctl/output/text.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static navd_counter counters[] = {
    {"uptime_ms", 100000},   {"ready", 1},
    {"sessions", 3},         {"jobs_built", 500},
    {"edits", 20},           {"cache_hits", 30},
    {"cache_misses", 10},    {"cache_entries", 40},
    {"threads", 2},          {"backlog_growing", 0},
    {"stage_gather_us", 75}, {"stage_gather_count", 1},
    {"stage_encode_us", 25}, {"stage_encode_count", 1},
};
enum { COUNTERS = sizeof counters / sizeof *counters };
static navd_world_entry worlds[] = {{"small", 10, 5}, {"large", 20, 5000}};
static navd_session_entry sessions[] = {
    {.id = 1, .client = "quiet", .name = "mia", .role = "editor", .space = "a", .age_ms = 5000, .bytes_out = 100},
    {.id = 2, .client = "loud\033[2J", .name = "tom", .role = "reader", .age_ms = 5000, .bytes_out = 1000000},
};

static top_sample sample(double at_s)
{
    return (top_sample){.at_s = at_s,
                        .counters = counters,
                        .counter_count = COUNTERS,
                        .worlds = worlds,
                        .world_count = 2,
                        .sessions = sessions,
                        .session_count = 2,
                        .may_list_sessions = true};
}

static char *print(const top_frame *f, const top_sample *now, const top_sample *before)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    top_print(out, f, now, before);
    fclose(out);
    return text;
}

static const top_frame wide = {.address = "/run/navd.sock", .server = "navd 1", .columns = 120};

#define HAS(text, words) ck_assert_msg(strstr(text, words) != NULL, "no \"%s\" in\n%s", words, text)
#define HAS_NOT(text, words) ck_assert_msg(strstr(text, words) == NULL, "\"%s\" in\n%s", words, text)

START_TEST(the_first_view_has_means_since_the_start)
{
    top_sample now = sample(50);
    char *text = print(&wide, &now, NULL);
    HAS(text, "navd 1 at /run/navd.sock, up 100 s, ready");
    HAS(text, "tiles made 5.0,"); // 500 in 100 s
    HAS(text, "75 % hits");
    HAS(text, "gather       75 %");
    HAS_NOT(text, "ALARM");
    free(text);
}
END_TEST

START_TEST(the_next_view_has_what_happened_in_between)
{
    navd_counter later[COUNTERS];
    memcpy(later, counters, sizeof later);
    later[0].value += 2000;
    later[3].value += 40; // jobs_built
    later[9].value = 1;   // backlog_growing
    top_sample before = sample(50), now = sample(52);
    now.counters = later;
    char *text = print(&wide, &now, &before);
    HAS(text, "tiles made 20.0,");
    HAS(text, "not asked"); // the cache, in these two seconds
    HAS(text, "nothing was made");
    HAS(text, "ALARM  the queue of tiles has grown for a minute");
    free(text);
}
END_TEST

START_TEST(a_daemon_that_began_anew_has_no_negative_rates)
{
    navd_counter later[COUNTERS];
    memcpy(later, counters, sizeof later);
    later[0].value = 1000; // up for a second
    later[3].value = 3;
    top_sample before = sample(50), now = sample(52);
    now.counters = later;
    char *text = print(&wide, &now, &before);
    HAS(text, "tiles made 3.0,");
    free(text);
}
END_TEST

START_TEST(busy_sessions_and_large_worlds_come_first_and_names_cannot_move_the_terminal)
{
    top_sample now = sample(50);
    char *text = print(&wide, &now, NULL);
    ck_assert(strstr(text, "large") < strstr(text, "small"));
    HAS(text, "loud?[2J");
    ck_assert(strstr(text, "loud?[2J") < strstr(text, "quiet"));
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
}
END_TEST

START_TEST(a_small_terminal_gets_no_line_too_long_and_no_line_too_many)
{
    top_sample now = sample(50);
    for (int columns = 20; columns < 130; columns += 7) {
        top_frame f = wide;
        f.columns = columns;
        f.rows = 12;
        char *text = print(&f, &now, NULL);
        int lines = 0;
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
            ck_assert_msg((int)strlen(line) <= columns, "%d columns: %s", columns, line);
        ck_assert_int_le(lines, 12);
        free(text);
    }
}
END_TEST

START_TEST(on_80_columns_what_does_not_fit_goes_onto_further_lines)
{
    top_sample now = sample(50);
    top_frame f = wide;
    char *all = print(&f, &now, NULL);
    f.columns = 80;
    char *text = print(&f, &now, NULL);
    HAS(all, "descriptors ");
    HAS(text, "descriptors ");
    HAS(text, "rates: means since the start)");
    HAS(text, "logins ");
    HAS(text, "  out ");
    HAS(text, "held ");
    HAS(text, "\n            "); // below the others
    free(text);
    free(all);
}
END_TEST

START_TEST(without_the_role_there_is_no_list_of_sessions)
{
    top_sample now = sample(50);
    now.may_list_sessions = false;
    char *text = print(&wide, &now, NULL);
    HAS_NOT(text, "SESSION");
    HAS(text, "WORLD");
    free(text);
}
END_TEST

START_TEST(foreign_names_are_cut_between_characters_and_hold_nothing_that_a_terminal_obeys)
{
    static const struct {
        const char *in;
        int columns;
        const char *out;
    } rows[] = {
        {"plain", 10, "plain"},
        {"plain", 3, "pla"},
        {"\033]0;title\a", 20, "?]0;title?"},
        {"gr\xc3\xb6\xc3\x9f"
         "e",
         4, "gr\xc3\xb6\xc3\x9f"},
        {"\xc2\x9b"
         "31m",
         10, "??31m"},          // the C1 form of an escape
        {"\xe2\x82", 10, "??"}, // cut off
        {"\xff\xfe", 10, "??"},
        {"tab\there", 20, "tab?here"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64];
        text_printable(rows[i].in, out, sizeof out, rows[i].columns);
        ck_assert_str_eq(out, rows[i].out);
    }
    char tight[4];
    text_printable("\xe2\x82\xac\xe2\x82\xac", tight, sizeof tight, 10); // 3 bytes each: one fits
    ck_assert_str_eq(tight, "\xe2\x82\xac");
}
END_TEST

START_TEST(sizes_and_durations_read_well)
{
    char text[32];
    text_bytes(0, text, sizeof text);
    ck_assert_str_eq(text, "0 B");
    text_bytes(12.3 * 1024, text, sizeof text);
    ck_assert_str_eq(text, "12.3 KiB");
    text_bytes(3.0 * (1 << 30), text, sizeof text);
    ck_assert_str_eq(text, "3.0 GiB");
    text_duration(119, text, sizeof text);
    ck_assert_str_eq(text, "119 s");
    text_duration(3 * 3600 + 4 * 60, text, sizeof text);
    ck_assert_str_eq(text, "3 h 04");
    text_duration(5 * 86400 + 6 * 3600, text, sizeof text);
    ck_assert_str_eq(text, "5 d 06");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("top_view");
    TCase *t = tcase_create("top_view");
    tcase_add_test(t, the_first_view_has_means_since_the_start);
    tcase_add_test(t, the_next_view_has_what_happened_in_between);
    tcase_add_test(t, a_daemon_that_began_anew_has_no_negative_rates);
    tcase_add_test(t, busy_sessions_and_large_worlds_come_first_and_names_cannot_move_the_terminal);
    tcase_add_test(t, a_small_terminal_gets_no_line_too_long_and_no_line_too_many);
    tcase_add_test(t, on_80_columns_what_does_not_fit_goes_onto_further_lines);
    tcase_add_test(t, without_the_role_there_is_no_list_of_sessions);
    tcase_add_test(t, foreign_names_are_cut_between_characters_and_hold_nothing_that_a_terminal_obeys);
    tcase_add_test(t, sizes_and_durations_read_well);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
