// navctl push: a scene file into a world of a running daemon.
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_reach.h"
#include "clients/navctl/scene/scene_frame.h"
#include "clients/navctl/scene/scene_look.h"
#include "clients/navctl/tile_files/tile_set.h"
#include "core/geometry/tile_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct push_args {
    const char *scene, *world, *profile, *out;
    bool json, no_wait;
    remote_values remote;
    scene_frame_values frame;
    settings_values grid;
    reach_values reach;
} push_args;

static const arg_option push_options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "world to send it to; created if it does not exist", offsetof(push_args, world), 0,
     0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile to which the settings below apply", offsetof(push_args, profile), 0,
     0, NULL},
    {"output", 'o', ARG_FILE, "FILE", "store the tiles: NAME.bin for Detour, or NAME.navd", offsetof(push_args, out), 0,
     0, NULL},
    {"no-wait", 0, ARG_FLAG, NULL, "return once the scene is accepted, without waiting for tiles",
     offsetof(push_args, no_wait), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "report as one line of JSON on standard output", offsetof(push_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", push_options, ARG_COUNT(push_options), 0},
                                   SCENE_FRAME_GROUP(push_args, frame),
                                   REMOTE_GROUP(push_args, remote),
                                   REACH_GROUP(push_args, reach),
                                   SETTINGS_GROUP(push_args, grid)};
static const arg_positional positionals[] = {
    {"SCENE", "scene file: OBJ, glTF, GLB, FBX, PLY or STL", true, true, offsetof(push_args, scene)}};

typedef struct push {
    const push_args *args;
    navd_client *client;
    scene scene;
    scene_doubts doubts;
    navd_key *keys; // per mesh of the scene
    navd_world world;
    const navd_profile *profile;
    uint32_t meshes_sent;
    uint64_t bytes_sent;
    uint64_t revision;
    double upload_s, tiles_s; // tiles_s: from the edit to the last tile
    progress bar;
    uint64_t bar_done, bar_total;
    tile_set tiles;
    uint64_t tiles_seen;
    bool no_memory;
    float seeds[NAVD_MAX_SEEDS][3];
} push;

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
    for (size_t i = 0; i < p->world.profile_count; i++) {
        bool is_it = !p->args->profile || !strcmp(p->world.profiles[i].name, name);
        if (is_it && !p->profile) p->profile = &p->world.profiles[i];
    }
    if (p->profile) return NAVCTL_OK;
    fprintf(stderr, "navctl: world %s has no agent profile %s\n", p->args->world, name);
    return NAVCTL_FAILED;
}

static void show_upload(void *user, uint64_t sent, uint64_t total)
{
    push *p = user;
    progress_update(&p->bar, p->bar_done + sent, p->bar_total);
    if (sent == total) p->bar_done += total;
}

static navd_mesh mesh_of(const scene_mesh *m)
{
    return (navd_mesh){m->verts, m->vert_count, m->tris, m->tri_count, m->areas};
}

static int send_meshes(push *p)
{
    uint32_t count = p->scene.mesh_count;
    int code = NAVCTL_OK;
    bool *missing = calloc((size_t)count + 1, sizeof *missing);
    p->keys = calloc((size_t)count + 1, sizeof *p->keys);
    if (!missing || !p->keys) {
        fprintf(stderr, "navctl: no memory left\n");
        free(missing);
        return NAVCTL_FAILED;
    }
    for (uint32_t i = 0; i < count; i++) {
        navd_mesh mesh = mesh_of(&p->scene.meshes[i]);
        p->keys[i] = navd_mesh_hash(&mesh);
    }
    navd_status s = navd_mesh_missing(p->client, p->keys, count, missing);
    if (s != NAVD_OK) code = remote_failed(p->client, s, "asking for the meshes that are missing");
    for (uint32_t i = 0; i < count; i++) {
        const navd_mesh mesh = mesh_of(&p->scene.meshes[i]);
        if (missing[i]) p->bar_total += navd_mesh_bytes(&mesh);
    }
    progress_begin(&p->bar, "Sending meshes");
    for (uint32_t i = 0; i < count && code == NAVCTL_OK; i++) {
        if (!missing[i]) continue;
        navd_mesh mesh = mesh_of(&p->scene.meshes[i]);
        s = navd_mesh_put(p->client, &mesh, show_upload, p, NULL);
        p->meshes_sent++;
        p->bytes_sent += navd_mesh_bytes(&mesh);
        if (s != NAVD_OK) {
            progress_end(&p->bar);
            code = remote_failed(p->client, s, "sending a mesh");
        }
    }
    progress_end(&p->bar);
    free(missing);
    return code;
}

// One operation per instance, in as few edits as the daemon's limit allows.
static int send_instances(push *p)
{
    uint32_t at_once = navd_get_limits(p->client).edit_operations;
    if (at_once == 0 || at_once > p->scene.instance_count) at_once = p->scene.instance_count;
    navd_operation *ops = calloc((size_t)at_once + 1, sizeof *ops);
    if (!ops) {
        fprintf(stderr, "navctl: no memory left\n");
        return NAVCTL_FAILED;
    }
    int code = NAVCTL_OK;
    if (p->args->reach.given) { // before the instances: a new world's tiles are made once
        navd_edit_result result;
        code = remote_reach_operation(p->client, p->world.id, &p->args->reach, p->seeds, &ops[0]);
        navd_status s = code == NAVCTL_OK ? navd_edit(p->client, p->world.id, NULL, ops, 1, &result) : NAVD_OK;
        if (s != NAVD_OK) code = remote_failed(p->client, s, p->args->world);
    }
    for (uint32_t first = 0; first < p->scene.instance_count && code == NAVCTL_OK; first += at_once) {
        uint32_t count = p->scene.instance_count - first < at_once ? p->scene.instance_count - first : at_once;
        for (uint32_t i = 0; i < count; i++) {
            const scene_instance *instance = &p->scene.instances[first + i];
            ops[i] = (navd_operation){.kind = NAVD_PUT_INSTANCE};
            if (!remote_instance_id(instance->name, &ops[i].id)) ops[i].id = first + i; // "@..." as a file's own name
            ops[i].u.instance.mesh = p->keys[instance->mesh];
            ops[i].u.instance.area = NAVD_AREA_DEFAULT;
            memcpy(ops[i].u.instance.transform, instance->transform, sizeof instance->transform);
        }
        navd_edit_result result;
        navd_status s = navd_edit(p->client, p->world.id, NULL, ops, count, &result);
        if (s != NAVD_OK) code = remote_failed(p->client, s, p->args->world);
        p->revision = result.revision;
    }
    free(ops);
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

static int run_push(push *p)
{
    generate_encoding encoding = GENERATE_NAVD;
    if (p->args->out) (void)store_encoding_of(p->args->out, &encoding); // was checked
    int code = open_world(p);
    double started_s = now_s();
    if (code == NAVCTL_OK) code = send_meshes(p);
    if (code != NAVCTL_OK) return code;
    p->upload_s = now_s() - started_s;

    started_s = now_s();
    code = send_instances(p);
    if (code != NAVCTL_OK || p->args->no_wait) return code;
    navd_subscription_options wanted = {.profile = p->profile->name,
                                        .encoding =
                                            encoding == GENERATE_DETOUR ? NAVD_ENCODING_DETOUR : NAVD_ENCODING_NAVD};
    navd_on_tile(p->client, on_tile, p);
    navd_on_progress(p->client, on_progress, p);
    progress_begin(&p->bar, "Generating");
    navd_status s = navd_subscribe(p->client, p->world.id, &wanted, NULL);
    if (s == NAVD_OK) s = navd_wait(p->client, p->world.id, &p->revision, NULL);
    progress_end(&p->bar);
    p->tiles_s = now_s() - started_s;
    if (s != NAVD_OK) return remote_failed(p->client, s, p->args->world);
    if (p->no_memory) {
        fprintf(stderr, "navctl: no memory left\n");
        return NAVCTL_FAILED;
    }
    if (p->args->out && !tile_set_write(&p->tiles, p->args->out, encoding, &p->profile->settings, p->world.origin_m)) {
        return NAVCTL_FAILED;
    }
    return tile_set_count(&p->tiles).failed ? NAVCTL_TILES : NAVCTL_OK;
}

// Returns an exit code.
static int report(const push *p)
{
    int code = NAVCTL_OK;
    tile_set_totals t = tile_set_count(&p->tiles);
    if (!p->args->no_wait && t.filled + t.failed == 0) scene_look_say_nothing(&p->scene, &p->args->grid.settings);
    if (p->args->json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "world", p->args->world);
        json_text(&w, "profile", p->profile->name);
        json_int(&w, "revision", (int64_t)p->revision);
        json_int(&w, "instances", p->scene.instance_count);
        json_open(&w, "bounds", '{');
        scene_look_report(&p->scene, &p->doubts, &w);
        json_close(&w, '}');
        json_int(&w, "meshes", p->scene.mesh_count);
        json_int(&w, "meshes_sent", p->meshes_sent);
        json_int(&w, "bytes_sent", (int64_t)p->bytes_sent);
        json_number(&w, "upload_s", p->upload_s);
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
    printf("world %s, revision %llu: sent %u mesh%s (%.1f KiB) in %.2f s\n", p->args->world,
           (unsigned long long)p->revision, p->meshes_sent, p->meshes_sent == 1 ? "" : "es",
           (double)p->bytes_sent / 1024, p->upload_s);
    if (!p->args->no_wait) {
        printf("%u tile%s with ground (%.1f KiB), %u failed, %.2f s after the edit was sent\n", t.filled,
               text_s(t.filled), (double)t.bytes / 1024, t.failed, p->tiles_s);
    }
    if (p->args->reach.given && !p->args->no_wait)
        code = remote_reach_report(p->client, p->world.id, p->profile->name, &p->args->reach, NULL);
    if (p->args->out) printf("wrote %s\n", p->args->out);
    return code;
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
    if (!settings_values_apply(&a.grid, self->name) || !reach_values_apply(&a.reach, self->name)) return NAVCTL_USAGE;
    if (!scene_frame_check(&a.frame, self->name)) return NAVCTL_USAGE;
    if (a.out && !output_is_possible(a.out)) return NAVCTL_FAILED;
    push p = {.args = &a};
    int code = scene_load(a.scene, &a.frame, &p.scene);
    if (code != NAVCTL_OK) return code;
    scene_look_warn(&p.scene, &a.grid.settings, &p.doubts);
    code = remote_open(&a.remote, &p.client);
    if (code == NAVCTL_OK) code = run_push(&p);
    if (code == NAVCTL_OK || code == NAVCTL_TILES) {
        int reported = report(&p);
        if (code == NAVCTL_OK) code = reported;
    }
    navd_close(p.client);
    navd_world_free(&p.world);
    tile_set_deinit(&p.tiles);
    free(p.keys);
    scene_deinit(&p.scene);
    return code;
}

const arg_command push_command = {
    .name = "push",
    .summary = "Send a scene to a world of a running daemon and wait for its tiles",
    .details =
        "Sends only the meshes that the daemon lacks. An instance's id comes from its name, so pushing a scene again\n"
        "replaces the instances of the same names.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
