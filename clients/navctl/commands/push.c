// navctl push: a scene file into a world of a running daemon.
#include "clients/navctl/commands/push.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/commands/push_watch.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/link_sync.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/remote/remote_reach.h"
#include "clients/navctl/remote/scene_sync.h"
#include "clients/navctl/scene/scene_check.h"
#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/scene/scene_look.h"
#include "clients/navctl/tile_files/tile_set.h"
#include "core/geometry/tile_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct push_args {
    const char *scene, *world, *profile, *out, *source;
    bool json, no_wait, dry_run, adopt, watch, quiet; // quiet: no report; no option
    remote_values remote;
    scene_load_values reading;
    area_type_values area_types;
    settings_values grid;
    reach_values reach;
} push_args;

static const arg_option push_options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "world to send it to; created if it does not exist", offsetof(push_args, world), 0,
     0, NULL},
    {"source", 0, ARG_TEXT, "NAME", "who owns what the file puts; default: the file's name without its folder",
     offsetof(push_args, source), 0, 0, NULL},
    {"dry-run", 0, ARG_FLAG, NULL, "say what would change, and change nothing", offsetof(push_args, dry_run), 0, 0,
     NULL},
    {"watch", 0, ARG_FLAG, NULL, "push again whenever the file, or one that it refers to, is saved, until Ctrl-C",
     offsetof(push_args, watch), 0, 0, NULL},
    {"adopt", 0, ARG_FLAG, NULL, "take over instances of the same names that have no source",
     offsetof(push_args, adopt), 0, 0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile to which the settings below apply", offsetof(push_args, profile), 0,
     0, NULL},
    {"output", 'o', ARG_FILE, "FILE", "store the tiles: NAME.bin for Detour, or NAME.navd", offsetof(push_args, out), 0,
     0, NULL},
    {"no-wait", 0, ARG_FLAG, NULL, "return once the scene is accepted, without waiting for tiles",
     offsetof(push_args, no_wait), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "report as one line of JSON on standard output", offsetof(push_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", push_options, ARG_COUNT(push_options), 0},
                                   SCENE_LOAD_GROUPS(push_args, reading),
                                   AREA_TYPE_GROUP(push_args, area_types),
                                   REMOTE_GROUP(push_args, remote),
                                   REACH_GROUP(push_args, reach),
                                   SETTINGS_GROUP(push_args, grid)};
static const arg_positional positionals[] = {
    {"SCENE", "scene file: OBJ, glTF, GLB, FBX, PLY or STL; floor plan: GeoJSON, WKT or SVG", true, true,
     offsetof(push_args, scene)}};

typedef struct push {
    const push_args *args;
    const char *source;
    navd_client *client;
    scene scene;
    scene_doubts doubts;
    navd_world world;
    const navd_profile *profile;
    scene_sync sync;
    link_sync links;
    double tiles_s; // from when the scene was sent to the last tile
    progress bar;
    tile_set tiles;
    uint64_t tiles_seen, tiles_before; // before: when the scene was sent
    bool subscribed, pushed;           // pushed: once already
    bool no_memory;
    float seeds[NAVD_MAX_SEEDS][3];
} push;

// Only a new world takes an origin from the command line.
static int check_origin(const push *p)
{
    const double *o = p->args->grid.origin_m, *has = p->world.origin_m;
    if (isnan(o[0]) || (o[0] == has[0] && o[1] == has[1] && o[2] == has[2])) return NAVCTL_OK;
    fprintf(
        stderr,
        "navctl push: --origin %g,%g,%g: world %s has its origin at %g,%g,%g; leave out --origin, or move the world's "
        "with navctl world origin %s --to %g,%g,%g\n",
        o[0], o[1], o[2], p->args->world, has[0], has[1], has[2], p->args->world, o[0], o[1], o[2]);
    return NAVCTL_FAILED;
}

// Without settings on the command line an existing world is taken as it is; else, or when it is new, the profile is
// given, and the daemon refuses one that differs from what the world has.
static int open_world(push *p)
{
    nav_settings defaults;
    navd_profile profile = {.name = "default"};
    const double *origin = isnan(p->args->grid.origin_m[0]) ? NULL : p->args->grid.origin_m;
    const char *name = p->args->profile ? p->args->profile : profile.name;
    nav_settings_default(&defaults);
    nav_key given = nav_settings_key(&p->args->grid.settings, 0, 0);
    bool as_it_is = !origin && nav_key_equal(given, nav_settings_key(&defaults, 0, 0));
    navd_status s = NAVD_ERR_NOT_FOUND;
    if (as_it_is) s = navd_world_open(p->client, p->args->world, false, NULL, NULL, 0, &p->world);
    bool has_profile = false;
    for (size_t i = 0; s == NAVD_OK && i < p->world.profile_count; i++) {
        has_profile |= !p->args->profile || !strcmp(p->world.profiles[i].name, name);
    }
    if (s == NAVD_ERR_NOT_FOUND || (s == NAVD_OK && !has_profile)) {
        if (strlen(name) >= sizeof profile.name) {
            fprintf(stderr, "navctl push: --profile %s: expected a name of at most %zu bytes\n", name,
                    sizeof profile.name - 1);
            return NAVCTL_USAGE;
        }
        memcpy(profile.name, name, strlen(name) + 1);
        navd_settings_from_core(&p->args->grid.settings, &profile.settings);
        navd_world_free(&p->world);
        s = navd_world_open(p->client, p->args->world, true, origin, &profile, 1, &p->world);
    }
    if (s != NAVD_OK) return remote_failed(p->client, s, p->args->world);
    int code = check_origin(p);
    if (code != NAVCTL_OK) return code;
    for (size_t i = 0; i < p->world.profile_count; i++) {
        bool is_it = !p->args->profile || !strcmp(p->world.profiles[i].name, name);
        if (is_it && !p->profile) p->profile = &p->world.profiles[i];
    }
    if (p->profile) return NAVCTL_OK;
    fprintf(stderr, "navctl: world %s has no agent profile %s\n", p->args->world, name);
    return NAVCTL_FAILED;
}

// Before the instances: a new world's tiles are made once.
static int send_reach(push *p)
{
    navd_operation op;
    navd_edit_result result;
    int code = remote_reach_operation(p->client, p->world.id, &p->args->reach, p->seeds, &op);
    if (code != NAVCTL_OK) return code;
    navd_status s = navd_edit(p->client, p->world.id, NULL, &op, 1, &result);
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(p->client, s, p->args->world);
}

// What the command line says of areas, in the world's table; a world that has it already is left alone.
static int send_areas(push *p)
{
    nav_area_table table;
    int code = remote_areas(p->client, p->args->world, p->world.id, &table, NULL);
    const nav_area_table before = table;
    if (code == NAVCTL_OK && !area_type_values_apply(&p->args->area_types, "push", &table)) code = NAVCTL_USAGE;
    if (code != NAVCTL_OK || nav_area_table_equal(&before, &table)) return code;
    return remote_areas_set(p->client, p->args->world, p->world.id, &table, NULL);
}

// A world that was made for a scene which the daemon then refused goes again, unless others have put something there.
static void drop_empty_world(push *p)
{
    navd_world_entry *all = NULL;
    size_t count = 0;
    bool is_empty = false;
    char why[512];
    if (!p->world.created) return;
    navd_status s = navd_world_list(p->client, &all, &count);
    for (size_t i = 0; s == NAVD_OK && i < count; i++)
        is_empty |= !strcmp(all[i].name, p->args->world) && all[i].instances == 0;
    free(all);
    if (s == NAVD_OK && is_empty) s = navd_world_delete(p->client, p->world.id);
    if (s == NAVD_OK) return;
    snprintf(why, sizeof why, "%s", navd_error_text(p->client));
    fprintf(stderr, "navctl: the empty world %s stays: %s\n", p->args->world, why);
}

// Only plans have links.
static bool is_plan(const char *path)
{
    const scene_format format = scene_format_of(path);
    return format == SCENE_GEOJSON || format == SCENE_WKT || format == SCENE_SVG;
}

static int send_links(push *p)
{
    int code = link_sync_run(p->client, &p->world, p->args->world, &p->scene, p->source, p->args->dry_run, &p->links);
    if (p->links.revision) p->sync.result.revision = p->links.revision;
    return code;
}

static int send_scene(push *p)
{
    const scene_sync_options how = {p->source, p->args->dry_run, p->args->adopt};
    int code = p->args->area_types.changes.count && !p->args->dry_run ? send_areas(p) : NAVCTL_OK;
    if (code == NAVCTL_OK && p->args->reach.given && !p->args->dry_run) code = send_reach(p);
    if (code == NAVCTL_OK) code = scene_sync_run(p->client, &p->world, p->args->world, &p->scene, &how, &p->sync);
    if (code == NAVCTL_OK && is_plan(p->args->scene)) code = send_links(p);
    if (code != NAVCTL_OK) drop_empty_world(p);
    return code;
}

static void on_tile(void *user, const navd_tile *tile)
{
    push *p = user;
    p->tiles_seen++;
    p->no_memory |= !tile_set_take(&p->tiles, tile);
}

static void on_progress(void *user, uint64_t world, const char *profile, uint64_t done, uint64_t total)
{
    push *p = user;
    (void)world, (void)profile;
    progress_update(&p->bar, done, total);
}

static int run_dry(push *p)
{
    navd_status s = navd_world_open(p->client, p->args->world, false, NULL, NULL, 0, &p->world);
    if (s == NAVD_OK) {
        int code = check_origin(p);
        return code == NAVCTL_OK ? send_scene(p) : code;
    }
    if (s != NAVD_ERR_NOT_FOUND) return remote_failed(p->client, s, p->args->world);
    scene_sync_imagine(&p->scene, &p->sync);
    return NAVCTL_OK;
}

static void on_event(void *user, const navd_event *event)
{
    push *p = user;
    if (event->kind == NAVD_EVENT_ENDED) p->subscribed = false; // its world was deleted
}

static navd_status subscribe(push *p, generate_encoding encoding)
{
    const navd_subscription_options wanted = {.profile = p->profile->name,
                                              .encoding = encoding == GENERATE_DETOUR ? NAVD_ENCODING_DETOUR
                                                                                      : NAVD_ENCODING_NAVD};
    if (p->subscribed) return NAVD_OK;
    navd_on_tile(p->client, on_tile, p);
    navd_on_progress(p->client, on_progress, p);
    navd_on_event(p->client, on_event, p);
    navd_status s = navd_subscribe(p->client, p->world.id, &wanted, NULL);
    p->subscribed = s == NAVD_OK;
    return s;
}

static int write_tiles(const push *p, generate_encoding encoding)
{
    nav_area_table areas;
    int code = remote_areas(p->client, p->args->world, p->world.id, &areas, NULL);
    if (code != NAVCTL_OK) return code;
    bool ok = tile_set_write(&p->tiles, p->args->out, encoding, &p->profile->settings, p->world.origin_m, &areas);
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

static int run_push(push *p)
{
    generate_encoding encoding = GENERATE_NAVD;
    if (p->args->dry_run) return run_dry(p);
    if (p->args->out) (void)store_encoding_of(p->args->out, &encoding); // was checked
    int code = open_world(p);
    double started_s = now_s();
    p->tiles_before = p->tiles_seen;
    if (code == NAVCTL_OK) code = send_scene(p);
    if (code != NAVCTL_OK || p->args->no_wait) return code;
    progress_begin(&p->bar, "Generating");
    navd_status s = subscribe(p, encoding);
    if (s == NAVD_OK) s = navd_wait(p->client, p->world.id, &p->sync.result.revision, NULL);
    progress_end(&p->bar);
    p->tiles_s = now_s() - started_s;
    if (s != NAVD_OK) return remote_failed(p->client, s, p->args->world);
    if (p->no_memory) {
        fprintf(stderr, "navctl: no memory left\n");
        return NAVCTL_FAILED;
    }
    if (p->args->out) code = write_tiles(p, encoding);
    if (code != NAVCTL_OK) return code;
    return tile_set_count(&p->tiles).failed ? NAVCTL_TILES : NAVCTL_OK;
}

static void print_links(const push *p)
{
    const link_sync *l = &p->links;
    if (l->put) printf(", %u link%s put", l->put, text_s(l->put));
    if (l->removed) printf(", %u link%s gone", l->removed, text_s(l->removed));
}

static void report_links(const push *p, json_writer *w)
{
    json_int(w, "links_put", p->links.put);
    json_int(w, "links_removed", p->links.removed);
}

static void report_dry(const push *p)
{
    if (p->args->json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "world", p->args->world);
        json_text(&w, "source", p->source);
        json_bool(&w, "dry_run", true);
        scene_sync_report(&p->sync, &p->scene, true, &w);
        if (is_plan(p->args->scene)) report_links(p, &w);
        json_close(&w, '}');
        json_end_line(&w);
        return;
    }
    if (!p->world.id) printf("world %s does not exist yet\n", p->args->world);
    printf("%s, as source %s of world %s, would change:\n", p->args->scene, p->source, p->args->world);
    scene_sync_print(&p->sync, &p->scene, true);
    print_links(p);
    printf("\n");
}

// Returns an exit code.
static int report(const push *p)
{
    int code = NAVCTL_OK;
    tile_set_totals t = tile_set_count(&p->tiles);
    const navd_sync_result *r = &p->sync.result;
    if (p->args->dry_run) {
        report_dry(p);
        return code;
    }
    if (!p->args->no_wait && t.filled + t.failed == 0) scene_look_say_nothing(&p->scene, &p->args->grid.settings);
    if (p->args->json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "world", p->args->world);
        json_text(&w, "profile", p->profile->name);
        json_text(&w, "source", p->source);
        json_int(&w, "revision", (int64_t)r->revision);
        json_int(&w, "instances", p->scene.instance_count);
        json_open(&w, "bounds", '{');
        scene_look_report(&p->scene, &p->doubts, &w);
        json_close(&w, '}');
        json_int(&w, "meshes", p->scene.mesh_count);
        scene_sync_report(&p->sync, &p->scene, false, &w);
        if (is_plan(p->args->scene)) report_links(p, &w);
        json_int(&w, "meshes_sent", p->sync.meshes_sent);
        json_int(&w, "bytes_sent", (int64_t)p->sync.bytes_sent);
        json_number(&w, "upload_s", p->sync.upload_s);
        json_number(&w, "sync_s", p->sync.sync_s);
        json_int(&w, "tiles", t.filled);
        json_int(&w, "failed_tiles", t.failed);
        json_int(&w, "bytes", (int64_t)t.bytes);
        json_number(&w, "tiles_s", p->tiles_s);
        if (p->args->reach.given && !p->args->no_wait)
            code = remote_reach_report(p->client, p->world.id, p->profile->name, &p->args->reach, &w);
        json_close(&w, '}');
        json_end_line(&w);
        return code;
    }
    printf("%s: %u instance%s of %u mesh%s, %llu triangle%s\n", p->args->scene, p->scene.instance_count,
           text_s(p->scene.instance_count), p->scene.mesh_count, p->scene.mesh_count == 1 ? "" : "es",
           (unsigned long long)p->scene.tri_count, text_s(p->scene.tri_count));
    scene_look_report(&p->scene, &p->doubts, NULL);
    printf("world %s, revision %llu: ", p->args->world, (unsigned long long)r->revision);
    scene_sync_print(&p->sync, &p->scene, false);
    print_links(p);
    printf("; sent %u mesh%s (%.1f KiB) in %.3f s\n", p->sync.meshes_sent, p->sync.meshes_sent == 1 ? "" : "es",
           (double)p->sync.bytes_sent / 1024, p->sync.sync_s);
    if (!p->args->no_wait) {
        printf("%u tile%s with ground (%.1f KiB), %u failed, %.2f s after the scene was sent\n", t.filled,
               text_s(t.filled), (double)t.bytes / 1024, t.failed, p->tiles_s);
    }
    if (p->args->reach.given && !p->args->no_wait)
        code = remote_reach_report(p->client, p->world.id, p->profile->name, &p->args->reach, NULL);
    if (p->args->out) printf("wrote %s\n", p->args->out);
    return code;
}

static int load(const push *p, scene *out)
{
    return scene_load(p->args->scene, &p->args->reading, "push", shared_threads(), out);
}

// --- again and again ---

static int load_again(void *user)
{
    push *p = user;
    scene read;
    int code = load(p, &read);
    if (code != NAVCTL_OK) return code;
    scene_deinit(&p->scene);
    p->scene = read;
    if (!p->pushed) scene_look_warn(&p->scene, &p->args->grid.settings, &p->doubts);
    return NAVCTL_OK;
}

static void report_change(const push *p)
{
    const navd_sync_result *r = &p->sync.result;
    uint64_t tiles = p->tiles_seen - p->tiles_before;
    if (p->args->json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "event", "pushed");
        json_int(&w, "revision", (int64_t)r->revision);
        scene_sync_report(&p->sync, &p->scene, false, &w);
        json_int(&w, "meshes_sent", p->sync.meshes_sent);
        json_int(&w, "tiles_changed", (int64_t)tiles);
        json_number(&w, "sync_s", p->sync.sync_s);
        json_number(&w, "tiles_s", p->tiles_s);
        json_close(&w, '}');
        json_end_line(&w);
    } else {
        printf("revision %llu: ", (unsigned long long)r->revision);
        scene_sync_print(&p->sync, &p->scene, false);
        print_links(p);
        printf("; %llu tile%s changed, %.1f ms\n", (unsigned long long)tiles, text_s(tiles), p->tiles_s * 1e3);
    }
}

static int send_again(void *user)
{
    push *p = user;
    navd_world_free(&p->world); // it may have been deleted meanwhile
    p->profile = NULL;
    scene_sync_deinit(&p->sync);
    int code = run_push(p);
    if (code != NAVCTL_OK && code != NAVCTL_TILES) return code;
    if (p->pushed)
        report_change(p);
    else
        (void)report(p);
    p->pushed = true;
    fflush(stdout);
    return code;
}

static int run_watch(push *p)
{
    int code = remote_open(&p->args->remote, &p->client);
    const push_watch w = {p->args->scene, p->args->json, p->client, p, load_again, send_again};
    push_watch_begin();
    return code == NAVCTL_OK ? push_watch_run(&w) : code;
}

static int run_once(push *p)
{
    int code = load(p, &p->scene);
    if (code != NAVCTL_OK) return code;
    scene_look_warn(&p->scene, &p->args->grid.settings, &p->doubts);
    code = remote_open(&p->args->remote, &p->client);
    if (code == NAVCTL_OK) code = run_push(p);
    if (!p->args->quiet && (code == NAVCTL_OK || code == NAVCTL_TILES)) {
        int reported = report(p);
        if (code == NAVCTL_OK) code = reported;
    }
    return code;
}

// Values that go together are left to check.
static int run_checked(push_args *a)
{
    if (!settings_values_apply(&a->grid, "push") || !reach_values_apply(&a->reach, "push")) return NAVCTL_USAGE;
    if (!scene_load_check(&a->reading, "push") || !area_type_values_check(&a->area_types, "push")) return NAVCTL_USAGE;
    if (a->out && !output_is_possible(a->out)) return NAVCTL_FAILED;
    push p = {.args = a, .source = a->source ? a->source : scene_sync_source_of(a->scene)};
    int code = a->watch ? run_watch(&p) : run_once(&p);
    navd_close(p.client);
    navd_world_free(&p.world);
    tile_set_deinit(&p.tiles);
    scene_sync_deinit(&p.sync);
    scene_deinit(&p.scene);
    return code;
}

int push_scene(const char *file, const char *world, const char *address, const scene_load_values *reading,
               const settings_values *grid)
{
    push_args a = {.scene = file, .world = world, .no_wait = true, .quiet = true, .remote = REMOTE_DEFAULTS};
    reach_values_init(&a.reach);
    a.remote.address = address;
    a.reading = *reading;
    a.grid = *grid;
    return run_checked(&a);
}

static int run(const arg_command *self, int argc, char **argv)
{
    push_args a = {.remote = REMOTE_DEFAULTS};
    generate_encoding ignored;
    settings_values_init(&a.grid);
    reach_values_init(&a.reach);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.world) {
        fprintf(stderr, "navctl push: --world NAME is missing (see navctl push --help)\n");
        return NAVCTL_USAGE;
    }
    if (a.out && (a.no_wait || !store_encoding_of(a.out, &ignored))) {
        fprintf(stderr, "navctl push: -o %s: %s\n", a.out,
                a.no_wait ? "--no-wait leaves no tiles to store" : "the name must end in .bin (Detour) or .navd");
        return NAVCTL_USAGE;
    }
    if (a.dry_run && (a.out || a.no_wait)) {
        fprintf(stderr, "navctl push: --dry-run sends nothing, so there are no tiles for %s\n",
                a.out ? "-o" : "--no-wait to leave out");
        return NAVCTL_USAGE;
    }
    if (a.watch && (a.out || a.no_wait || a.dry_run)) {
        fprintf(stderr, "navctl push: --watch goes with none of -o, --no-wait and --dry-run\n");
        return NAVCTL_USAGE;
    }
    a.remote.keep_connected = a.watch;
    return run_checked(&a);
}

const arg_command push_command = {
    .name = "push",
    .summary = "Send a scene to a world of a running daemon and wait for its tiles",
    .details =
        "The world keeps which source put each instance. Pushing a file again sends what differs and removes what the\n"
        "file no longer has; what others have put stays, objects of the same names too. Only the meshes that the\n"
        "daemon lacks are sent.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
