// navctl world list, export, import, delete: worlds as a whole.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/world_file/world_backup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world_args {
    const char *world, *file, *out, *all;
    double max_gib;
    bool json, yes;
    remote_values remote;
} world_args;

#define JSON_OPTION                                                                                                    \
    {                                                                                                                  \
        "json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(world_args, json), 0, 0, NULL       \
    }

// Parses and connects. Returns an exit code; *c is NULL where there is nothing left to do.
static int begin(const arg_command *self, int argc, char **argv, world_args *a, navd_client **c)
{
    *c = NULL;
    arg_result parsed = args_parse(self, argc, argv, a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    return remote_open(&a->remote, c);
}

// --- list ---

static const arg_option list_options[] = {JSON_OPTION};
static const arg_group list_groups[] = {{"Options", list_options, ARG_COUNT(list_options), 0},
                                        REMOTE_GROUP(world_args, remote)};

static void print_worlds(const navd_world_entry *worlds, size_t count, bool json)
{
    json_writer w = {.out = stdout};
    if (json) json_open(&w, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        if (!json) {
            char name[NAVD_NAME_BYTES];
            text_printable(worlds[i].name, name, sizeof name, NAVD_NAME_BYTES);
            printf("%-24s revision %llu, %llu instance%s\n", name, (unsigned long long)worlds[i].revision,
                   (unsigned long long)worlds[i].instances, text_s(worlds[i].instances));
            continue;
        }
        json_open(&w, NULL, '{');
        json_text(&w, "name", worlds[i].name);
        json_int(&w, "revision", (int64_t)worlds[i].revision);
        json_int(&w, "instances", (int64_t)worlds[i].instances);
        json_close(&w, '}');
    }
    if (!json && !count) fprintf(stderr, "navctl: no worlds (create one with navctl push)\n");
    if (!json) return;
    json_close(&w, ']');
    json_end_line(&w);
}

// For admins, who may look into other namespaces: root sees its own one first, which may well be empty.
static void print_elsewhere(navd_client *c, size_t here)
{
    navd_namespace_entry *spaces;
    size_t count, others = 0;
    uint64_t worlds = 0;
    if (navd_namespaces(c, &spaces, &count) != NAVD_OK) return; // no admin
    for (size_t i = 0; i < count; i++) {
        worlds += spaces[i].worlds;
        others += spaces[i].worlds > 0;
    }
    free(spaces);
    if (here > 0) others--;
    if (worlds <= here || others == 0) return;
    worlds -= here;
    fprintf(stderr,
            "navctl: %llu more world%s in %zu other namespace%s; navctl namespaces lists them, --namespace NAME "
            "uses one\n",
            (unsigned long long)worlds, text_s(worlds), others, text_s(others));
}

static int run_list(const arg_command *self, int argc, char **argv)
{
    world_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_world_entry *worlds;
    size_t count;
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    navd_status s = navd_world_list(c, &worlds, &count);
    if (s == NAVD_OK) {
        print_worlds(worlds, count, a.json);
        if (!a.json) print_elsewhere(c, count);
        free(worlds);
    } else {
        code = remote_failed(c, s, self->name);
    }
    navd_close(c);
    return code;
}

const arg_command world_list_command = {
    .name = "world list",
    .summary = "List the worlds of a running daemon",
    .groups = list_groups,
    .group_count = ARG_COUNT(list_groups),
    .run = run_list,
};

// --- export ---

static void report_json(const world_copy *copy, bool import)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "world", copy->name);
    json_int(&w, "revision", (int64_t)copy->revision);
    json_int(&w, "objects", (int64_t)copy->objects);
    json_int(&w, "meshes", (int64_t)copy->meshes);
    json_int(&w, import ? "meshes_sent" : "bytes", (int64_t)(import ? copy->sent_meshes : copy->file_bytes));
    json_close(&w, '}');
    json_end_line(&w);
}

static const arg_positional export_positionals[] = {
    {"WORLD", "world to export, unless --all is given", false, false, offsetof(world_args, world)},
};
static const arg_option export_options[] = {
    {"output", 'o', ARG_FILE, "FILE", "file to write; default: WORLD.navdworld", offsetof(world_args, out), 0, 0, NULL},
    {"all", 0, ARG_FILE, "FOLDER", "all worlds, each to a file of its own in a new or empty folder",
     offsetof(world_args, all), 0, 0, NULL},
    JSON_OPTION,
};
static const arg_group export_groups[] = {{"Options", export_options, ARG_COUNT(export_options), 0},
                                          REMOTE_GROUP(world_args, remote)};

// Where the user names no file: a name for a file here, whatever is in the world's name.
static void default_path(const char *world, char *path, size_t size)
{
    snprintf(path, size, "%s.navdworld", world);
    for (char *p = path; *p; p++) {
        if (*p == '/' || (p == path && *p == '.') || (unsigned char)*p < ' ') *p = '_';
    }
}

static void report_export(void *user, const char *path, const world_copy *copy)
{
    if (((const world_args *)user)->json)
        report_json(copy, false);
    else
        printf("%s: world %s at revision %llu, %llu object%s of %llu mesh%s, %.1f KiB\n", path, copy->name,
               (unsigned long long)copy->revision, (unsigned long long)copy->objects, text_s(copy->objects),
               (unsigned long long)copy->meshes, copy->meshes == 1 ? "" : "es", (double)copy->file_bytes / 1024);
}

// Either what `given` names, or --all: not both, not neither. False with one line on stderr.
static bool is_one_or_all(const arg_command *self, const world_args *a, const char *given, const char *other)
{
    const char *clash = !given && !a->all ? "nothing to copy: name it, or give --all FOLDER"
                        : given && a->all ? "--all takes no further name"
                        : other && a->all ? "--all keeps the names of worlds and files"
                                          : NULL;
    if (clash) fprintf(stderr, "navctl %s: %s (see navctl %s --help)\n", self->name, clash, self->name);
    return !clash;
}

static int run_export(const arg_command *self, int argc, char **argv)
{
    world_args a = {.remote = REMOTE_DEFAULTS};
    char path[NAVD_NAME_BYTES + 16];
    navd_client *c;
    world_copy copy;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!is_one_or_all(self, &a, a.world, a.out)) return NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    if (a.all) {
        code = world_export_all(c, a.all, report_export, &a);
    } else {
        default_path(a.world, path, sizeof path);
        if (!a.out) a.out = path;
        code = world_export(c, a.world, a.out, &copy);
        if (code == NAVCTL_OK) report_export(&a, a.out, &copy);
    }
    navd_close(c);
    return code;
}

const arg_command world_export_command = {
    .name = "world export",
    .summary = "Write a world of a running daemon to one file, or all worlds to a folder",
    .details =
        "Meshes, instances, volumes, links, agent profiles and reachability, all of one revision. The tiles are\n"
        "built again where the world is imported. The file appears whole or not at all.\n"
        "With --all each world is of one revision, but the worlds are read one after the other. Worlds created\n"
        "meanwhile are left out, worlds deleted meanwhile are passed over. Other namespaces: --namespace.\n",
    .positionals = export_positionals,
    .positional_count = ARG_COUNT(export_positionals),
    .groups = export_groups,
    .group_count = ARG_COUNT(export_groups),
    .run = run_export,
};

// --- import ---

static const arg_positional import_positionals[] = {
    {"FILE", "file that navctl world export wrote, unless --all is given", false, true, offsetof(world_args, file)},
};
static const arg_option import_options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "name of the new world; default: the name in the file",
     offsetof(world_args, world), 0, 0, NULL},
    {"all", 0, ARG_FILE, "FOLDER", "every file of a folder that world export --all wrote", offsetof(world_args, all), 0,
     0, NULL},
    {"max-gib", 0, ARG_DOUBLE, "N", "refuse a file that unpacks to more", offsetof(world_args, max_gib), 0, 1 << 20,
     NULL},
    JSON_OPTION,
};
static const arg_group import_groups[] = {{"Options", import_options, ARG_COUNT(import_options), 0},
                                          REMOTE_GROUP(world_args, remote)};

static void report_import(void *user, const char *path, const world_copy *copy)
{
    (void)path;
    if (((const world_args *)user)->json)
        report_json(copy, true);
    else
        printf("world %s at revision %llu: %llu object%s of %llu mesh%s, %llu of them sent\n", copy->name,
               (unsigned long long)copy->revision, (unsigned long long)copy->objects, text_s(copy->objects),
               (unsigned long long)copy->meshes, copy->meshes == 1 ? "" : "es", (unsigned long long)copy->sent_meshes);
}

static int run_import(const arg_command *self, int argc, char **argv)
{
    world_args a = {.max_gib = 32, .remote = REMOTE_DEFAULTS};
    navd_client *c;
    world_copy copy;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!is_one_or_all(self, &a, a.file, a.world)) return NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    uint64_t max_bytes = (uint64_t)(a.max_gib * 1073741824.0);
    if (a.all) {
        code = world_import_all(c, a.all, max_bytes, report_import, &a);
    } else {
        code = world_import(c, a.file, a.world, max_bytes, &copy);
        if (code == NAVCTL_OK) report_import(&a, a.file, &copy);
    }
    navd_close(c);
    return code;
}

const arg_command world_import_command = {
    .name = "world import",
    .summary = "Create a world from a file that world export wrote, or all worlds of a folder",
    .details = "The whole file is checked before anything is sent. The world must not exist yet.\n"
               "If the daemon refuses a part of it, the new world is deleted again.\n",
    .positionals = import_positionals,
    .positional_count = ARG_COUNT(import_positionals),
    .groups = import_groups,
    .group_count = ARG_COUNT(import_groups),
    .run = run_import,
};

// --- delete ---

static const arg_positional delete_positionals[] = {
    {"WORLD", "world to delete", true, false, offsetof(world_args, world)},
};
static const arg_option delete_options[] = {
    {"yes", 'y', ARG_FLAG, NULL, "delete it; without this, only show what would be lost", offsetof(world_args, yes), 0,
     0, NULL},
};
static const arg_group delete_groups[] = {{"Options", delete_options, ARG_COUNT(delete_options), 0},
                                          REMOTE_GROUP(world_args, remote)};

static const navd_world_entry *find_world(const navd_world_entry *worlds, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(worlds[i].name, name)) return &worlds[i];
    }
    return NULL;
}

static int delete_world(navd_client *c, const world_args *a)
{
    navd_world world;
    navd_world_entry *worlds;
    size_t count;
    navd_status s = navd_world_list(c, &worlds, &count);
    if (s != NAVD_OK) return remote_failed(c, s, a->world);
    const navd_world_entry *entry = find_world(worlds, count, a->world);
    uint64_t instances = entry ? entry->instances : 0, revision = entry ? entry->revision : 0;
    free(worlds);
    if (!entry) {
        fprintf(stderr, "navctl: no world %s (navctl world list shows the worlds)\n", a->world);
        return NAVCTL_FAILED;
    }
    if (!a->yes) {
        fprintf(stderr, "navctl: world %s has revision %llu and %llu instance%s; add --yes to delete it permanently\n",
                a->world, (unsigned long long)revision, (unsigned long long)instances, text_s(instances));
        return NAVCTL_USAGE;
    }
    s = navd_world_open(c, a->world, false, NULL, NULL, 0, &world);
    if (s == NAVD_OK) s = navd_world_delete(c, world.id);
    navd_world_free(&world);
    if (s != NAVD_OK) return remote_failed(c, s, a->world);
    printf("deleted world %s\n", a->world);
    return NAVCTL_OK;
}

static int run_delete(const arg_command *self, int argc, char **argv)
{
    world_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    code = delete_world(c, &a);
    navd_close(c);
    return code;
}

const arg_command world_delete_command = {
    .name = "world delete",
    .summary = "Delete a world of a running daemon, for all users",
    .positionals = delete_positionals,
    .positional_count = ARG_COUNT(delete_positionals),
    .groups = delete_groups,
    .group_count = ARG_COUNT(delete_groups),
    .run = run_delete,
};
