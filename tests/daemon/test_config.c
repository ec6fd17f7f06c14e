#include "daemon/config.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static nd_config c;
static char why[512];

static void start(void)
{
    nd_config_default(&c);
    why[0] = 0;
}

static nav_status parse(int argc, const char *const *argv)
{
    return nd_config_parse(&c, argc, (char *const *)argv, why, sizeof why);
}

START_TEST(options_are_taken_in_both_forms)
{
    const char *argv[] = {
        "--socket",    "/tmp/s", "--listen=[::1]:7", "--threads", "3", "--cache-bytes=64M", "--tile-memory-bytes", "1g",
        "--log-level", "debug",  "--version"};
    ck_assert_int_eq(parse(11, argv), NAV_OK);
    ck_assert_str_eq(c.socket, "/tmp/s");
    ck_assert_str_eq(c.listen, "[::1]:7");
    ck_assert_uint_eq(c.threads, 3);
    ck_assert_uint_eq(c.cache_bytes, 64 << 20);
    ck_assert_uint_eq(c.tile_memory_bytes, 1 << 30);
    ck_assert_int_eq(c.log_level, ND_LOG_DEBUG);
    ck_assert(c.version);
    ck_assert(!c.help);
}
END_TEST

START_TEST(a_wrong_option_is_named_with_what_is_allowed)
{
    static const struct {
        const char *argv[2];
        int argc;
        const char *says[2];
    } wrong[] = {
        {{"--thread", "3"}, 2, {"--thread", "--help"}},
        {{"threads", "3"}, 2, {"threads", "--help"}},
        {{"--threads", NULL}, 1, {"--threads", "N"}},
        {{"--threads", "-1"}, 2, {"--threads -1", "1024"}},
        {{"--threads", "3x"}, 2, {"3x", "1024"}},
        {{"--threads", "1025"}, 2, {"1025", "1024"}},
        {{"--threads", "99999999999999999999"}, 2, {"99999999999999999999", "1024"}},
        {{"--cache-bytes", "5Q"}, 2, {"5Q", "64M"}},
        {{"--cache-bytes", "99999999999G"}, 2, {"99999999999G", "1024G"}},
        {{"--mesh-store-bytes", "0"}, 2, {"--mesh-store-bytes 0", "1M"}},
        {{"--log-level", "loud"}, 2, {"loud", "debug"}},
        {{"--help=yes", NULL}, 1, {"--help", "no value"}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(parse(wrong[i].argc, wrong[i].argv), NAV_ERR_ARGUMENT);
        for (int k = 0; k < 2; k++)
            ck_assert_msg(strstr(why, wrong[i].says[k]) != NULL, "\"%s\" does not say %s", why, wrong[i].says[k]);
        ck_assert_ptr_null(strchr(why, '\n'));
    }
    char path[300];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    const char *argv[] = {"--socket", path};
    ck_assert_int_eq(parse(2, argv), NAV_ERR_ARGUMENT);
}
END_TEST

START_TEST(the_help_shows_every_option_and_its_default)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    nd_config_print_help(f);
    fclose(f);
    const char *const parts[] = {"--socket PATH",   "--listen HOST:PORT", "--threads N",
                                 "(default: 512M)", "--max-edit-tiles",   "--version"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) ck_assert_ptr_nonnull(strstr(text, parts[i]));
    free(text);
}
END_TEST

START_TEST(the_socket_is_the_users_own_where_there_is_a_place_for_it)
{
    setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
    nd_config_default(&c);
    ck_assert_str_eq(c.socket, "/run/user/7/navd.sock");
    unsetenv("XDG_RUNTIME_DIR");
    nd_config_default(&c);
    ck_assert_str_eq(c.socket, "/run/navd/navd.sock");
}
END_TEST

START_TEST(a_quoted_value_is_printable_and_fits_at_every_length)
{
    char raw[400];
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < sizeof raw; i++) raw[i] = kind == 0 ? 'a' : kind == 1 ? '\n' : (char)(i % 3 ? 'b' : '"');
        for (size_t n = 0; n <= sizeof raw; n++) {
            nd_quoted *q = malloc(sizeof *q); // exactly its size: a byte too many is seen
            *q = nd_log_quote(raw, n);
            size_t length = strlen(q->text);
            if (length < 2 || length >= ND_LOG_QUOTE_BYTES || q->text[0] != '"' || q->text[length - 1] != '"')
                ck_abort_msg("%zu bytes give %s", n, q->text);
            for (size_t i = 0; i < length; i++)
                if ((unsigned char)q->text[i] < 32) ck_abort_msg("a control character is left");
            free(q);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("config");
    TCase *t = tcase_create("config");
    tcase_add_checked_fixture(t, start, NULL);
    suite_add_tcase(s, t);
    tcase_add_test(t, options_are_taken_in_both_forms);
    tcase_add_test(t, a_wrong_option_is_named_with_what_is_allowed);
    tcase_add_test(t, the_help_shows_every_option_and_its_default);
    tcase_add_test(t, the_socket_is_the_users_own_where_there_is_a_place_for_it);
    tcase_add_test(t, a_quoted_value_is_printable_and_fits_at_every_length);
    return run_suite(s);
}
