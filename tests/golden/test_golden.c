// The pinned hashes: every tile of the golden worlds, in both encodings, whatever the number of workers, at each level
// of machine that this one has (core/levels.h), and so for random worlds (tests/golden/random_worlds.h). This program
// is built several times, with other optimisation levels and compilers, and all of them must print the same.
// Where a hash differs it says which tile and stage do first (explain.h).
//   test_golden                  checks
//   test_golden --print          prints the table for golden.inc
//   test_golden --print-stages   prints the table for stages.inc
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/golden/explain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *navd, *detour;
} golden[GOLDEN_WORLD_COUNT + RANDOM_KINDS] = {
#include "tests/golden/golden.inc"
};

typedef struct run {
    const golden_world *world;
    nav_build *build;
    atomic_int next;
    nav_key *navd, *detour; // per tile
    atomic_int failed;
} run;

static int hash_tile(const nav_tile_source *src, nav_build *build, nav_arena *arena, nav_buffer *bytes, nav_key *navd,
                     nav_key *detour)
{
    nav_tile tile;
    if (build(src, NULL, NULL, arena, &tile) != NAV_OK) return 1;
    bytes->size = 0;
    if (nav_tile_encode(&tile, bytes) != NAV_OK) return 1;
    *navd = nav_key_of(bytes->data, bytes->size);
    bytes->size = 0;
    nav_status s = nav_detour_encode(&tile, bytes); // its limits are reached here and there
    *detour = nav_key_of(bytes->data, bytes->size);
    return s != NAV_OK && s != NAV_ERR_LIMIT;
}

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
        nav_arena_reset(&arena);
        if (hash_tile(&src, r->build, &arena, &bytes, &r->navd[i], &r->detour[i])) r->failed = 1;
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

static int hash_random(int kind, nav_build *build, char navd[NAV_KEY_TEXT_BYTES], char detour[NAV_KEY_TEXT_BYTES])
{
    nav_key navd_keys[GOLDEN_RANDOM_WORLDS], detour_keys[GOLDEN_RANDOM_WORLDS];
    nav_arena arena;
    nav_arena_init(&arena, 0);
    nav_buffer bytes = {0};
    int failed = 0;
    for (int i = 0; i < GOLDEN_RANDOM_WORLDS && !failed; i++) {
        random_world w;
        random_world_init(&w, kind, i);
        nav_tile_source src = random_world_source(&w);
        nav_arena_reset(&arena);
        failed = hash_tile(&src, build, &arena, &bytes, &navd_keys[i], &detour_keys[i]);
        random_world_deinit(&w);
    }
    nav_buffer_deinit(&bytes);
    nav_arena_deinit(&arena);
    if (failed) return 1;
    nav_key_text(nav_key_of(navd_keys, sizeof navd_keys), navd);
    nav_key_text(nav_key_of(detour_keys, sizeof detour_keys), detour);
    return 0;
}

// Is row k what is pinned?
static int check_row(int k, const char *name, nav_level level, int workers, int error, const char *navd,
                     const char *detour)
{
    int same = !error && strcmp(navd, golden[k].navd) == 0 && strcmp(detour, golden[k].detour) == 0;
    if (!same)
        printf("%s at level %s with %d workers%s: navd %s (pinned %s), detour %s (pinned %s)\n", name,
               nav_level_name(level), workers, error ? " failed" : "", navd, golden[k].navd, detour, golden[k].detour);
    return same;
}

static int check_world(const golden_world *w, int k, nav_level level, int workers)
{
    char navd[NAV_KEY_TEXT_BYTES], detour[NAV_KEY_TEXT_BYTES];
    int error = hash_world(w, nav_build_at(level), workers, navd, detour);
    return check_row(k, w->name, level, workers, error, navd, detour);
}

static int check_random(int kind, nav_level level)
{
    char navd[NAV_KEY_TEXT_BYTES], detour[NAV_KEY_TEXT_BYTES];
    int error = hash_random(kind, nav_build_at(level), navd, detour);
    return check_row(GOLDEN_WORLD_COUNT + kind, random_kind_name(kind), level, 1, error, navd, detour);
}

// Each level, fast and plain, and many workers at the highest one; the first way is the simplest.
static int list_ways(golden_way *ways, char (*names)[48])
{
    int n = 0;
    for (nav_level level = 0; level <= nav_level_best(); level++)
        for (int plain = 1; plain >= 0; plain--, n++) {
            snprintf(names[n], sizeof *names, "level %s%s", nav_level_name(level), plain ? ", plain" : "");
            ways[n] = (golden_way){names[n], nav_build_at(level), plain, 1};
        }
    ways[n] = (golden_way){"16 workers", nav_build_at(nav_level_best()), false, 16};
    return n + 1;
}

// same: the pinned hashes are met. Prints what differs first; true where something does.
static int explain(const golden_set *s, int same)
{
    golden_way ways[2 * NAV_LEVEL_COUNT + 1];
    char names[2 * NAV_LEVEL_COUNT][48], text[256];
    int count = list_ways(ways, names), differ;
    if (!same && golden_ways_differ(s, ways, count, text, sizeof text)) {
        printf("  first difference: %s\n", text);
        return 1;
    }
    nav_stage_hashes *now = calloc((size_t)s->tiles, sizeof *now);
    golden_hash(s, &ways[count - 2], now); // the highest level, its fast paths
    differ = golden_kept_differ(s, now, golden_kept, golden_kept_count, text, sizeof text);
    free(now);
    if (differ && same)
        printf("%s\n  The tiles are what is pinned, but what a stage makes has changed. If that is meant, renew "
               "tests/golden/stages.inc: test_golden --print-stages\n",
               text);
    else if (differ)
        printf("  all levels, plain twins and workers agree. First change: %s\n", text);
    return differ;
}

static void print_row(const char *name, int error, const char *navd, const char *detour)
{
    if (error) abort();
    printf("    {\"%s\", \"%s\", \"%s\"},\n", name, navd, detour);
}

static void print_stages(const golden_set *s)
{
    const golden_way way = {"best", nav_build_tile, false, 1};
    nav_stage_hashes *now = calloc((size_t)s->tiles, sizeof *now);
    if (golden_hash(s, &way, now)) abort();
    golden_kept_print(s, now);
    free(now);
}

static void print_tables(int stages)
{
    char navd[NAV_KEY_TEXT_BYTES], detour[NAV_KEY_TEXT_BYTES];
    for (int k = 0; k < GOLDEN_WORLD_COUNT; k++) {
        golden_world w;
        golden_world_init(&w, k);
        golden_set s = golden_set_of(&w);
        if (stages)
            print_stages(&s);
        else
            print_row(w.name, hash_world(&w, nav_build_tile, 1, navd, detour), navd, detour);
        golden_world_deinit(&w);
    }
    for (int kind = 0; kind < RANDOM_KINDS; kind++) {
        golden_set s = golden_set_random(kind);
        if (stages)
            print_stages(&s);
        else
            print_row(s.name, hash_random(kind, nav_build_tile, navd, detour), navd, detour);
    }
}

int main(int argc, char **argv)
{
    static const int worker_counts[] = {1, 2, 3, 8, 16};
    int checks = 0, passed = 0;
    if (argc > 1) {
        print_tables(strcmp(argv[1], "--print-stages") == 0);
        return 0;
    }
    for (int k = 0; k < GOLDEN_WORLD_COUNT; k++) {
        golden_world w;
        golden_world_init(&w, k);
        int before = checks - passed;
        for (int c = 0; c < 5; c++, checks++) passed += check_world(&w, k, nav_level_best(), worker_counts[c]);
        for (nav_level level = 0; level < nav_level_best(); level++, checks++) passed += check_world(&w, k, level, 2);
        golden_set s = golden_set_of(&w);
        passed += !explain(&s, checks - passed == before);
        checks++;
        golden_world_deinit(&w);
    }
    for (int kind = 0; kind < RANDOM_KINDS; kind++) {
        int before = checks - passed;
        for (nav_level level = 0; level <= nav_level_best(); level++, checks++) passed += check_random(kind, level);
        golden_set s = golden_set_random(kind);
        passed += !explain(&s, checks - passed == before);
        checks++;
    }
    printf("%d passed, %d failed, up to level %s\n", passed, checks - passed, nav_level_name(nav_level_best()));
    return passed == checks ? 0 : 1;
}
