// The pinned hashes: every tile of the golden worlds, in both encodings, whatever the number of workers, at each level
// of machine that this one has (core/levels.h). This program is built several times, with other optimisation levels and
// compilers, and all of them must print the same.
//   test_golden           checks
//   test_golden --print   prints the table for golden.inc
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/golden/worlds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *navd, *detour;
} golden[GOLDEN_WORLD_COUNT] = {
#include "tests/golden/golden.inc"
};

typedef struct run {
    const golden_world *world;
    nav_build *build;
    atomic_int next;
    nav_key *navd, *detour; // per tile
    atomic_int failed;
} run;

static void *work(void *arg)
{
    run *r = arg;
    const golden_world *w = r->world;
    nav_arena arena;
    nav_arena_init(&arena, 0);
    nav_buffer bytes = {0};
    int i;
    while ((i = atomic_fetch_add(&r->next, 1)) < w->tiles_x * w->tiles_z) {
        nav_tile_source src = golden_world_source(w, i % w->tiles_x, i / w->tiles_x);
        nav_tile tile;
        nav_arena_reset(&arena);
        if (r->build(&src, NULL, NULL, &arena, &tile) != NAV_OK) r->failed = 1;
        bytes.size = 0;
        if (nav_tile_encode(&tile, &bytes) != NAV_OK) r->failed = 1;
        r->navd[i] = nav_key_of(bytes.data, bytes.size);
        bytes.size = 0;
        if (nav_detour_encode(&tile, &bytes) != NAV_OK) r->failed = 1;
        r->detour[i] = nav_key_of(bytes.data, bytes.size);
    }
    nav_buffer_deinit(&bytes);
    nav_arena_deinit(&arena);
    return NULL;
}

static int hash_world(const golden_world *w, nav_build *build, int workers, char navd[NAV_KEY_TEXT_BYTES],
                      char detour[NAV_KEY_TEXT_BYTES])
{
    size_t tiles = (size_t)(w->tiles_x * w->tiles_z);
    run r = {
        .world = w, .build = build, .navd = calloc(tiles, sizeof(nav_key)), .detour = calloc(tiles, sizeof(nav_key))};
    pthread_t threads[16];
    for (int i = 0; i < workers; i++)
        if (pthread_create(&threads[i], NULL, work, &r) != 0) abort();
    for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
    nav_key_text(nav_key_of(r.navd, tiles * sizeof(nav_key)), navd);
    nav_key_text(nav_key_of(r.detour, tiles * sizeof(nav_key)), detour);
    free(r.navd);
    free(r.detour);
    return r.failed;
}

// Is a world what is pinned?
static int check_world(const golden_world *w, int k, nav_level level, int workers)
{
    char navd[NAV_KEY_TEXT_BYTES], detour[NAV_KEY_TEXT_BYTES];
    int error = hash_world(w, nav_build_at(level), workers, navd, detour);
    int same = !error && strcmp(navd, golden[k].navd) == 0 && strcmp(detour, golden[k].detour) == 0;
    if (!same)
        printf("%s at level %s with %d workers%s: navd %s (pinned %s), detour %s (pinned %s)\n", w->name,
               nav_level_name(level), workers, error ? " failed" : "", navd, golden[k].navd, detour, golden[k].detour);
    return same;
}

static void print_world(const golden_world *w)
{
    char navd[NAV_KEY_TEXT_BYTES], detour[NAV_KEY_TEXT_BYTES];
    if (hash_world(w, nav_build_tile, 1, navd, detour)) abort();
    printf("    {\"%s\", \"%s\", \"%s\"},\n", w->name, navd, detour);
}

int main(int argc, char **argv)
{
    static const int worker_counts[] = {1, 2, 3, 8, 16};
    int print = argc > 1 && strcmp(argv[1], "--print") == 0, checks = 0, passed = 0;
    for (int k = 0; k < GOLDEN_WORLD_COUNT; k++) {
        golden_world w;
        golden_world_init(&w, k);
        if (print) print_world(&w);
        for (int c = 0; c < 5 && !print; c++, checks++)
            passed += check_world(&w, k, nav_level_best(), worker_counts[c]);
        for (nav_level level = 0; level < nav_level_best() && !print; level++, checks++)
            passed += check_world(&w, k, level, 2);
        golden_world_deinit(&w);
    }
    if (!print)
        printf("%d passed, %d failed, up to level %s\n", passed, checks - passed, nav_level_name(nav_level_best()));
    return passed == checks ? 0 : 1;
}
