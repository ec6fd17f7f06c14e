#include "clients/navctl/bake/scene_builds.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/link_sync.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/remote/remote_loop.h"
#include "clients/navctl/remote/scene_sync.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] = "scene";

enum { MOST_TRIES = 10, CLOSE_MS = 5000 }; // tries: somebody else may bake the same, and end its world first

static atomic_int interrupted; // the signal may come to any thread

static void interrupt(int signal_number)
{
    if (signal_number != SIGCHLD) atomic_store(&interrupted, 1);
}

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// --- what comes ---

static scene_build_part *part_of(const scene_builds *all, uint64_t subscription, scene_build **of)
{
    for (uint32_t i = 0; i < all->count; i++) {
        *of = all->running[i];
        for (uint32_t k = 0; k < (*of)->part_count; k++)
            if ((*of)->parts[k].subscription == subscription) return &(*of)->parts[k];
    }
    return NULL;
}

static void on_tile(void *user, const navd_tile *tile)
{
    scene_build *build;
    scene_build_part *part = part_of(user, tile->subscription, &build);
    if (part && !tile_set_take(&part->tiles, tile)) build->no_memory = true;
}

static void on_progress(void *user, uint64_t world, const char *profile, uint64_t done, uint64_t total)
{
    const scene_builds *all = user;
    uint64_t sum[2] = {0};
    for (uint32_t i = 0; i < all->count; i++) {
        const scene_build *b = all->running[i];
        for (uint32_t k = 0; k < b->input->profile_count; k++) {
            if (b->world.id == world && !strcmp(b->input->profiles[k].name, profile)) {
                b->progress[k].done = done;
                b->progress[k].total = total;
            }
            sum[0] += b->progress[k].done;
            sum[1] += b->progress[k].total;
        }
    }
    if (all->on_progress) all->on_progress(all->user, sum[0], sum[1]);
}

// A wait that was begun is told its end in any case; it may outlive its build.
struct scene_build_wait {
    scene_build *build; // NULL: nobody waits any more
};

static void on_wait(void *user, navd_status s, const char *text, uint64_t now)
{
    scene_build_wait *wait = user;
    scene_build *b = wait->build;
    (void)now;
    free(wait);
    if (!b) return;
    b->wait = NULL;
    b->waits_again = s == NAVD_ERR_CLOSED;
    b->waited = !b->waits_again;
    b->status = s;
    snprintf(b->why, sizeof b->why, "%s", text);
}

static void leave_wait(scene_build *b)
{
    if (b->wait) b->wait->build = NULL;
    b->wait = NULL;
}

static navd_status start_wait(const scene_builds *all, scene_build *b)
{
    scene_build_wait *wait = malloc(sizeof *wait);
    if (!wait) return NAVD_ERR_MEMORY;
    leave_wait(b);
    b->wait = wait;
    wait->build = b;
    b->waits_again = false;
    navd_status s = navd_wait_start(all->client, b->world.id, NULL, on_wait, wait);
    if (s != NAVD_OK) {
        b->wait = NULL;
        free(wait);
    }
    return s;
}

static void on_event(void *user, const navd_event *e)
{
    scene_builds *all = user;
    scene_build *build;
    remote_tell_connection(e);
    if (e->kind == NAVD_EVENT_RESTORED) {
        for (uint32_t i = 0; i < all->count; i++)
            if (all->running[i]->waits_again && start_wait(all, all->running[i]) != NAVD_OK)
                all->running[i]->waits_again = true;
    } else if (e->kind == NAVD_EVENT_RESET || e->kind == NAVD_EVENT_ENDED) {
        scene_build_part *part = part_of(all, e->subscription, &build);
        if (!part) return;
        tile_set_deinit(&part->tiles);
        build->ended |= e->kind == NAVD_EVENT_ENDED;
    }
}

void scene_builds_init(scene_builds *b, navd_client *client, private_daemon *daemon)
{
    *b = (scene_builds){.client = client, .daemon = daemon};
    navd_on_tile(client, on_tile, b);
    navd_on_progress(client, on_progress, b);
    navd_on_event(client, on_event, b);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    const struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
}

// --- what is sent ---

static int open_world(const scene_builds *all, scene_build *b)
{
    const scene_build_input *in = b->input;
    navd_profile *profiles = calloc(in->profile_count, sizeof *profiles);
    if (!profiles) return no_memory();
    for (uint32_t i = 0; i < in->profile_count; i++) {
        snprintf(profiles[i].name, sizeof profiles[i].name, "%s", in->profiles[i].name);
        navd_settings_from_core(&in->profiles[i].settings, &profiles[i].settings);
    }
    navd_status s = navd_world_open(all->client, in->world, true, in->profiles[0].settings.origin_m, profiles,
                                    in->profile_count, &b->world);
    free(profiles);
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(all->client, s, in->title);
}

// Both before the geometry, so that the tiles are made once.
static int send_goal(const scene_builds *all, const scene_build *b)
{
    const scene_build_input *in = b->input;
    navd_operation op = {.kind = NAVD_SET_REACH};
    navd_edit_result result;
    if (!nav_reach_goal_is_set(in->goal) || in->unreachable == NAV_UNREACHABLE_KEEP) return NAVCTL_OK;
    op.u.reach = (navd_reach){.unreachable = (navd_unreachable)in->unreachable,
                              .seeds = in->goal->seeds,
                              .seed_count = in->goal->seed_count,
                              .island_min_area_m2 = in->goal->min_area_m2};
    navd_status s = navd_edit(all->client, b->world.id, NULL, &op, 1, &result);
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(all->client, s, in->title);
}

static int send_volumes(const scene_builds *all, const scene_build *b)
{
    const scene *s = b->input->scene;
    navd_edit_result result;
    int code = NAVCTL_OK;
    uint32_t most = navd_get_limits(all->client).edit_operations, count = 0;
    if (!s->volume_count) return code;
    navd_operation *ops = calloc(s->volume_count, sizeof *ops);
    if (!ops) return no_memory();
    for (uint32_t i = 0; i < s->volume_count && code == NAVCTL_OK; i++) {
        const nav_volume *from = &s->volumes[i];
        navd_operation *to = &ops[count++];
        *to = (navd_operation){.kind = NAVD_PUT_VOLUME, .id = i};
        to->u.volume.point_count = from->point_count;
        memcpy(to->u.volume.points, from->points, sizeof from->points);
        to->u.volume.min_y = from->min_y;
        to->u.volume.max_y = from->max_y;
        to->u.volume.area = from->area;
        to->u.volume.include = from->include;
        if (count < most && i + 1 < s->volume_count) continue;
        navd_status status = navd_edit(all->client, b->world.id, NULL, ops, count, &result);
        if (status != NAVD_OK) code = remote_failed(all->client, status, b->input->title);
        count = 0;
    }
    free(ops);
    return code;
}

static int send_scene(const scene_builds *all, scene_build *b)
{
    const scene_build_input *in = b->input;
    const scene_sync_options how = {.source = SOURCE};
    scene_sync sync = {0};
    link_sync links;
    int code = in->areas->count ? remote_areas_set(all->client, in->title, b->world.id, in->areas, NULL) : NAVCTL_OK;
    if (code == NAVCTL_OK) code = send_goal(all, b);
    if (code == NAVCTL_OK) code = send_volumes(all, b);
    if (code == NAVCTL_OK) code = scene_sync_run(all->client, &b->world, in->title, in->scene, &how, &sync);
    b->sent_bytes += sync.bytes_sent;
    scene_sync_deinit(&sync);
    if (code == NAVCTL_OK && in->scene->link_count)
        code = link_sync_run(all->client, &b->world, in->title, in->scene, SOURCE, false, &links);
    return code;
}

static int subscribe(const scene_builds *all, scene_build *b)
{
    for (uint32_t i = 0; i < b->part_count; i++) {
        scene_build_part *part = &b->parts[i];
        const navd_subscription_options wanted = {.profile = b->input->profiles[part->profile].name,
                                                  .encoding = part->encoding == GENERATE_DETOUR ? NAVD_ENCODING_DETOUR
                                                                                                : NAVD_ENCODING_NAVD};
        navd_status s = navd_subscribe(all->client, b->world.id, &wanted, &part->subscription);
        if (s != NAVD_OK) return remote_failed(all->client, s, b->input->title);
    }
    navd_status s = start_wait(all, b);
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(all->client, s, b->input->title);
}

static bool plan_parts(scene_build *b)
{
    const scene_build_input *in = b->input;
    b->progress = calloc(in->profile_count, sizeof *b->progress);
    b->parts = calloc((size_t)in->profile_count * 2, sizeof *b->parts);
    for (uint32_t i = 0; b->parts && i < in->profile_count; i++)
        for (unsigned e = 0; e < 2; e++)
            if (in->profiles[i].encodings & 1u << e)
                b->parts[b->part_count++] = (scene_build_part){.profile = i, .encoding = (generate_encoding)e};
    return b->progress && b->parts;
}

static void release_world(scene_build *b)
{
    leave_wait(b);
    navd_world_free(&b->world);
    b->world = (navd_world){0};
    for (uint32_t i = 0; i < b->part_count; i++) {
        b->parts[i].subscription = 0;
        tile_set_deinit(&b->parts[i].tiles);
    }
}

// Somebody else who bakes the same may have ended.
static bool world_is_gone(const scene_builds *all, const scene_build *b)
{
    navd_world w = {0};
    if (!b->world.id) return false;
    const navd_status s = navd_world_open(all->client, b->input->world, false, NULL, NULL, 0, &w);
    const bool other = s == NAVD_OK && w.id != b->world.id;
    navd_world_free(&w);
    return s == NAVD_ERR_NOT_FOUND || other;
}

// From the beginning where the daemon or the world was lost meanwhile: calls wait until the daemon is there again.
static int send_all(const scene_builds *all, scene_build *b)
{
    int code;
    do {
        b->tries++;
        b->waited = b->waits_again = b->ended = false;
        code = open_world(all, b);
        if (code == NAVCTL_OK) code = send_scene(all, b);
        if (code == NAVCTL_OK) code = subscribe(all, b);
        if (code == NAVCTL_OK || b->tries == MOST_TRIES) break;
        if (code != NAVCTL_CONNECT && !world_is_gone(all, b)) break;
        release_world(b);
    } while (!all->daemon || !private_daemon_has_ended(all->daemon));
    return code;
}

int scene_builds_begin(scene_builds *all, const scene_build_input *input, void *user, scene_build **out)
{
    scene_build *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b) return no_memory();
    *b = (scene_build){.input = input, .user = user};
    all->running[all->count++] = b;
    int code = plan_parts(b) ? send_all(all, b) : no_memory();
    if (code != NAVCTL_OK)
        scene_builds_close(all, b);
    else
        *out = b;
    return code;
}

// --- what comes of it ---

static bool lost_seeds(const scene_builds *all, const scene_build *b)
{
    navd_reach_report *r;
    bool lost = false;
    if (b->input->allow_lost_seeds || !b->input->goal->seed_count) return false;
    if (navd_world_reach(all->client, b->world.id, &r) != NAVD_OK) return false;
    for (size_t i = 0; i < r->profile_count; i++) {
        const navd_profile_reach *p = &r->profiles[i];
        for (size_t k = 0; k < p->lost_count; k++) {
            const float *at = r->seeds[p->seeds_without_ground[k]];
            fprintf(stderr,
                    "navctl: %s, profile %s: seed %g,%g,%g found no ground nearby: move it onto walkable ground "
                    "(--allow-lost-seeds goes on)\n",
                    b->input->title, p->name, (double)at[0], (double)at[1], (double)at[2]);
            lost = true;
        }
    }
    navd_reach_report_free(r);
    return lost;
}

static void say_failed_tiles(const scene_builds *all, const scene_build *b)
{
    enum { SHOWN = 10 };
    navd_failed_tile *tiles = NULL;
    size_t count = 0;
    uint64_t total = 0;
    if (navd_failed_tiles(all->client, b->world.id, SHOWN, &tiles, &count, &total) != NAVD_OK) return;
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "navctl: %s, profile %s: tile %d,%d failed: %s\n", b->input->title, tiles[i].profile,
                tiles[i].x, tiles[i].z, tiles[i].reason);
    if (total > count)
        fprintf(stderr, "navctl: %s: and %llu more\n", b->input->title, (unsigned long long)(total - count));
    free(tiles);
}

static int judge(const scene_builds *all, const scene_build *b)
{
    if (b->ended) {
        fprintf(stderr, "navctl: %s: its world was deleted while it was built\n", b->input->title);
        return NAVCTL_FAILED;
    }
    if (b->status != NAVD_OK) {
        fprintf(stderr, "navctl: %s: %s\n", b->input->title, b->why);
        return b->status == NAVD_ERR_TIMEOUT ? NAVCTL_TIMEOUT : NAVCTL_FAILED;
    }
    if (b->no_memory) return no_memory();
    if (lost_seeds(all, b)) return NAVCTL_FAILED;
    for (uint32_t i = 0; i < b->part_count; i++) {
        if (!tile_set_count(&b->parts[i].tiles).failed) continue;
        say_failed_tiles(all, b);
        return NAVCTL_TILES;
    }
    return NAVCTL_OK;
}

// One that needs nothing more, or whose world has to be sent again. NULL: none.
static scene_build *find_finished(const scene_builds *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const scene_build *b = all->running[i];
        if (b->ended || b->waited || b->no_memory) return all->running[i];
    }
    return NULL;
}

static void forget(scene_builds *all, const scene_build *b)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->running[i] != b) continue;
        all->running[i] = all->running[--all->count];
        return;
    }
}

static int await(scene_builds *all)
{
    sigset_t open;
    sigemptyset(&open);
    struct pollfd p = {.fd = navd_fd(all->client),
                       .events = (short)(POLLIN | (navd_want_write(all->client) ? POLLOUT : 0))};
    int wait_ms = navd_wait_ms(all->client);
    struct timespec limit = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L};
    if (ppoll(&p, 1, wait_ms < 0 ? NULL : &limit, &open) < 0 && errno != EINTR) {
        fprintf(stderr, "navctl: %s\n", strerror(errno));
        return NAVCTL_FAILED;
    }
    if (atomic_load(&interrupted)) {
        fprintf(stderr, "navctl: interrupted\n");
        return NAVCTL_FAILED;
    }
    if (all->daemon && private_daemon_has_ended(all->daemon)) {
        fprintf(stderr, "navctl: the navd that was started has ended\n");
        return NAVCTL_CONNECT;
    }
    return NAVCTL_OK;
}

int scene_builds_next(scene_builds *all, scene_build **out)
{
    *out = NULL;
    for (;;) {
        navd_status s = navd_process(all->client);
        scene_build *b = find_finished(all);
        if (b && b->ended && b->tries < MOST_TRIES) {
            release_world(b);
            int code = send_all(all, b);
            if (code == NAVCTL_OK) continue;
            b->code = code;
        } else if (b) {
            b->code = judge(all, b);
        }
        if (b) {
            *out = b;
            return NAVCTL_OK;
        }
        if (s != NAVD_OK) return remote_failed(all->client, s, "the daemon");
        int code = await(all);
        if (code != NAVCTL_OK) return code;
    }
}

const tile_set *scene_build_tiles(const scene_build *b, uint32_t profile, generate_encoding encoding)
{
    for (uint32_t i = 0; i < b->part_count; i++)
        if (b->parts[i].profile == profile && b->parts[i].encoding == encoding) return &b->parts[i].tiles;
    return NULL;
}

void scene_builds_close(scene_builds *all, scene_build *b)
{
    if (!b) return;
    forget(all, b);
    if (b->world.id && !b->ended && navd_is_connected(all->client)) (void)navd_world_delete(all->client, b->world.id);
    release_world(b);
    free(b->parts);
    free(b->progress);
    free(b);
}

void scene_builds_deinit(scene_builds *all)
{
    if (all->count) navd_set_timeout(all->client, CLOSE_MS);
    while (all->count) scene_builds_close(all, all->running[0]);
    navd_close(all->client);
    all->client = NULL;
}
