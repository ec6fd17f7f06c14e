// navctl world profile, navctl world origin: the settings of a world of a running daemon.
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings_args {
    const char *world, *profile;
    double origin_m[3];
    bool remove, json;
    settings_values settings;
    remote_values remote;
} settings_args;

#define JSON_OPTION                                                                                                    \
    {                                                                                                                  \
        "json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(settings_args, json), 0, 0, NULL    \
    }

static void report(const settings_args *a, const char *what, const navd_change_result *r)
{
    if (!a->json) {
        printf("%s: revision %llu, %u tile%s to build\n", what, (unsigned long long)r->revision, r->dirty_tiles,
               text_s(r->dirty_tiles));
        return;
    }
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "world", a->world);
    if (a->profile) json_text(&w, "profile", a->profile);
    json_int(&w, "revision", (int64_t)r->revision);
    json_int(&w, "dirty_tiles", r->dirty_tiles);
    json_bool(&w, "durable", r->durable);
    json_close(&w, '}');
    json_end_line(&w);
}

// --- profile ---

static const arg_positional profile_positionals[] = {
    {"WORLD", "world to change", true, false, offsetof(settings_args, world)},
    {"NAME", "profile to change or to add", true, false, offsetof(settings_args, profile)},
};
static const arg_option profile_options[] = {
    {"remove", 0, ARG_FLAG, NULL, "remove the profile", offsetof(settings_args, remove), 0, 0, NULL},
    JSON_OPTION,
};
static const arg_group profile_groups[] = {{"Options", profile_options, ARG_COUNT(profile_options), 0},
                                           SETTINGS_GROUP(settings_args, settings),
                                           REMOTE_GROUP(settings_args, remote)};

// What is not given stays as the profile has it. Returns an exit code.
static int read_settings(const arg_command *self, int argc, char **argv, const navd_world *world, settings_args *a)
{
    nav_settings present;
    nav_settings_default(&present);
    for (size_t i = 0; i < world->profile_count; i++)
        if (!strcmp(world->profiles[i].name, a->profile))
            navd_settings_to_core(&world->profiles[i].settings, world->origin_m, &present);
    settings_values_init_from(&a->settings, &present);
    if (args_parse(self, argc, argv, a) != ARGS_GO) return NAVCTL_USAGE; // it went well before
    if (!isnan(a->settings.origin_m[0])) {
        fprintf(stderr, "navctl %s: --origin is the world's, for all profiles: navctl world origin %s X,Y,Z\n",
                self->name, a->world);
        return NAVCTL_USAGE;
    }
    return settings_values_apply(&a->settings, self->name) ? NAVCTL_OK : NAVCTL_USAGE;
}

static int change_profile(const arg_command *self, int argc, char **argv, navd_client *c, settings_args *a)
{
    navd_world world = {0};
    navd_change_result r;
    navd_settings settings;
    char what[3 * NAVD_NAME_BYTES];
    int code = remote_find_world(c, a->world, &world);
    if (code == NAVCTL_OK && !a->remove) code = read_settings(self, argc, argv, &world, a);
    if (code != NAVCTL_OK) goto done;
    navd_settings_from_core(&a->settings.settings, &settings);
    navd_status s = a->remove ? navd_profile_remove(c, world.id, a->profile, &r)
                              : navd_profile_set(c, world.id, a->profile, &settings, &r);
    snprintf(what, sizeof what, "%sprofile %s of world %s", a->remove ? "removed " : "", a->profile, a->world);
    if (s == NAVD_OK)
        report(a, what, &r);
    else
        code = remote_failed(c, s, what);
done:
    navd_world_free(&world);
    return code;
}

static int run_profile(const arg_command *self, int argc, char **argv)
{
    settings_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    settings_values_init(&a.settings);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    code = change_profile(self, argc, argv, c, &a);
    navd_close(c);
    return code;
}

const arg_command world_profile_command = {
    .name = "world profile",
    .summary = "Change, add or remove an agent profile of a world of a running daemon",
    .details =
        "Settings that are not given stay as they are; a new profile has the defaults. Only this profile is built\n"
        "again, and its old tiles stay until the new ones are there.\n",
    .positionals = profile_positionals,
    .positional_count = ARG_COUNT(profile_positionals),
    .groups = profile_groups,
    .group_count = ARG_COUNT(profile_groups),
    .run = run_profile,
};

// --- origin ---

static const arg_positional origin_positionals[] = {
    {"WORLD", "world to change", true, false, offsetof(settings_args, world)},
};
static const arg_option origin_options[] = {
    {"to", 0, ARG_VEC3, "X,Y,Z", "the corner of tile 0,0 from now on, metres", offsetof(settings_args, origin_m), 0, 0,
     NULL},
    JSON_OPTION,
};
static const arg_group origin_groups[] = {{"Options", origin_options, ARG_COUNT(origin_options), 0},
                                          REMOTE_GROUP(settings_args, remote)};

static int run_origin(const arg_command *self, int argc, char **argv)
{
    settings_args a = {.origin_m = {NAN, NAN, NAN}, .remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_world world = {0};
    navd_change_result r;
    char what[2 * NAVD_NAME_BYTES];
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    code = remote_find_world(c, a.world, &world);
    if (code == NAVCTL_OK && isnan(a.origin_m[0])) {
        printf("%.9g,%.9g,%.9g\n", world.origin_m[0], world.origin_m[1], world.origin_m[2]);
    } else if (code == NAVCTL_OK) {
        snprintf(what, sizeof what, "origin of world %s", a.world);
        navd_status s = navd_world_set_origin(c, world.id, a.origin_m, &r);
        if (s == NAVD_OK)
            report(&a, what, &r);
        else
            code = remote_failed(c, s, what);
    }
    navd_world_free(&world);
    navd_close(c);
    return code;
}

const arg_command world_origin_command = {
    .name = "world origin",
    .summary = "Show or move the corner of tile 0,0 of a world of a running daemon",
    .details = "Without --to it prints the origin. Moving it builds the tiles of all profiles again.\n",
    .positionals = origin_positionals,
    .positional_count = ARG_COUNT(origin_positionals),
    .groups = origin_groups,
    .group_count = ARG_COUNT(origin_groups),
    .run = run_origin,
};
