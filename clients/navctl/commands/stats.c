// navctl stats: the daemon's counters.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/remote.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct stats_args {
    bool json;
    remote_values remote;
} stats_args;

static const arg_option stats_options[] = {
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(stats_args, json), 0, 0, NULL}};
static const arg_group groups[] = {{"Options", stats_options, ARG_COUNT(stats_options), 0},
                                   REMOTE_GROUP(stats_args, remote)};

static int run_stats(const arg_command *self, int argc, char **argv)
{
    stats_args a = {.remote = REMOTE_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    navd_client *c;
    navd_counter *counters;
    size_t count;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    navd_status s = navd_stats(c, &counters, &count);
    if (s != NAVD_OK) {
        code = remote_failed(c, s, "stats");
    } else if (a.json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        for (size_t i = 0; i < count; i++) json_int(&w, counters[i].name, (int64_t)counters[i].value);
        json_close(&w, '}');
        json_end_line(&w);
    } else {
        printf("%s\n", navd_server_name(c));
        for (size_t i = 0; i < count; i++) {
            printf("  %-32s %llu\n", counters[i].name, (unsigned long long)counters[i].value);
        }
    }
    free(counters);
    navd_close(c);
    return code;
}

const arg_command stats_command = {
    .name = "stats",
    .summary = "Show the counters of a running daemon",
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run_stats,
};
