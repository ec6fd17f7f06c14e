// Bytes of a tile on the wire, and the speed of making them and of getting the tile back: packed and compressed with
// the dictionary, as the daemon and the client library do it, beside plain zstd of the same Detour tiles. The
// dictionary was trained on the bench's own kinds of scenes (train_dictionary.c), so only files tell what it gains.
#include "core/tile/detour_packed.h"
#include "protocol/dictionary.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 1, USUAL_LEVEL = 3 }; // the daemon's, and zstd's own default
static const double ROUNDS_S = 0.3;

typedef struct run {
    table sizes, *bars;
    mean ratios;
    ZSTD_CCtx *packer;
    ZSTD_DCtx *unpacker;
    ZSTD_CDict *packing;
    ZSTD_DDict *unpacking;
    nav_buffer packed, frame, tile;
} run;

typedef struct frames {
    nav_buffer bytes; // one behind the other
    size_t *ends;
    size_t count;
} frames;

typedef struct sums {
    uint64_t tiles, bytes, plain, usual, packed, dictionary;
} sums;

static size_t plain(run *r, const generated_tile *t, int level)
{
    return ZSTD_compressCCtx(r->packer, r->frame.data, r->frame.capacity, t->bytes, t->size, level);
}

static size_t compress(run *r, const generated_tile *t, const nav_settings *settings)
{
    r->packed.size = 0;
    if (nav_detour_pack(t->bytes, t->size, settings, &r->packed) != NAV_OK) return 0;
    size_t n = ZSTD_compress_usingCDict(r->packer, r->frame.data, r->frame.capacity, r->packed.data, r->packed.size,
                                        r->packing);
    return ZSTD_isError(n) ? 0 : n;
}

static bool decompress(run *r, const uint8_t *frame, size_t count, size_t size)
{
    size_t n = ZSTD_decompress_usingDDict(r->unpacker, r->packed.data, r->packed.capacity, frame, count, r->unpacking);
    r->tile.size = 0;
    return !ZSTD_isError(n) && nav_detour_unpack(r->packed.data, n, size, &r->tile) == NAV_OK;
}

static bool take_sizes(run *r, const subject *s, const generated *g, sums *sum, frames *f)
{
    size_t most = 0;
    for (uint32_t i = 0; i < subject_tiles(s); i++)
        if (g->tiles[i].bytes && g->tiles[i].size > most) most = g->tiles[i].size;
    r->frame.size = r->packed.size = 0;
    if (nav_buffer_reserve(&r->frame, ZSTD_compressBound(most)) != NAV_OK ||
        nav_buffer_reserve(&r->packed, most + 1) != NAV_OK)
        return false;
    for (uint32_t i = 0; i < subject_tiles(s); i++) {
        const generated_tile *t = &g->tiles[i];
        if (!t->bytes) continue;
        sum->tiles++;
        sum->bytes += t->size;
        sum->plain += plain(r, t, LEVEL);
        sum->usual += plain(r, t, USUAL_LEVEL);
        size_t n = compress(r, t, &s->settings);
        sum->packed += r->packed.size;
        sum->dictionary += n;
        if (!n || nav_buffer_append(&f->bytes, r->frame.data, n) != NAV_OK) return false;
        f->ends[f->count++] = f->bytes.size;
        if (!decompress(r, r->frame.data, n, t->size) || memcmp(r->tile.data, t->bytes, t->size) != 0) {
            fprintf(stderr, "bench: %s: a tile does not come back from its packed form\n", s->name);
            return false;
        }
    }
    return true;
}

static double encode_round(run *r, const subject *s, const generated *g)
{
    double began_s = bench_cpu_s();
    for (uint32_t i = 0; i < subject_tiles(s); i++)
        if (g->tiles[i].bytes) (void)compress(r, &g->tiles[i], &s->settings);
    return bench_cpu_s() - began_s;
}

static double decode_round(run *r, const subject *s, const generated *g, const frames *f)
{
    size_t at = 0, k = 0;
    double began_s = bench_cpu_s();
    for (uint32_t i = 0; i < subject_tiles(s); i++) {
        if (!g->tiles[i].bytes) continue;
        (void)decompress(r, f->bytes.data + at, f->ends[k] - at, g->tiles[i].size);
        at = f->ends[k++];
    }
    return bench_cpu_s() - began_s;
}

static void report(run *r, const subject *s, const sums *sum, double encode_s, double decode_s)
{
    table *t = &r->sizes;
    double tiles = (double)sum->tiles, ratio = (double)sum->dictionary / (double)sum->plain;
    double decode = (double)sum->bytes / decode_s * 1e-6;
    table_add(t, "%s", s->name);
    table_add(t, "%llu", (unsigned long long)sum->tiles);
    table_add(t, "%.1f", (double)sum->bytes / tiles);
    table_add(t, "%.1f", (double)sum->plain / tiles);
    table_add(t, "%.1f", (double)sum->usual / tiles);
    table_add(t, "%.1f", (double)sum->packed / tiles);
    table_add(t, "%.1f", (double)sum->dictionary / tiles);
    table_add(t, "%.3f", ratio);
    table_add(t, "%.3f", (double)sum->dictionary / (double)sum->usual);
    table_add(t, "%.0f", (double)sum->bytes / encode_s * 1e-6);
    table_add(t, "%.2f", encode_s / tiles * 1e6);
    table_add(t, "%.0f", decode);
    table_add(t, "%s", s->stored ? "no" : "its kind");
    table_add_bar(r->bars, "decoded MB/s", s->name, decode, true, 500);
    if (!s->stored) return;
    table_add_bar(r->bars, "bytes with the dictionary / plain zstd", s->name, ratio, false, 0.6);
    mean_add(&r->ratios, ratio);
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    const generate_options options = {.settings = s->settings, .threads = 1, .encoding = GENERATE_DETOUR};
    generated g;
    sums sum = {0};
    frames f = {.ends = calloc(subject_tiles(s), sizeof(size_t))};
    if (!f.ends || !generate(&s->scene, &options, &g)) {
        free(f.ends);
        return false;
    }
    bool ok = take_sizes(r, s, &g, &sum, &f);
    if (ok && sum.tiles) {
        double encode_s = HUGE_VAL, decode_s = HUGE_VAL, began_s = bench_cpu_s();
        do {
            encode_s = fmin(encode_s, encode_round(r, s, &g));
            decode_s = fmin(decode_s, decode_round(r, s, &g, &f));
        } while (bench_cpu_s() - began_s < ROUNDS_S);
        report(r, s, &sum, encode_s, decode_s);
    }
    free(f.ends);
    nav_buffer_deinit(&f.bytes);
    generated_deinit(&g);
    return ok;
}

bool bench_compress(const bench_options *o, table *bars)
{
    run r = {.bars = bars,
             .packer = ZSTD_createCCtx(),
             .unpacker = ZSTD_createDCtx(),
             .packing = ZSTD_createCDict(np_dictionary, np_dictionary_bytes, LEVEL),
             .unpacking = ZSTD_createDDict(np_dictionary, np_dictionary_bytes)};
    bool ok = r.packer && r.unpacker && r.packing && r.unpacking;
    table_init(&r.sizes, "compress", "Bytes of a Detour tile on the wire, and megabytes of it a second",
               "scene,tiles,tile_bytes,zstd_1,zstd_3,packed,packed_dictionary,to_zstd_1,to_zstd_3,encode_mb_s,"
               "encode_us_each,decode_mb_s,trained_on");
    ok = ok && subject_each(o, measure, &r);
    if (ok) table_add_mean_bar(bars, "bytes with the dictionary / plain zstd", &r.ratios, 0.6);
    table_print(&r.sizes);
    ok = table_write(&r.sizes, o->out) && ok;
    table_deinit(&r.sizes);
    ZSTD_freeCCtx(r.packer);
    ZSTD_freeDCtx(r.unpacker);
    ZSTD_freeCDict(r.packing);
    ZSTD_freeDDict(r.unpacking);
    nav_buffer_deinit(&r.packed);
    nav_buffer_deinit(&r.frame);
    nav_buffer_deinit(&r.tile);
    return ok;
}
