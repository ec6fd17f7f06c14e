#include "tests/golden/explain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 16 };

const golden_stages golden_kept[] = {
#include "tests/golden/stages.inc"
};
const int golden_kept_count = sizeof golden_kept / sizeof *golden_kept;

golden_set golden_set_of(const golden_world *w)
{
    return (golden_set){.name = w->name, .world = w, .tiles = w->tiles_x * w->tiles_z};
}

golden_set golden_set_random(int kind)
{
    return (golden_set){.name = random_kind_name(kind), .kind = kind, .tiles = GOLDEN_RANDOM_WORLDS};
}

void golden_set_place(const golden_set *s, int i, char text[32])
{
    if (s->world)
        snprintf(text, 32, "tile %d,%d", i % s->world->tiles_x, i / s->world->tiles_x);
    else
        snprintf(text, 32, "world %d", i);
}

typedef struct job {
    const golden_set *set;
    const golden_way *way;
    nav_stage_hashes *out;
    atomic_int next, failed;
} job;

static int hash_source(const nav_tile_source *source, const golden_way *way, nav_arena *arena, nav_buffer *bytes,
                       nav_stage_hashes *out)
{
    const nav_hooks hooks = {.user = out, .made = nav_stage_hashes_made, .plain = way->plain};
    nav_tile tile;
    *out = (nav_stage_hashes){0};
    nav_arena_reset(arena);
    if (way->build(source, NULL, &hooks, arena, &tile) != NAV_OK) return 1;
    return nav_stage_hashes_encoded(out, &tile, bytes) != NAV_OK;
}

static void *work(void *arg)
{
    job *j = arg;
    nav_arena arena;
    nav_buffer bytes = {0};
    nav_arena_init(&arena, 0);
    for (int i; (i = atomic_fetch_add(&j->next, 1)) < j->set->tiles;) {
        const golden_world *w = j->set->world;
        random_world random = {.mesh = NULL};
        if (!w) random_world_init(&random, j->set->kind, i);
        nav_tile_source source =
            w ? golden_world_source(w, i % w->tiles_x, i / w->tiles_x) : random_world_source(&random);
        if (hash_source(&source, j->way, &arena, &bytes, &j->out[i])) j->failed = 1;
        random_world_deinit(&random);
    }
    nav_buffer_deinit(&bytes);
    nav_arena_deinit(&arena);
    return NULL;
}

int golden_hash(const golden_set *s, const golden_way *way, nav_stage_hashes *out)
{
    job j = {.set = s, .way = way, .out = out};
    pthread_t threads[MAX_WORKERS];
    int workers = way->workers < MAX_WORKERS ? way->workers : MAX_WORKERS;
    for (int i = 0; i < workers; i++)
        if (pthread_create(&threads[i], NULL, work, &j) != 0) abort();
    for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
    return j.failed;
}

static nav_stage_hashes *take_hashes(const golden_set *s)
{
    nav_stage_hashes *h = calloc((size_t)s->tiles, sizeof *h);
    if (!h) abort();
    return h;
}

bool golden_ways_differ(const golden_set *s, const golden_way *ways, int way_count, char *text, size_t bytes)
{
    nav_stage_hashes *one = take_hashes(s), *other = take_hashes(s);
    bool differ = false;
    text[0] = '\0';
    golden_hash(s, &ways[0], one);
    for (int w = 1; w < way_count && !differ; w++) {
        golden_hash(s, &ways[w], other);
        for (int i = 0; i < s->tiles && !differ; i++) {
            char place[32], a[NAV_KEY_TEXT_BYTES], b[NAV_KEY_TEXT_BYTES];
            nav_hash first = nav_stage_hashes_compare(&one[i], &other[i]);
            differ = first != NAV_HASH_COUNT;
            if (!differ) continue;
            golden_set_place(s, i, place);
            nav_key_text(one[i].of[first], a);
            nav_key_text(other[i].of[first], b);
            snprintf(text, bytes, "%s, %s: %s is %s by %s and %s by %s", s->name, place, nav_hash_name(first), a,
                     ways[0].name, b, ways[w].name);
        }
    }
    free(one);
    free(other);
    return differ;
}

// The part of a hash that is kept.
static uint32_t short_hash(nav_key k)
{
    return (uint32_t)k.low;
}

static const golden_stages *find_kept(const golden_set *s, int tile, const golden_stages *kept, int count)
{
    for (int i = 0; i < count; i++)
        if (kept[i].tile == tile && !strcmp(kept[i].set, s->name)) return &kept[i];
    return NULL;
}

bool golden_kept_differ(const golden_set *s, const nav_stage_hashes *now, const golden_stages *kept, int kept_count,
                        char *text, size_t bytes)
{
    bool differ = false;
    int tiles = 0;
    text[0] = '\0';
    for (int i = 0; i < s->tiles; i++) {
        char place[32];
        const golden_stages *was = find_kept(s, i, kept, kept_count);
        int h = 0;
        while (was && h < NAV_HASH_COUNT && short_hash(now[i].of[h]) == was->of[h]) h++;
        if (was && h == NAV_HASH_COUNT) continue;
        tiles++;
        if (differ) continue;
        differ = true;
        golden_set_place(s, i, place);
        if (was)
            snprintf(text, bytes, "%s, %s: %s is %08x, stages.inc keeps %08x", s->name, place,
                     nav_hash_name((nav_hash)h), short_hash(now[i].of[h]), was->of[h]);
        else
            snprintf(text, bytes, "%s, %s: stages.inc keeps nothing of it", s->name, place);
    }
    size_t n = strlen(text);
    if (tiles > 1) snprintf(text + n, bytes - n, " (%d of %d tiles differ)", tiles, s->tiles);
    return differ;
}

void golden_kept_print(const golden_set *s, const nav_stage_hashes *now)
{
    for (int i = 0; i < s->tiles; i++) {
        printf("    {\"%s\", %d, {", s->name, i);
        for (int h = 0; h < NAV_HASH_COUNT; h++) printf("%s0x%08x", h ? ", " : "", short_hash(now[i].of[h]));
        printf("}},\n");
    }
}
