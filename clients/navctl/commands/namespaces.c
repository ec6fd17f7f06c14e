// navctl namespaces: what each namespace of a running daemon uses, and may use.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct namespaces_args {
    bool json;
    remote_values remote;
} namespaces_args;

static const arg_option options[] = {
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(namespaces_args, json), 0, 0, NULL}};
static const arg_group groups[] = {{"Options", options, ARG_COUNT(options), 0}, REMOTE_GROUP(namespaces_args, remote)};

// A number that a namespace has, and its bound.
typedef struct use {
    const char *name, *bound_name;
    size_t offset, bound_offset;
} use;
#define USE(member, bound)                                                                                             \
    {                                                                                                                  \
#member, #bound, offsetof(navd_namespace_entry, member), offsetof(navd_namespace_entry, bound)                 \
    }
static const use uses[] = {USE(worlds, max_worlds), USE(objects, max_objects), USE(tiles, max_tiles),
                           USE(mesh_bytes, max_mesh_bytes), USE(sessions, max_sessions)};

static uint64_t value(const navd_namespace_entry *e, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)e + offset);
}

static void print_one(const navd_namespace_entry *e)
{
    printf("%-24s", e->name);
    for (size_t i = 0; i < ARG_COUNT(uses); i++) {
        uint64_t bound = value(e, uses[i].bound_offset);
        printf("%s %s %" PRIu64, i ? "," : "", uses[i].name, value(e, uses[i].offset));
        if (bound != UINT64_MAX) printf(" of %" PRIu64, bound);
    }
    if (e->max_edits_per_second != UINT64_MAX) printf(", at most %" PRIu64 " edits a second", e->max_edits_per_second);
    printf("\n");
}

static void write_quota(json_writer *w, const char *name, uint64_t bound)
{
    if (bound != UINT64_MAX) json_int(w, name, (int64_t)bound);
}

static void print_json(const navd_namespace_entry *list, size_t count)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '[');
    for (size_t k = 0; k < count; k++) {
        json_open(&w, NULL, '{');
        json_text(&w, "name", list[k].name);
        for (size_t i = 0; i < ARG_COUNT(uses); i++) {
            json_int(&w, uses[i].name, (int64_t)value(&list[k], uses[i].offset));
            write_quota(&w, uses[i].bound_name, value(&list[k], uses[i].bound_offset));
        }
        write_quota(&w, "max_edits_per_second", list[k].max_edits_per_second);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_end_line(&w);
}

static int run(const arg_command *self, int argc, char **argv)
{
    namespaces_args a = {.remote = REMOTE_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    navd_client *c;
    navd_namespace_entry *list;
    size_t count;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    navd_status s = navd_namespaces(c, &list, &count);
    if (s != NAVD_OK) {
        code = remote_failed(c, s, self->name);
    } else if (a.json) {
        print_json(list, count);
    } else {
        for (size_t i = 0; i < count; i++) print_one(&list[i]);
    }
    free(list);
    navd_close(c);
    return code;
}

const arg_command namespaces_command = {
    .name = "namespaces",
    .summary = "List the namespaces of a running daemon, their use and quotas (role admin)",
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
