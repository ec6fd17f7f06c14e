// navctl world picture: a live world as it is now, its objects and its tiles.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/tile_files/tile_set.h"
#include "clients/navctl/world_file/world_copy.h"
#include "clients/navctl/world_file/world_scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct picture_args {
    const char *world, *out, *profile;
    int32_t size;
    picture_values view;
    remote_values remote;
} picture_args;

static const arg_option options[] = {
    {"output", 'o', ARG_FILE, "PICTURE", "NAME.png or NAME.svg", offsetof(picture_args, out), 0, 0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile; default: the world's first", offsetof(picture_args, profile), 0, 0,
     NULL},
    {"size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(picture_args, size), 64, 16384, NULL},
};
static const arg_group groups[] = {
    {"Options", options, ARG_COUNT(options), 0}, PICTURE_GROUP(picture_args, view), REMOTE_GROUP(picture_args, remote)};
static const arg_positional positionals[] = {
    {"WORLD", "name of the world", true, false, offsetof(picture_args, world)}};

typedef struct collector {
    tile_set tiles;
    bool no_memory;
} collector;

static void take_tile(void *user, const navd_tile *t)
{
    collector *c = user;
    if (!tile_set_take(&c->tiles, t)) c->no_memory = true;
}

// The tiles of the newest revision, all of them.
static int read_tiles(navd_client *c, const picture_args *a, collector *out)
{
    navd_world world = {0};
    navd_subscription_options wanted = {.profile = a->profile, .encoding = NAVD_ENCODING_NAVD};
    int code = remote_world(c, a->world, &world, &wanted.profile);
    if (code == NAVCTL_OK) {
        navd_on_tile(c, take_tile, out);
        navd_status s = navd_subscribe(c, world.id, &wanted, NULL);
        if (s == NAVD_OK) s = navd_wait(c, world.id, NULL, NULL);
        if (s != NAVD_OK) code = remote_failed(c, s, a->world);
    }
    navd_world_free(&world);
    if (code != NAVCTL_OK || !out->no_memory) return code;
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// The objects with their meshes, as an export has them.
static int read_objects(navd_client *c, const picture_args *a, world_scene *out)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    world_copy copy;
    int length = snprintf(path, sizeof path, "%s/navctl-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = length > 0 && (size_t)length < sizeof path ? mkstemp(path) : -1;
    if (fd < 0) {
        fprintf(stderr, "navctl: cannot write a temporary file (TMPDIR): %s\n", strerror(errno));
        return NAVCTL_FAILED;
    }
    close(fd);
    int code = world_export(c, a->world, path, &copy);
    if (code == NAVCTL_OK) code = world_scene_read(path, out);
    unlink(path);
    return code;
}

static int draw(const picture_args *a, const collector *tiles, const world_scene *world)
{
    uint32_t count;
    draw_mesh mesh;
    draw_mesh_init(&mesh);
    stored_tile *list = tile_set_list(&tiles->tiles, &count);
    if (!list) fprintf(stderr, "navctl: no memory left\n");
    bool ok = list && store_draw(a->world, GENERATE_NAVD, list, count, shared_threads(), &mesh) &&
              picture_write(a->out, &mesh,
                            &(picture_look){.title = a->world,
                                            .size = a->size,
                                            .values = &a->view,
                                            .areas = &world->areas,
                                            .around = &world->scene,
                                            .parallel = shared_threads()});
    draw_mesh_deinit(&mesh);
    free(list);
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

static int run(const arg_command *self, int argc, char **argv)
{
    picture_args a = {.size = 1600, .remote = REMOTE_DEFAULTS};
    collector tiles = {.no_memory = false};
    world_scene world = {.profile_count = 0};
    navd_client *c = NULL;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.out || !page_name_ok(a.out)) {
        fprintf(stderr, "navctl world picture: needs -o PICTURE, with a name that ends in .png or .svg\n");
        return NAVCTL_USAGE;
    }
    if (!picture_values_check(&a.view, self->name)) return NAVCTL_USAGE;
    if (!output_is_possible(a.out)) return NAVCTL_FAILED;
    int code = remote_open(&a.remote, &c);
    if (code == NAVCTL_OK) code = read_tiles(c, &a, &tiles);
    if (code == NAVCTL_OK) code = read_objects(c, &a, &world);
    if (code == NAVCTL_OK) code = draw(&a, &tiles, &world);
    if (code == NAVCTL_OK)
        printf("%s: world %s, %u tiles with ground\n", a.out, a.world, tile_set_count(&tiles.tiles).filled);
    navd_close(c);
    world_scene_deinit(&world);
    tile_set_deinit(&tiles.tiles);
    return code;
}

const arg_command world_picture_command = {
    .name = "world picture",
    .summary = "Draw a world as it is now: its objects and its tiles",
    .details = "Waits until all tiles are up to date. Colours show height, slope and areas, grey is geometry without "
               "ground.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
