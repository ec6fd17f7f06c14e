#include "clients/navctl/commands/path_watch.h"

#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/remote/remote_loop.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct watcher {
    const char *world;
    const uint64_t *watches; // of the parts of the pairs
    uint32_t watch_count;
    int64_t lines, most;
    bool ended, failed;
} watcher;

static void print_path(uint32_t number, const navd_path *p)
{
    printf("%u %s %.9g %.9g", number, navd_path_status_name(p->status), p->length_m, p->surface_m);
    for (uint32_t k = 0; k < 3 * p->point_count; k++) printf(" %.9g", (double)p->points[k]);
    putchar('\n');
}

static void on_paths(void *user, const navd_paths_news *news)
{
    watcher *w = user;
    uint32_t part = 0;
    while (part < w->watch_count && w->watches[part] != news->watch) part++;
    for (uint32_t i = 0; i < news->count && (!w->most || w->lines < w->most); i++, w->lines++)
        print_path(part * NAVD_PATH_QUERIES + news->queries[i] + 1, &news->paths[i]);
    if (news->synced && part == 0) printf("true up to revision %llu\n", (unsigned long long)news->revision);
    if (news->ended) {
        fprintf(stderr, "navctl: %s: %s\n", w->world, news->ended);
        w->ended = true;
    }
    w->failed |= !output_flush();
}

static void on_event(void *user, const navd_event *e)
{
    (void)user;
    remote_tell_connection(e);
}

static int step(void *user)
{
    const watcher *w = user;
    if (w->ended || w->failed) return NAVCTL_FAILED;
    return w->most && w->lines >= w->most ? NAVCTL_OK : REMOTE_GO_ON;
}

int path_watch(navd_client *c, const char *name, uint64_t world, const char *profile, const navd_path_options *options,
               const path_pairs *l, int32_t count)
{
    uint64_t *watches = calloc(l->count / NAVD_PATH_QUERIES + 1, sizeof *watches);
    watcher w = {.world = name, .watches = watches, .most = count};
    int code = NAVCTL_OK;
    if (!watches) {
        fprintf(stderr, "navctl: no memory left\n");
        return NAVCTL_FAILED;
    }
    navd_on_paths(c, on_paths, &w);
    navd_on_event(c, on_event, NULL);
    for (uint32_t first = 0; first < l->count && code == NAVCTL_OK; first += NAVD_PATH_QUERIES) {
        uint32_t number = l->count - first < NAVD_PATH_QUERIES ? l->count - first : NAVD_PATH_QUERIES;
        navd_path_query queries[NAVD_PATH_QUERIES];
        for (uint32_t i = 0; i < number; i++) queries[i] = l->items[first + i].query;
        w.watch_count++;
        navd_status s =
            navd_watch_paths_with(c, world, profile, options, queries, number, &watches[first / NAVD_PATH_QUERIES]);
        if (s != NAVD_OK) code = remote_failed(c, s, name);
    }
    if (code == NAVCTL_OK) code = remote_loop(c, name, step, &w);
    navd_on_paths(c, NULL, NULL); // it has borrowed what ends here
    free(watches);
    return code;
}
