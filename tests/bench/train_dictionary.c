// Trains the dictionary that tiles are compressed with (protocol/dictionary.h) on packed tiles of the bench's own
// scenes, under several settings, and prints it as the text of protocol/dictionary_bytes.inc. The same bytes at every
// run with one version of zstd. scripts/dictionary calls it.
#include "clients/navctl/generate/generate.h"
#include "core/tile/detour_packed.h"
#include "protocol/dictionary.h"
#include "tests/bench/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZDICT_STATIC_LINKING_ONLY
#include <zdict.h>

enum {
    DICTIONARY_BYTES = 4096, // twice as much gains nothing
    TILES_A_SCENE = 400,     // so that no kind of scene outweighs the others
    LEVEL = 1,               // that tiles are compressed at
};

typedef struct samples {
    nav_buffer bytes; // one behind the other
    size_t *sizes;
    unsigned count;
} samples;

static bool add_tile(samples *s, const generated_tile *t, const nav_settings *settings)
{
    size_t before = s->bytes.size;
    size_t *grown = realloc(s->sizes, (s->count + 1) * sizeof *grown);
    if (!grown) return false;
    s->sizes = grown;
    if (nav_detour_pack(t->bytes, t->size, settings, &s->bytes) != NAV_OK) return false;
    s->sizes[s->count++] = s->bytes.size - before;
    return true;
}

// Tiles from all over the scene, as many of them as of the others.
static bool add_scene(samples *s, const scene *from, const nav_settings *settings)
{
    const generate_options options = {.settings = *settings, .threads = 1, .encoding = GENERATE_DETOUR};
    generated g;
    if (!generate(from, &options, &g)) return false;
    uint64_t filled = 0;
    bool ok = true;
    for (uint64_t i = 0; ok && i < g.grids.total; i++) {
        const generated_tile *t = &g.tiles[i];
        if (!t->bytes) continue;
        bool taken = filled * TILES_A_SCENE / g.filled != (filled + 1) * TILES_A_SCENE / g.filled;
        filled++;
        if (taken || g.filled <= TILES_A_SCENE) ok = add_tile(s, t, settings);
    }
    generated_deinit(&g);
    return ok;
}

static bool add_all(samples *s)
{
    static const char *const names[] = {"city300m", "terrain500m", "hall", "clutter"};
    nav_settings usual, fine;
    bool ok = true;
    nav_settings_default(&usual);
    fine = usual;
    fine.cell_size_m = 0.2f;
    fine.agent_radius_m = 0.4f;
    fine.partition = NAV_PARTITION_WATERSHED;
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        scene from = {0};
        ok = bench_scene_named(names[i], &from);
        nav_settings moved = usual; // as navctl does: the origin is the scene's lower corner
        for (int a = 0; a < 3; a++) moved.origin_m[a] = (double)from.min[a];
        ok = ok && add_scene(s, &from, &usual) && add_scene(s, &from, &moved) && add_scene(s, &from, &fine);
        scene_deinit(&from);
    }
    for (int i = 0; ok && i < 3; i++) { // rougher and smoother hills
        scene hills = {0};
        bench_scene_terrain(&hills, 150, 1 + i, 10 + 15 * i);
        ok = add_scene(s, &hills, &usual);
        scene_deinit(&hills);
    }
    return ok;
}

static void print_bytes(const uint8_t *bytes, size_t count)
{
    printf("// Made by scripts/dictionary: %zu bytes. Whoever makes it again has made another dictionary: tiles of the "
           "old\n"
           "// one cannot be unpacked with it, and its id differs.\n",
           count);
    for (size_t i = 0; i < count; i++) printf("0x%02x,%s", bytes[i], i % 20 == 19 || i + 1 == count ? "\n" : " ");
}

int main(void)
{
    static uint8_t dictionary[DICTIONARY_BYTES];
    samples s = {0};
    ZDICT_fastCover_params_t how = {
        .d = 6, .f = 20, .steps = 16, .accel = 1, .zParams = {.compressionLevel = LEVEL, .dictID = NP_DICTIONARY_ID}};
    bool ok = add_all(&s);
    size_t size = ok ? ZDICT_optimizeTrainFromBuffer_fastCover(dictionary, sizeof dictionary, s.bytes.data, s.sizes,
                                                               s.count, &how)
                     : 0;
    if (ok && ZDICT_isError(size)) {
        fprintf(stderr, "train_dictionary: %s\n", ZDICT_getErrorName(size));
        ok = false;
    }
    if (ok) {
        fprintf(stderr, "train_dictionary: %u tiles of %zu bytes\n", s.count, s.bytes.size);
        print_bytes(dictionary, size);
    }
    free(s.sizes);
    nav_buffer_deinit(&s.bytes);
    return ok ? 0 : 1;
}
