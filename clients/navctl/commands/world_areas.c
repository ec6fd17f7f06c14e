// navctl world areas: a world's table of areas.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/area_list.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct areas_args {
    const char *world;
    bool json;
    arg_steps changes; // --set and --remove, in order
    remote_values remote;
} areas_args;

static const arg_positional positionals[] = {{"WORLD", "world to look at", true, false, offsetof(areas_args, world)}};
static const arg_option options[] = {
    {"set", 0, ARG_STEP, AREA_TYPE_METAVAR, "change an area, " AREA_TYPE_KEYS, offsetof(areas_args, changes), 0, 0,
     NULL},
    {"remove", 0, ARG_STEP, "ID", "take an area out of the table; may be repeated", offsetof(areas_args, changes), 0, 0,
     NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(areas_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", options, ARG_COUNT(options), 0}, REMOTE_GROUP(areas_args, remote)};

static bool take_out(nav_area_table *t, const char *text)
{
    char *end;
    unsigned long id = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && id < NAV_AREA_COUNT && nav_area_table_remove(t, (uint8_t)id);
}

// False with one line on stderr.
static bool change(nav_area_table *t, const arg_steps *changes)
{
    for (int i = 0; i < changes->count; i++) {
        const bool sets = changes->items[i].option == &options[0];
        const char *text = changes->items[i].value;
        char why[160] = "the table has no such area";
        if (sets ? area_args_type(text, t, why, sizeof why) : take_out(t, text)) continue;
        fprintf(stderr, "navctl world areas: --%s %s: %s\n", sets ? "set" : "remove", text, why);
        return false;
    }
    return true;
}

static void print_json(const nav_area_table *t, uint64_t revision, uint32_t dirty_tiles)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_int(&w, "revision", (int64_t)revision);
    json_int(&w, "dirty_tiles", dirty_tiles);
    area_list_json(t, "areas", &w);
    json_close(&w, '}');
    json_end_line(&w);
}

static int run(const arg_command *self, int argc, char **argv)
{
    areas_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_world world = {0};
    nav_area_table table;
    navd_areas after = {.count = 0};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (!c) return code;
    code = remote_find_world(c, a.world, &world);
    if (code == NAVCTL_OK) code = remote_areas(c, a.world, world.id, &table, &after.revision);
    if (code == NAVCTL_OK && a.changes.count)
        code = change(&table, &a.changes) ? remote_areas_set(c, a.world, world.id, &table, &after) : NAVCTL_USAGE;
    if (code == NAVCTL_OK && a.json) print_json(&table, after.revision, after.dirty_tiles);
    if (code == NAVCTL_OK && !a.json) {
        if (!table.count) fprintf(stderr, "navctl: the world has no table of areas (--set begins one)\n");
        area_list_print(&table, "", stdout);
    }
    navd_world_free(&world);
    navd_close(c);
    return code;
}

const arg_command world_areas_command = {
    .name = "world areas",
    .summary = "Show or change a world's table of areas",
    .details = "Names, costs and colors change without building anything. Flags and walkable build the tiles of the\n"
               "profiles that they make a difference for.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
