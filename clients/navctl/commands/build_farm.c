// navctl build --farm: the same input and files, but a navd that this command starts builds the tiles, with the workers
// and the cache of a farm.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/bake/build_file.h"
#include "clients/navctl/bake/scene_builds.h"
#include "clients/navctl/commands/build_work.h"
#include "clients/navctl/remote/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool build_farm_check(const build *b)
{
    const build_args *a = b->args;
    const struct {
        const char *option;
        bool given;
    } here[] = {{"level", a->level != NULL}, {"plain", a->plain},   {"hashes", a->hashes},    {"stages", a->stages},
                {"only-tile", a->only_tile}, {"reps", a->reps > 1}, {"show", a->show != NULL}};
    if (!farm_values_check(&a->farm, b->name)) return false;
    for (int i = 0; i < ARG_COUNT(here) && a->farm.url; i++) {
        if (!here[i].given) continue;
        fprintf(stderr,
                "navctl %s: --%s is about tiles that this process makes, and with --farm a navd makes them: leave one "
                "of the two out\n",
                b->name, here[i].option);
        return false;
    }
    return true;
}

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// The place of a tile in the grids; their total where it is in none.
static uint64_t place_of(const sheet_grids *g, const stored_tile *t)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const sheet_grid *grid = &g->grids[i];
        const int64_t x = (int64_t)t->x - grid->first[0], z = (int64_t)t->z - grid->first[1];
        if (grid->sheet == t->sheet && x >= 0 && z >= 0 && x < grid->count[0] && z < grid->count[1])
            return grid->place + (uint64_t)z * (uint64_t)grid->count[0] + (uint64_t)x;
    }
    return g->total;
}

static int take_tiles(build *b, const tile_set *tiles)
{
    generated *g = &b->made;
    uint32_t count = 0;
    stored_tile *list = tile_set_list(tiles, &count);
    int code = list ? NAVCTL_OK : no_memory();
    for (uint32_t i = 0; i < count && code == NAVCTL_OK; i++) {
        const uint64_t place = place_of(&g->grids, &list[i]);
        if (place == g->grids.total) {
            fprintf(stderr, "navctl: the navd that was started has sent tile %d,%d, which is outside of the scene\n",
                    list[i].x, list[i].z);
            code = NAVCTL_FAILED;
            continue;
        }
        generated_tile *t = &g->tiles[place];
        t->bytes = malloc(list[i].size);
        if (!t->bytes) {
            code = no_memory();
            continue;
        }
        memcpy(t->bytes, list[i].bytes, list[i].size);
        t->size = list[i].size;
        g->bytes += t->size;
        g->filled++;
        g->sheets[list[i].sheet].filled++;
    }
    free(list);
    return code;
}

static void show_progress(void *user, uint64_t done, uint64_t total)
{
    progress_update(user, done, total);
}

// Until its tiles are there.
static int run_daemon(build *b, scene_builds *builds, const scene_build_input *input)
{
    scene_build *one;
    progress bar;
    int code = scene_builds_begin(builds, input, NULL, &one);
    if (code != NAVCTL_OK) return code;
    builds->on_progress = show_progress;
    builds->user = &bar;
    progress_begin(&bar, "Generating");
    code = scene_builds_next(builds, &one);
    progress_end(&bar);
    if (code == NAVCTL_OK) code = one->code;
    if (code != NAVCTL_OK && code != NAVCTL_TILES) return code;
    const tile_set *tiles = scene_build_tiles(one, 0, b->options.encoding);
    b->made.failed = tile_set_count(tiles).failed; // says the exit code
    code = take_tiles(b, tiles);
    if (code == NAVCTL_OK && build_writes_sheets(b)) {
        sheet_cells_deinit(&b->cells);
        if (!build_file_cells(scene_build_tiles(one, 0, GENERATE_NAVD), &b->cells)) code = no_memory();
    }
    return code;
}

int build_farm(build *b)
{
    const build_args *a = b->args;
    const char *words[FARM_WORDS];
    char threads[16];
    const double started_s = now_s();
    private_daemon daemon = {.process = 0};
    scene_builds builds = {.client = NULL};
    navd_client *client = NULL;
    scene_build_profile profile = {.name = "default", .settings = a->grid.settings};
    const scene_build_input input = {.title = a->scene,
                                     .world = "build",
                                     .scene = &b->world.scene,
                                     .areas = &b->world.areas,
                                     .goal = &b->options.goal,
                                     .unreachable = b->options.unreachable,
                                     .allow_lost_seeds = a->reach.allow_lost_seeds || !a->reach.given,
                                     .profiles = &profile,
                                     .profile_count = 1};
    profile.encodings = 1u << b->options.encoding | (build_writes_sheets(b) ? 1u << GENERATE_NAVD : 0);
    if (!generate_tiles(&b->world.scene, &b->options, &b->made.grids)) {
        fprintf(stderr, "navctl: %s: the scene has more than 2^26 tiles: use larger ones\n", a->scene);
        return NAVCTL_FAILED;
    }
    b->made.tiles = calloc(b->made.grids.total + 1, sizeof *b->made.tiles);
    if (!b->made.tiles) return no_memory();
    snprintf(threads, sizeof threads, "%d", (int)a->threads);
    farm_values_words(&a->farm, threads, words);
    int code = private_daemon_start(&daemon, a->farm.program, words);
    const remote_values remote = REMOTE_DEFAULTS;
    if (code == NAVCTL_OK) code = private_daemon_connect(&daemon, &remote, &client);
    if (code == NAVCTL_OK) {
        scene_builds_init(&builds, client, &daemon);
        farm_work_await(client);
        code = run_daemon(b, &builds, &input);
        (void)farm_work_read(client, &b->farm);
        scene_builds_deinit(&builds);
    }
    private_daemon_stop(&daemon);
    b->made.generate_s = now_s() - started_s;
    return code;
}
