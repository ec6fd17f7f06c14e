#include "daemon/cache/memory.h"
#include "daemon/config/options.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
        {{"--thread", "3"}, 2, {"--thread;", "did you mean --threads?"}},
        {{"--max_calls", "3"}, 2, {"--max_calls", "did you mean --max-calls?"}},
        {{"--nothing-like-it", "3"}, 2, {"--nothing-like-it", "--help"}},
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
    const char *const parts[] = {"--socket PATH",
                                 "--listen HOST:PORT",
                                 "--threads N",
                                 "(default: 512M)",
                                 "--max-edit-tiles",
                                 "--version",
                                 "error, warn, info or debug (default: info)"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) ck_assert_ptr_nonnull(strstr(text, parts[i]));
    for (int i = 0; i < nd_option_count; i++) {
        char name[64];
        snprintf(name, sizeof name, nd_options[i].type == ND_OPTION_SECTION ? "%s:" : "  --%s", nd_options[i].name);
        for (char *at = name; *at; at++)
            if (*at == '_') *at = '-';
        ck_assert_msg(strstr(text, name) != NULL, "the help has no %s", name);
    }
    free(text);
}
END_TEST

// --- the file ---

typedef struct faults {
    unsigned count;
    char text[4096];
} faults;

static faults said;

static void say(void *user, const char *fault)
{
    (void)user;
    size_t n = strlen(said.text);
    snprintf(said.text + n, sizeof said.text - n, "%s\n", fault);
    said.count++;
}

// In exactly its bytes, without a zero behind them.
static nav_status read_bytes(const char *text, size_t n)
{
    char *exact = malloc(n ? n : 1);
    memcpy(exact, text, n);
    nav_status s = nd_config_read(&c, "f.conf", exact, n, say, NULL);
    free(exact);
    return s;
}

static nav_status read_text(const char *text)
{
    memset(&said, 0, sizeof said);
    return read_bytes(text, strlen(text));
}

START_TEST(a_file_sets_options_by_name)
{
    ck_assert_int_eq(
        read_text("# all forms\n\n threads=3\r\n\tcache_bytes =  64M   # half a day's tiles\n"
                  "socket = \"/tmp/a \\\"b\\\" # \\\\c\" # and a comment\nlisten = [::1]:7#8\nlog_level = debug"),
        NAV_OK);
    ck_assert_uint_eq(said.count, 0);
    ck_assert_uint_eq(c.threads, 3);
    ck_assert_uint_eq(c.cache_bytes, 64 << 20);
    ck_assert_str_eq(c.socket, "/tmp/a \"b\" # \\c");
    ck_assert_str_eq(c.listen, "[::1]:7#8");
    ck_assert_int_eq(c.log_level, ND_LOG_DEBUG);
    ck_assert_int_eq(read_text("socket = \"\"\nlisten =\n"), NAV_OK);
    ck_assert_str_eq(c.socket, "");
    ck_assert_str_eq(c.listen, "");
}
END_TEST

START_TEST(every_fault_of_a_file_is_said_with_its_line)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"\n\nthreads = 5000", "f.conf:3: threads = 5000: expected a number from 0 to 1024"},
        {"thread = 5", "f.conf:1: unknown option thread; did you mean threads?"},
        {"maxsessions = 5", "did you mean max_sessions?"},
        {"entirely_other = 5", "navd --print-config"},
        {"max-sessions = 5", "did you mean max_sessions?"},
        {"threads", "threads is not followed by \"= VALUE\""},
        {"threads 5", "threads is not followed"},
        {"= 5", "there is no name before the ="},
        {"threads = \"5", "the quote is not closed"},
        {"threads = \"5\" 6", "follow the closing quote"},
        {"threads = 5\n#\nthreads = 6", "f.conf:3: threads was already set on line 1"},
        {"config = /etc/x", "config is for the command line only"},
        {"help = yes", "help is for the command line only"},
        {"log_level = \"loud\\\"er\"", "\"loud\\x22er\": expected error, warn, info or debug"},
        {"socket = a\x01z", "control characters"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nd_config_default(&c);
        ck_assert_int_eq(read_text(wrong[i].text), NAV_ERR_ARGUMENT);
        ck_assert_uint_eq(said.count, 1);
        ck_assert_msg(strstr(said.text, wrong[i].says) != NULL, "\"%s\" does not say %s", said.text, wrong[i].says);
    }
    ck_assert_int_eq(read_text("threads = x\nzstd_level = 7\ncache_bytes = -1\n"), NAV_ERR_ARGUMENT);
    ck_assert_uint_eq(said.count, 2);
    ck_assert_ptr_nonnull(strstr(said.text, "f.conf:1:"));
    ck_assert_ptr_nonnull(strstr(said.text, "f.conf:3:"));
    ck_assert_uint_eq(c.zstd_level, 7);
    ck_assert_int_eq(read_bytes("threads\0 = 5", 12), NAV_ERR_ARGUMENT);
    char line[5000];
    memset(line, 'x', sizeof line);
    ck_assert_int_eq(read_bytes(line, sizeof line), NAV_ERR_ARGUMENT);
}
END_TEST

START_TEST(a_printed_file_reads_back_to_the_same)
{
    const char *argv[] = {"--socket=/tmp/a \"b\" \\", "--listen=7#", "--threads=9", "--log-level=warn",
                          "--cache-bytes=1025K"};
    ck_assert_int_eq(parse(5, argv), NAV_OK);
    nd_config first = c;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    nd_config_print_file(&c, f);
    fclose(f);
    nd_config_default(&c);
    memset(&said, 0, sizeof said);
    nav_status s = read_bytes(text, size);
    ck_assert_msg(s == NAV_OK, "%s of\n%s", said.text, text);
    for (int i = 0; i < nd_option_count; i++) {
        char was[ND_OPTION_TEXT_BYTES], is[ND_OPTION_TEXT_BYTES];
        nd_option_get(&first, &nd_options[i], was);
        nd_option_get(&c, &nd_options[i], is);
        ck_assert_str_eq(was, is);
        if (nd_options[i].command_line_only || nd_options[i].type == ND_OPTION_SECTION) continue;
        ck_assert_msg(strstr(text, nd_options[i].name) != NULL, "%s is not printed", nd_options[i].name);
    }
    free(text);
}
END_TEST

START_TEST(the_command_line_goes_before_the_file_and_that_before_defaults)
{
    char path[] = "/tmp/navd-test-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    static const char text[] = "threads = 3\nzstd_level = 9\n";
    ck_assert_int_eq(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    memset(&said, 0, sizeof said);
    const char *argv[] = {"--threads", "5", "--config", path};
    ck_assert_int_eq(nd_config_load(&c, 4, (char *const *)argv, say, NULL), NAV_OK);
    ck_assert_uint_eq(c.threads, 5);
    ck_assert_uint_eq(c.zstd_level, 9);
    ck_assert_uint_eq(c.max_worlds, 256);
    ck_assert_str_eq(c.config, path);
    unlink(path);
    ck_assert_int_eq(nd_config_load(&c, 4, (char *const *)argv, say, NULL), NAV_ERR_ARGUMENT);
    ck_assert_uint_eq(said.count, 1);
    ck_assert_ptr_nonnull(strstr(said.text, path));
    ck_assert_ptr_nonnull(strstr(said.text, "No such file"));
}
END_TEST

static unsigned applied_count, restart_count;

static void changed(void *user, const char *name, const char *value, bool applied)
{
    (void)user;
    if (applied)
        applied_count++;
    else
        restart_count++;
    if (!strcmp(name, "max_worlds")) ck_assert_str_eq(value, "7");
}

START_TEST(a_reload_takes_what_may_change_and_tells_the_rest)
{
    nd_config next = c;
    applied_count = restart_count = 0;
    next.max_worlds = 7;
    next.log_level = ND_LOG_ERROR;
    next.threads = 11;
    next.check_config = true;
    nd_config_reload(&c, &next, changed, NULL);
    ck_assert_uint_eq(applied_count, 2);
    ck_assert_uint_eq(restart_count, 1);
    ck_assert_uint_eq(c.max_worlds, 7);
    ck_assert_int_eq(c.log_level, ND_LOG_ERROR);
    ck_assert_uint_eq(c.threads, 0);
    ck_assert(!c.check_config);
}
END_TEST

START_TEST(every_row_of_the_table_accepts_its_own_default_and_bounds)
{
    for (int i = 0; i < nd_option_count; i++) {
        const nd_option *o = &nd_options[i];
        char value[ND_OPTION_TEXT_BYTES], number[32];
        if (o->type == ND_OPTION_SECTION || o->type == ND_OPTION_FLAG) continue;
        ck_assert_ptr_nonnull(o->value_name);
        ck_assert_ptr_nonnull(o->help);
        ck_assert_ptr_eq(nd_option_find(o->name, strlen(o->name), false), o); // no name twice
        nd_option_default(o, value);
        ck_assert_msg(nd_option_set(&c, o, value, why, sizeof why) == NAV_OK, "%s %s: %s", o->name, value, why);
        if (o->type != ND_OPTION_NUMBER && o->type != ND_OPTION_BYTES) continue;
        ck_assert(o->min <= o->value && o->value <= o->max);
        for (int side = 0; side < 2; side++) {
            uint64_t edge = side ? o->max : o->min;
            snprintf(number, sizeof number, "%llu", (unsigned long long)edge);
            ck_assert_int_eq(nd_option_set(&c, o, number, why, sizeof why), NAV_OK);
            if (side ? edge == UINT64_MAX : edge == 0) continue;
            snprintf(number, sizeof number, "%llu", (unsigned long long)(side ? edge + 1 : edge - 1));
            ck_assert_int_eq(nd_option_set(&c, o, number, why, sizeof why), NAV_ERR_ARGUMENT);
        }
    }
}
END_TEST

START_TEST(the_socket_is_the_users_own_where_there_is_a_place_for_it)
{
    setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
    nd_config_default(&c);
    ck_assert_str_eq(c.socket, "/run/user/7/navd.sock");
    unsetenv("XDG_RUNTIME_DIR");
    setenv("STATE_DIRECTORY", "/var/lib/navd", 1); // as systemd says to the service
    nd_config_default(&c);
    ck_assert_str_eq(c.socket, "/run/navd/navd.sock");
    unsetenv("STATE_DIRECTORY");
    if (geteuid() != 0 && access("/run/navd", W_OK) != 0) {
        setenv("XDG_STATE_HOME", "/home/seven/state", 1);
        nd_config_default(&c);
        ck_assert_str_eq(c.socket, "/home/seven/state/navd/navd.sock");
        unsetenv("XDG_STATE_HOME");
    }
}
END_TEST

static char folder[32];

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

// What the groups above allow counts, too; "max" and a file that is missing are no bound.
START_TEST(the_memory_that_control_groups_allow_is_the_least_of_them)
{
    static const char *const made[] = {"system.slice/navd.service/memory.max",
                                       "system.slice/memory.max",
                                       "memory.max",
                                       "membership",
                                       "system.slice/navd.service",
                                       "system.slice",
                                       ""};
    char path[128], membership[64];
    snprintf(folder, sizeof folder, "/tmp/navd_config_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(membership, sizeof membership, "%s/membership", folder);
    for (int i = 5; i >= 4; i--) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        ck_assert_int_eq(mkdir(path, 0700), 0);
    }
    ck_assert_uint_eq(nd_memory_of_groups(folder, membership), UINT64_MAX); // nothing is known
    put("memory.max", "9000000\n");
    ck_assert_uint_eq(nd_memory_of_groups(folder, membership), 9000000); // as in a container
    put("membership", "4:memory:/elsewhere\n0::/system.slice/navd.service\n");
    put("system.slice/navd.service/memory.max", "max\n");
    ck_assert_uint_eq(nd_memory_of_groups(folder, membership), 9000000);
    put("system.slice/memory.max", "7000000\n");
    ck_assert_uint_eq(nd_memory_of_groups(folder, membership), 7000000);
    put("system.slice/navd.service/memory.max", "5000000\n");
    ck_assert_uint_eq(nd_memory_of_groups(folder, membership), 5000000);
    put("membership", "0::/\n");
    ck_assert_uint_eq(nd_memory_of_groups(folder, membership), 9000000);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        ck_assert_int_eq(remove(path), 0);
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
    tcase_add_test(t, a_file_sets_options_by_name);
    tcase_add_test(t, every_fault_of_a_file_is_said_with_its_line);
    tcase_add_test(t, a_printed_file_reads_back_to_the_same);
    tcase_add_test(t, the_command_line_goes_before_the_file_and_that_before_defaults);
    tcase_add_test(t, a_reload_takes_what_may_change_and_tells_the_rest);
    tcase_add_test(t, every_row_of_the_table_accepts_its_own_default_and_bounds);
    tcase_add_test(t, the_socket_is_the_users_own_where_there_is_a_place_for_it);
    tcase_add_test(t, the_memory_that_control_groups_allow_is_the_least_of_them);
    return run_suite(s);
}
