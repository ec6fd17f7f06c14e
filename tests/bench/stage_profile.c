// What each stage of generation costs per column of the padded grid, called by scripts/profile: nanoseconds in a
// run of its own, instructions under callgrind. Scenes are the bench's own, by name, and files. At most
// TILES tiles of a scene are built, spread evenly over its grid, one after the other on one warm worker.
#include "tests/bench/scenes.h"
#include "tests/bench/tile_builder.h"

#include "core/tile/detour.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef BENCH_HAS_CALLGRIND
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_ZERO_STATS ((void)0)
#define CALLGRIND_DUMP_STATS_AT(text) ((void)(text))
#endif

enum { TILES = 96, ROUNDS = 20 };

typedef struct profile {
    uint32_t place;                                      // of the tile at hand
    uint64_t since_ns, least_ns[TILES][NAV_STAGE_COUNT]; // 0: not run yet
    bool counts;                                         // callgrind's counters are read: the worker is warm
    char name[64];
} profile;

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void enter_stage(void *user, nav_stage s)
{
    profile *p = user;
    (void)s;
    if (p->counts) CALLGRIND_ZERO_STATS;
    p->since_ns = clock_ns();
}

static void leave_stage(void *user, nav_stage s)
{
    profile *p = user;
    uint64_t ns = clock_ns() - p->since_ns, *least = &p->least_ns[p->place][s];
    if (*least == 0 || ns < *least) *least = ns;
    if (!p->counts) return;
    char what[128];
    snprintf(what, sizeof what, "%s,%s", p->name, nav_stage_name(s));
    CALLGRIND_DUMP_STATS_AT(what);
}

static bool build(profile *p, tile_builder *b, uint32_t at, nav_buffer *encoded)
{
    const nav_hooks hooks = {.user = p, .enter = enter_stage, .leave = leave_stage};
    int32_t x = (int32_t)(at % (uint32_t)b->count[0]), z = (int32_t)(at / (uint32_t)b->count[0]);
    nav_tile tile;
    encoded->size = 0;
    nav_status status = tile_builder_build(b, x, z, &hooks, &tile);
    if (status == NAV_OK && tile.polygons.count) {
        enter_stage(p, NAV_STAGE_ENCODE);
        status = nav_detour_encode(&tile, encoded);
        leave_stage(p, NAV_STAGE_ENCODE);
    }
    if (status == NAV_OK) return true;
    fprintf(stderr, "stage_profile: %s: tile %d,%d: %s\n", p->name, x, z, nav_status_text(status));
    return false;
}

static bool profile_scene(profile *p, const scene *s, const nav_settings *settings)
{
    tile_builder b;
    nav_buffer encoded = {0};
    bool ok = tile_builder_init(&b, s, settings);
    uint32_t total = ok ? (uint32_t)b.count[0] * (uint32_t)b.count[1] : 0, count = total < TILES ? total : TILES;
    const int rounds = RUNNING_ON_VALGRIND ? 2 : ROUNDS;
    for (int round = 0; round < rounds && ok; round++) {
        p->counts = RUNNING_ON_VALGRIND && round + 1 == rounds;
        for (p->place = 0; p->place < count && ok; p->place++) {
            ok = build(p, &b, (uint32_t)((uint64_t)p->place * total / count), &encoded);
        }
    }
    nav_config config;
    nav_config_init(&config, settings, 0, 0);
    const double width = config.width;
    for (int k = 0; k < NAV_STAGE_COUNT && ok; k++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < count; i++) sum += p->least_ns[i][k];
        if (sum)
            printf("%s,%s,%.0f,%.3f\n", p->name, nav_stage_name((nav_stage)k), count * width * width,
                   (double)sum / (count * width * width));
    }
    nav_buffer_deinit(&encoded);
    tile_builder_deinit(&b);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: stage_profile SCENE...\nPrints scene,stage,columns,ns_per_column.\n");
        return 2;
    }
    bool all = true;
    for (int i = 1; i < argc; i++) {
        static profile p;
        char why[256] = "";
        const char *slash = strrchr(argv[i], '/');
        scene s;
        nav_settings settings;
        nav_settings_default(&settings);
        p = (profile){0};
        snprintf(p.name, sizeof p.name, "%.*s", (int)strcspn(slash ? slash + 1 : argv[i], "."),
                 slash ? slash + 1 : argv[i]);
        bool ok = bench_scene_named(argv[i], &s) || scene_read(argv[i], &s, why, sizeof why);
        if (ok) {
            for (int k = 0; k < 3; k++) settings.origin_m[k] = (double)s.min[k];
            ok = profile_scene(&p, &s, &settings);
            scene_deinit(&s);
        } else {
            fprintf(stderr, "stage_profile: %s: %s\n", argv[i], why);
        }
        all = ok && all;
    }
    return all ? 0 : 1;
}
