// navctl world areas: a world's table of areas.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct areas_args {
    const char *world;
    bool json;
    arg_steps changes; // --set and --remove, in order
    remote_values remote;
} areas_args;

static const arg_positional positionals[] = {{"WORLD", "world to look at", true, false, offsetof(areas_args, world)}};
static const arg_option options[] = {
    {"set", 0, ARG_STEP, "ID,KEY=VALUE,...",
     "change an area, 1 to 63; keys: name, cost, flags (or none), color (rrggbb or none), walkable (yes or no); may be "
     "repeated",
     offsetof(areas_args, changes), 0, 0, NULL},
    {"remove", 0, ARG_STEP, "ID", "take an area out of the table; may be repeated", offsetof(areas_args, changes), 0, 0,
     NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(areas_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", options, ARG_COUNT(options), 0}, REMOTE_GROUP(areas_args, remote)};

static bool is_number(const char *text, int base, unsigned long max, unsigned long *out)
{
    char *end;
    *out = strtoul(text, &end, base);
    return *text && *text != '-' && *text != '+' && !*end && *out <= max;
}

static bool set_key(navd_area_type *a, const char *key, const char *value)
{
    unsigned long number = 0;
    const bool none = !strcmp(value, "none");
    if (!strcmp(key, "name")) {
        if (strlen(value) >= sizeof a->name) return false;
        strcpy(a->name, value);
        return true;
    }
    if (!strcmp(key, "cost")) {
        char *end;
        a->cost = strtof(value, &end);
        return *value && !*end && a->cost > 0;
    }
    if (!strcmp(key, "flags")) {
        if (!none && !is_number(value, 0, 65535, &number)) return false;
        a->has_flags = !none;
        a->flags = (uint16_t)number;
        return true;
    }
    if (!strcmp(key, "color")) {
        if (!none && !is_number(value, 16, 0xffffff, &number)) return false;
        a->has_color = !none;
        a->color = (uint32_t)number;
        return true;
    }
    a->walkable = !strcmp(value, "yes");
    return !strcmp(key, "walkable") && (a->walkable || !strcmp(value, "no"));
}

static navd_area_type *find(navd_areas *t, unsigned long id)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->areas[i].id == id) return &t->areas[i];
    return NULL;
}

// "7,name=water,cost=10"; text is changed.
static bool set(navd_areas *t, char *text)
{
    char *next = strchr(text, ',');
    unsigned long id;
    if (next) *next++ = 0;
    if (!next || !is_number(text, 10, 63, &id) || !id) return false;
    navd_area_type *a = find(t, id);
    if (!a) {
        a = &t->areas[t->count++]; // there are no more than ids
        navd_area_default(a, (uint8_t)id);
    }
    while (next) {
        char *key = next, *value = strchr(key, '=');
        next = strchr(key, ',');
        if (next) *next++ = 0;
        if (!value || (next && value > next)) return false;
        *value++ = 0;
        if (!set_key(a, key, value)) return false;
    }
    return true;
}

static bool take_out(navd_areas *t, const char *text)
{
    unsigned long id;
    navd_area_type *a = is_number(text, 10, 63, &id) ? find(t, id) : NULL;
    if (a) *a = t->areas[--t->count];
    return a;
}

// False with one line on stderr.
static bool change(navd_areas *t, const arg_steps *changes)
{
    for (int i = 0; i < changes->count; i++) {
        const bool sets = changes->items[i].option == &options[0];
        char *copy = strdup(changes->items[i].value);
        const bool ok = copy && (sets ? set(t, copy) : take_out(t, copy));
        free(copy);
        if (ok) continue;
        fprintf(stderr, "navctl world areas: --%s %s: %s\n", sets ? "set" : "remove", changes->items[i].value,
                sets ? "expected ID,KEY=VALUE,... as in 7,name=water,cost=10,color=3366cc"
                     : "the table has no such area");
        return false;
    }
    return true;
}

static void print_words(const navd_areas *t)
{
    if (!t->count) fprintf(stderr, "navctl: the world has no table of areas (--set begins one)\n");
    for (size_t i = 0; i < t->count; i++) {
        const navd_area_type *a = &t->areas[i];
        char name[NAVD_AREA_NAME_BYTES];
        text_printable(a->name, name, sizeof name, sizeof name);
        printf("%2u  %-20s cost %g", a->id, name, (double)a->cost);
        if (a->has_flags) printf(", flags 0x%x", a->flags);
        if (a->has_color) printf(", color %06x", a->color);
        printf("%s\n", a->walkable ? "" : ", not walkable");
    }
}

static void print_json(const navd_areas *t)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_int(&w, "revision", (int64_t)t->revision);
    json_int(&w, "dirty_tiles", t->dirty_tiles);
    json_open(&w, "areas", '[');
    for (size_t i = 0; i < t->count; i++) {
        const navd_area_type *a = &t->areas[i];
        json_open(&w, NULL, '{');
        json_int(&w, "id", a->id);
        json_text(&w, "name", a->name);
        json_number(&w, "cost", (double)a->cost);
        if (a->has_flags) json_int(&w, "flags", a->flags);
        if (a->has_color) json_int(&w, "color", a->color);
        json_bool(&w, "walkable", a->walkable);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_close(&w, '}');
    json_end_line(&w);
}

static int run(const arg_command *self, int argc, char **argv)
{
    areas_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_world world = {0};
    navd_areas table;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (!c) return code;
    navd_status s = navd_world_open(c, a.world, false, NULL, NULL, 0, &world);
    if (s == NAVD_OK) s = navd_world_areas(c, world.id, NULL, 0, false, &table);
    if (s == NAVD_OK && a.changes.count) {
        if (!change(&table, &a.changes)) {
            code = NAVCTL_USAGE;
            goto done;
        }
        navd_areas after;
        s = navd_world_areas(c, world.id, table.areas, table.count, true, &after);
        if (s == NAVD_OK) table = after;
    }
    if (s != NAVD_OK)
        code = remote_failed(c, s, a.world);
    else if (a.json)
        print_json(&table);
    else
        print_words(&table);
done:
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
