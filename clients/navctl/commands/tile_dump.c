// navctl tile dump: what one tile is made from, as a file.
#include "clients/navctl/world_file/tile_dump.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"

#include <stdio.h>
#include <string.h>

typedef struct dump_args {
    const char *world, *x, *z, *out, *profile, *sheet;
    bool whole_meshes, json;
    remote_values remote;
} dump_args;

static const arg_positional positionals[] = {
    {"WORLD", "world of a running daemon", true, false, offsetof(dump_args, world)},
    {"X", "the tile's place along x", true, false, offsetof(dump_args, x)},
    {"Z", "the tile's place along z", true, false, offsetof(dump_args, z)}};
static const arg_option options[] = {
    {"output", 'o', ARG_FILE, "FILE", "file to write; default: WORLD-X-Z.navdworld, WORLD-SHEET-X-Z.navdworld",
     offsetof(dump_args, out), 0, 0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile; default: the world's first", offsetof(dump_args, profile), 0, 0,
     NULL},
    {"sheet", 0, ARG_CHOICE, "NAME", "of which sheet; default: up", offsetof(dump_args, sheet), 0, 0, SHEET_CHOICES},
    {"whole-meshes", 0, ARG_FLAG, NULL, "keep whole meshes, not only the triangles near the tile",
     offsetof(dump_args, whole_meshes), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(dump_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", options, ARG_COUNT(options), 0}, REMOTE_GROUP(dump_args, remote)};

static const char *const verdicts[] = {[TILE_DUMP_SAME] = "same",
                                       [TILE_DUMP_OTHER] = "different",
                                       [TILE_DUMP_NO_TILE] = "no tile",
                                       [TILE_DUMP_CRASHES] = "crashes"};

static void print_json(const tile_dump_request *r, const tile_dump *d)
{
    char text[NAV_KEY_TEXT_BYTES];
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "file", d->path);
    json_text(&w, "world", r->world);
    json_text(&w, "profile", d->profile);
    json_int(&w, "x", r->x);
    json_int(&w, "z", r->z);
    if (r->sheet != NAV_SHEET_UP) json_text(&w, "sheet", nav_sheet_name(r->sheet));
    json_int(&w, "revision", (int64_t)d->revision);
    json_int(&w, "instances", d->instances);
    json_int(&w, "meshes", d->meshes);
    json_int(&w, "triangles", (int64_t)d->triangles);
    json_int(&w, "all_triangles", (int64_t)d->all_triangles);
    json_int(&w, "volumes", d->volumes);
    json_int(&w, "links", d->links);
    json_int(&w, "bytes", (int64_t)d->file_bytes);
    json_text(&w, "tile_status", navd_tile_status_name(d->status));
    json_text(&w, "tile_state", d->state);
    json_int(&w, "tile_revision", (int64_t)d->tile_revision);
    nav_key_text(d->daemon_hash, text);
    json_text(&w, "tile_hash", text);
    nav_key_text(d->own_hash, text);
    json_text(&w, "built_hash", text);
    json_text(&w, "compared", verdicts[d->verdict]);
    json_close(&w, '}');
    json_end_line(&w);
}

static void print_words(const tile_dump_request *r, const tile_dump *d)
{
    char own[NAV_KEY_TEXT_BYTES], theirs[NAV_KEY_TEXT_BYTES];
    nav_key_text(d->own_hash, own);
    nav_key_text(d->daemon_hash, theirs);
    printf("%s: tile %d,%d", d->path, r->x, r->z);
    if (r->sheet != NAV_SHEET_UP) printf(" of sheet %s", nav_sheet_name(r->sheet));
    printf(" of world %s (profile %s) at revision %llu\n", r->world, d->profile, (unsigned long long)d->revision);
    printf("  %u instance%s of %u mesh%s (%llu of %llu triangles), %u volume%s, %u link%s, %.1f KiB\n", d->instances,
           text_s(d->instances), d->meshes, d->meshes == 1 ? "" : "es", (unsigned long long)d->triangles,
           (unsigned long long)d->all_triangles, d->volumes, text_s(d->volumes), d->links, text_s(d->links),
           (double)d->file_bytes / 1024);
    if (d->seeds_cut)
        printf("  more than %d separate areas are reachable; the file has seeds for the first %d only\n",
               NAVD_MAX_SEEDS, NAVD_MAX_SEEDS);
    if (nav_key_is_zero(d->own_hash)) snprintf(own, sizeof own, "an empty tile");
    if (nav_key_is_zero(d->daemon_hash)) snprintf(theirs, sizeof theirs, "an empty tile");
    if (d->verdict == TILE_DUMP_CRASHES) {
        printf("  building the file crashes navctl, too (%s); the file is complete\n  the daemon's tile is %s%s%s\n",
               strsignal(d->signal), navd_tile_status_name(d->status), d->reason[0] ? ": " : "", d->reason);
    } else if (d->verdict == TILE_DUMP_SAME) {
        printf("  the file builds to the daemon's tile: %s\n", own);
    } else if (d->verdict == TILE_DUMP_OTHER) {
        printf("  the file builds to %s\n  the daemon's tile (revision %llu, %s) is %s\n", own,
               (unsigned long long)d->tile_revision, d->state, theirs);
    } else {
        printf("  the file builds to %s\n  the daemon has no tile to compare with: %s%s%s\n", own,
               navd_tile_status_name(d->status), d->reason[0] ? ": " : "", d->reason);
    }
}

static int run(const arg_command *self, int argc, char **argv)
{
    dump_args a = {.remote = REMOTE_DEFAULTS};
    tile_dump d;
    navd_client *c;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    tile_dump_request r = {.world = a.world,
                           .profile = a.profile,
                           .path = a.out,
                           .sheet = settings_sheet(a.sheet),
                           .whole_meshes = a.whole_meshes};
    if (!args_parse_whole(self, "X", a.x, &r.x) || !args_parse_whole(self, "Z", a.z, &r.z)) return NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    code = tile_dump_write(c, &r, &d);
    if (code == NAVCTL_OK && a.json) print_json(&r, &d);
    if (code == NAVCTL_OK && !a.json) print_words(&r, &d);
    navd_close(c);
    return code;
}

const arg_command tile_dump_command = {
    .name = "tile dump",
    .summary = "Write the input of one tile of a world to a file",
    .details =
        "The file is a world of its own: the profile, and the triangles, volumes and links that the tile and its\n"
        "padding touch. navctl build FILE --only-tile X,Z and navctl world import FILE make the same tile of it.\n"
        "The tile is built once from the file and compared with the daemon's, in a process of its own: where the tile\n"
        "crashes the generator, that is said and the file is there. Each mesh of the world is read once.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
