// navctl watch: the tiles of a world as they change.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/remote/remote_loop.h"
#include "clients/navctl/tile_files/tile_set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct watch_args {
    const char *world, *profile, *out, *encoding, *bounds, *focus;
    int32_t count;
    double margin;
    bool json, once, watched;
    remote_values remote;
} watch_args;

static const arg_option watch_options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "world to watch", offsetof(watch_args, world), 0, 0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile; default: the world's first", offsetof(watch_args, profile), 0, 0,
     NULL},
    {"bounds", 0, ARG_TEXT, "X,Z,X,Z", "only tiles that touch this rectangle", offsetof(watch_args, bounds), 0, 0,
     NULL},
    {"margin", 0, ARG_DOUBLE, "M", "metres around --bounds that are built as well; default: the world's",
     offsetof(watch_args, margin), 0, 1e7, NULL},
    {"watched", 0, ARG_FLAG, NULL, "meanwhile the world builds only what somebody watches",
     offsetof(watch_args, watched), 0, 0, NULL},
    {"focus", 0, ARG_TEXT, "X,Z", "tiles near this point come first", offsetof(watch_args, focus), 0, 0, NULL},
    {"encoding", 0, ARG_CHOICE, "NAME", "encoding of the tiles", offsetof(watch_args, encoding), 0, 0, "navd detour"},
    {"output", 'o', ARG_FILE, "PATH", "NAME.bin, NAME.navd: one file, written at the end; a folder: a file per tile",
     offsetof(watch_args, out), 0, 0, NULL},
    {"once", 0, ARG_FLAG, NULL, "exit when all tiles of the current revision have come", offsetof(watch_args, once), 0,
     0, NULL},
    {"count", 'n', ARG_INT, "N", "exit after N tiles; 0: no limit", offsetof(watch_args, count), 0, INT32_MAX, NULL},
    {"json", 0, ARG_FLAG, NULL, "a line of JSON per tile", offsetof(watch_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", watch_options, ARG_COUNT(watch_options), 0},
                                   REMOTE_GROUP(watch_args, remote)};

typedef struct watch {
    const watch_args *args;
    navd_client *client;
    uint64_t world, grid;
    navd_settings settings; // of the profile, as they are now
    double origin_m[3];
    double started_s;
    bool to_folder, failed, waited, ended;
    navd_status wait_status;
    int64_t seen;
    uint64_t failed_tiles;
    tile_set tiles;
    const navd_subscription_options *wanted;
    navd_area area; // of its bounds
} watch;

static void store_in_folder(watch *w, const navd_tile *t)
{
    char path[4096];
    const char *ending = t->encoding == NAVD_ENCODING_DETOUR ? "bin" : "navd";
    const char *sheet = t->sheet ? navd_sheet_name(t->sheet) : "";
    int length = snprintf(path, sizeof path, "%s/tile_%s%s%d_%d.%s", w->args->out, sheet, sheet[0] ? "_" : "", t->x,
                          t->z, ending);
    if (length < 0 || (size_t)length >= sizeof path) {
        w->failed = true;
    } else if (t->size > 0) {
        w->failed |= !output_write_file(path, t->data, t->size);
    } else if (t->status != NAVD_TILE_FAILED) {
        unlink(path); // there may have been one
    }
}

static void on_tile(void *user, const navd_tile *t)
{
    watch *w = user;
    if (w->args->count > 0 && w->seen == w->args->count) return;
    w->seen++;
    w->failed_tiles += t->status == NAVD_TILE_FAILED;
    remote_print_tile(t, w->args->json, now_s() - w->started_s);
    w->failed |= !output_flush(); // nobody looks any more
    if (w->to_folder) {
        store_in_folder(w, t);
    } else if (w->args->out && !tile_set_take(&w->tiles, t)) {
        fprintf(stderr, "navctl: no memory left\n");
        w->failed = true;
    }
}

static void on_wait(void *user, navd_status s, const char *text, uint64_t now)
{
    watch *w = user;
    (void)text, (void)now;
    w->waited = s != NAVD_ERR_CLOSED; // it is asked for again when the connection is back
    w->wait_status = s;
}

static void wait_for_all(watch *w)
{
    const navd_area *area = w->wanted->has_bounds ? &w->area : NULL;
    w->failed |= navd_wait_in_start(w->client, w->world, NULL, area, on_wait, w) != NAVD_OK;
}

static void on_event(void *user, const navd_event *e)
{
    watch *w = user;
    remote_tell_connection(e);
    if (e->kind == NAVD_EVENT_RESTORED && w->args->once && !w->ended) wait_for_all(w);
    if (e->kind == NAVD_EVENT_SETTINGS) {
        if (e->grid != w->grid)
            fprintf(stderr, "navctl: profile %s has another grid: x and z count tiles of %g m from now on\n", e->text,
                    (double)e->settings->cell_size_m * e->settings->tile_cells);
        w->grid = e->grid;
        w->settings = *e->settings;
        memcpy(w->origin_m, e->origin_m, sizeof w->origin_m);
    }
    if (e->kind == NAVD_EVENT_ENDED) {
        fprintf(stderr, "navctl: %s: %s\n", w->args->world, e->text);
        w->ended = true;
    }
}

// It ends with a signal, --once, --count, or because the world is gone.
static int step(void *user)
{
    const watch *w = user;
    if (w->ended || w->failed) return NAVCTL_FAILED;
    if (w->waited && w->wait_status != NAVD_OK) return remote_failed(w->client, w->wait_status, w->args->world);
    return w->waited || (w->args->count > 0 && w->seen >= w->args->count) ? NAVCTL_OK : REMOTE_GO_ON;
}

static bool parse_places(const watch_args *a, navd_subscription_options *wanted)
{
    double n[4];
    if (a->bounds) {
        if (!args_parse_numbers(a->bounds, n, 4) || n[0] > n[2] || n[1] > n[3]) {
            fprintf(stderr, "navctl watch: --bounds %s: expected X,Z,X,Z, the lower corner first\n", a->bounds);
            return false;
        }
        wanted->has_bounds = true;
        wanted->min[0] = n[0], wanted->min[1] = n[1], wanted->max[0] = n[2], wanted->max[1] = n[3];
    }
    wanted->build = a->watched ? NAVD_BUILD_WATCHED : NAVD_BUILD_ALL;
    wanted->has_margin = a->margin >= 0;
    wanted->margin_m = a->margin;
    if (wanted->has_margin && !a->bounds) {
        fprintf(stderr, "navctl watch: --margin is around --bounds, which is missing\n");
        return false;
    }
    if (a->focus) {
        if (!args_parse_numbers(a->focus, n, 2)) {
            fprintf(stderr, "navctl watch: --focus %s: expected X,Z\n", a->focus);
            return false;
        }
        wanted->has_focus = true;
        wanted->focus[0] = n[0], wanted->focus[1] = n[1];
    }
    return true;
}

static bool prepare_output(watch *w, generate_encoding *encoding)
{
    const char *out = w->args->out;
    *encoding = strcmp(w->args->encoding, "detour") ? GENERATE_NAVD : GENERATE_DETOUR;
    if (!out || store_encoding_of(out, encoding)) return true;
    w->to_folder = true;
    if (mkdir(out, 0777) == 0 || errno == EEXIST) return true;
    fprintf(stderr, "navctl: cannot write %s: %s\n", out, strerror(errno));
    return false;
}

static int write_tiles(const watch *w, generate_encoding encoding)
{
    nav_area_table areas;
    int code = remote_areas(w->client, w->args->world, w->world, &areas, NULL);
    if (code != NAVCTL_OK) return code;
    bool ok = tile_set_write(&w->tiles, w->args->out, encoding, &w->settings, w->origin_m, &areas);
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

static int run(const arg_command *self, int argc, char **argv)
{
    watch_args a = {.encoding = "navd", .margin = -1, .remote = REMOTE_DEFAULTS};
    watch w = {.args = &a, .started_s = now_s()};
    navd_subscription_options wanted = {0};
    generate_encoding encoding;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.world) {
        fprintf(stderr, "navctl watch: --world NAME is missing (see navctl watch --help)\n");
        return NAVCTL_USAGE;
    }
    if (!parse_places(&a, &wanted)) return NAVCTL_USAGE;
    navd_client *c = NULL;
    navd_world world = {0};
    a.remote.keep_connected = true;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    wanted.profile = a.profile;
    code = remote_world(c, a.world, &world, &wanted.profile);
    if (code == NAVCTL_OK && !prepare_output(&w, &encoding)) code = NAVCTL_FAILED;
    if (code == NAVCTL_OK) {
        wanted.encoding = encoding == GENERATE_DETOUR ? NAVD_ENCODING_DETOUR : NAVD_ENCODING_NAVD;
        w.client = c;
        w.world = world.id;
        w.wanted = &wanted;
        w.area = (navd_area){wanted.profile, {wanted.min[0], wanted.min[1]}, {wanted.max[0], wanted.max[1]}};
        memcpy(w.origin_m, world.origin_m, sizeof w.origin_m);
        for (size_t i = 0; i < world.profile_count; i++) {
            if (strcmp(world.profiles[i].name, wanted.profile)) continue;
            w.settings = world.profiles[i].settings;
            w.grid = world.profiles[i].grid;
        }
        navd_on_tile(c, on_tile, &w);
        navd_on_event(c, on_event, &w);
        navd_status s = navd_subscribe(c, world.id, &wanted, NULL);
        if (s == NAVD_OK && a.once) wait_for_all(&w);
        code = s == NAVD_OK ? remote_loop(c, a.world, step, &w) : remote_failed(c, s, a.world);
    }
    if (code == NAVCTL_OK && a.out && !w.to_folder) code = write_tiles(&w, encoding);
    if (code == NAVCTL_OK && a.once && w.failed_tiles > 0) code = NAVCTL_TILES;
    navd_close(c);
    navd_world_free(&world);
    tile_set_deinit(&w.tiles);
    return code;
}

const arg_command watch_command = {
    .name = "watch",
    .summary = "Show the tiles of a world as they change",
    .details =
        "Shows the tiles that exist, then each change, until Ctrl-C, --once or --count. A lost connection is made\n"
        "again and continues where it was. \"after\" counts from the start of the command.\n",
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
