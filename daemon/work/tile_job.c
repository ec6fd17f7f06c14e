#include "daemon/work/tile_job.h"

#include "daemon/base/clock.h"
#include "daemon/work/link_job.h"
#include "daemon/work/tile_call.h"

#include "core/reach/packed.h"
#include "core/tile/detour.h"
#include "core/tile/detour_packed.h"
#include "core/tile/tile_format.h"

#include <stdlib.h>
#include <string.h>

static uint64_t now_us(void)
{
    return nd_now_ns() / 1000;
}

static void enter_stage(void *user, nav_stage s)
{
    nd_tile_job *j = user;
    atomic_store_explicit(&j->stage, (unsigned)s, memory_order_relaxed);
    j->stage_began_us = now_us();
}

static void leave_stage(void *user, nav_stage s)
{
    nd_tile_job *j = user;
    j->stage_us[s] += now_us() - j->stage_began_us;
}

static bool is_cancelled(void *user)
{
    nd_tile_job *j = user;
    if (j->timeout_us && now_us() - j->began_us > j->timeout_us) return true;
    const nd_helper *h = atomic_load_explicit(&j->helper, memory_order_relaxed); // in a helper: itself
    if (h) return nd_helper_is_cancelled(h, j->number);
    return atomic_load_explicit(&j->fate, memory_order_relaxed) == ND_JOB_CANCELLED;
}

// dictionary NULL: none.
static nav_status compress(nd_worker *w, const nav_buffer *in, int level, const ZSTD_CDict *dictionary, nd_cached *out)
{
    size_t bound = ZSTD_compressBound(in->size);
    nd_blob *blob = nd_blob_create(bound);
    if (!blob || !w->zstd) {
        nd_blob_unref(blob);
        return NAV_ERR_MEMORY;
    }
    size_t n = dictionary ? ZSTD_compress_usingCDict(w->zstd, blob->data, bound, in->data, in->size, dictionary)
                          : ZSTD_compressCCtx(w->zstd, blob->data, bound, in->data, in->size, level);
    if (ZSTD_isError(n)) {
        nd_blob_unref(blob);
        return NAV_ERR_MEMORY; // the only way it can fail with room for the bound
    }
    out->blob = nd_blob_shrink(blob, n);
    return NAV_OK;
}

// Leaves the tile in w->output; empty where the encoding has no tile for it.
static nav_status write_tile(nd_tile_job *j, nd_worker *w, const nav_tile *tile, np_encoding e)
{
    if (e == NP_ENCODING_PACKED && j->wanted >> NP_ENCODING_DETOUR & 1) return NAV_OK; // there it stands
    enter_stage(j, NAV_STAGE_ENCODE);
    w->output.size = 0;
    nav_status s = e == NP_ENCODING_NAVD ? nav_tile_encode(tile, &w->output) : nav_detour_encode(tile, &w->output);
    leave_stage(j, NAV_STAGE_ENCODE);
    return s;
}

static nav_status pack(nd_tile_job *j, nd_worker *w, const nav_settings *settings, nd_cached *out)
{
    w->packed.size = 0;
    const ZSTD_CDict *dictionary = j->dictionary ? j->dictionary : nd_worker_dictionary(w, j->zstd_level);
    if (!dictionary) return NAV_ERR_MEMORY;
    nav_status s = nav_detour_pack(w->output.data, w->output.size, settings, &w->packed);
    return s == NAV_OK ? compress(w, &w->packed, j->zstd_level, dictionary, out) : s;
}

nav_status nd_tile_job_compress(nd_tile_job *j, nd_worker *w, const nav_settings *settings, np_encoding e,
                                nd_cached *out)
{
    uint64_t began = now_us();
    nav_status s =
        e == NP_ENCODING_PACKED ? pack(j, w, settings, out) : compress(w, &w->output, j->zstd_level, NULL, out);
    j->compress_us += now_us() - began;
    out->size = w->output.size;
    return s;
}

// The wanted encodings, into list.
static nav_status encode(nd_tile_job *j, nd_worker *w, const nav_tile *tile, nd_cached *list)
{
    bool empty = tile->polygons.count == 0 && tile->link_count == 0;
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++) {
        nd_cached *out = &list[e];
        nd_blob_unref(out->blob);
        *out = (nd_cached){0};
        if (!(j->wanted >> e & 1)) continue;
        out->content_key = tile->content_key;
        out->status = empty ? NP_TILE_EMPTY : NP_TILE_OK;
        if (empty) continue;
        nav_status s = write_tile(j, w, tile, (np_encoding)e);
        if (s != NAV_OK) return s;
        if (!w->output.size) { // links without ground: Detour has no tile for that
            out->status = NP_TILE_EMPTY;
            continue;
        }
        s = nd_tile_job_compress(j, w, tile->settings, (np_encoding)e, out);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

static nav_status keep_base(nd_tile_job *j, nd_worker *w, const nav_tile *tile, nd_cached *out)
{
    w->output.size = 0;
    nav_status s = nav_tile_pack(tile, &w->output);
    if (s == NAV_OK) s = nav_parts_create(tile, &w->arena, &out->parts);
    uint64_t began = now_us();
    if (s == NAV_OK) s = compress(w, &w->output, j->zstd_level, NULL, out);
    out->size = w->output.size;
    j->compress_us += now_us() - began;
    out->content_key = tile->content_key;
    out->status = NP_TILE_OK;
    return s;
}

// The base tile, and what is likely to be delivered of it.
static nav_status make_base(nd_tile_job *j, nd_worker *w, const nav_tile *tile)
{
    nav_tile likely;
    nav_status s = keep_base(j, w, tile, &j->base);
    if (s != NAV_OK) return s;
    const nav_parts *parts = j->base.parts;
    uint8_t *off = NAV_TAKE(&w->arena, uint8_t, parts->count);
    if (!off) return nav_arena_failure(&w->arena);
    nav_parts_guess(parts, j->before, j->off, j->min_doubled_area, off);
    s = nav_tile_mask(tile, off, parts->count, j->mode, &w->arena, &likely);
    j->out_key = nav_masked_key(j->source_key, nav_mask_key(off, parts->count, j->mode));
    return s == NAV_OK ? encode(j, w, &likely, j->out) : s;
}

static nav_status unpack_base(const nd_tile_job *j, nd_worker *w, const nd_cached *base, nav_tile *out)
{
    size_t size = (size_t)base->size;
    uint8_t *bytes = NAV_TAKE(&w->arena, uint8_t, size);
    if (!bytes) return nav_arena_failure(&w->arena);
    if (ZSTD_decompress(bytes, size, base->blob->data, base->blob->size) != size) return NAV_ERR_MEMORY;
    return nav_tile_unpack(bytes, size, &j->settings, &w->arena, out);
}

static nav_status make_mask(nd_tile_job *j, nd_worker *w)
{
    nav_tile base, tile;
    nav_status s = unpack_base(j, w, &j->base_in, &base);
    if (s == NAV_OK) s = nav_tile_mask(&base, j->off, j->part_count, j->mode, &w->arena, &tile);
    if (s != NAV_OK) return s;
    j->content_key = tile.content_key;
    return encode(j, w, &tile, j->out);
}

// The run has come to its end. Where the loop was first, what it made counts as not made.
static void end_run(nd_tile_job *j)
{
    unsigned open = ND_JOB_OPEN;
    if (!atomic_compare_exchange_strong(&j->fate, &open, ND_JOB_ENDED)) j->status = NAV_ERR_CANCELLED;
}

static nav_status add_links_to_base(nd_tile_job *j, nd_worker *w, nav_tile *bare)
{
    nav_status s = nd_link_job_put(j, &w->arena, bare);
    return s == NAV_OK ? make_base(j, w, bare) : s;
}

static nav_status make_links(nd_tile_job *j, nd_worker *w)
{
    nav_tile tile;
    if (!j->wants_base) return nd_link_job_add(j, w);
    nav_status s = unpack_base(j, w, &j->bare[ND_ENCODING_BASE], &tile);
    return s == NAV_OK ? add_links_to_base(j, w, &tile) : s;
}

static nav_status keep_tile(nd_tile_job *j, nd_worker *w, nav_tile *tile)
{
    if (!j->link_count) return j->wants_base ? make_base(j, w, tile) : encode(j, w, tile, j->out);
    nav_status s = j->wants_base ? keep_base(j, w, tile, &j->bare[ND_ENCODING_BASE]) : encode(j, w, tile, j->bare);
    if (s != NAV_OK) return s;
    return j->wants_base ? add_links_to_base(j, w, tile) : nd_link_job_add(j, w);
}

static nav_status make_tile(nd_tile_job *j, nd_worker *w)
{
    nav_tile tile;
    const nav_hooks hooks = {.user = j, .enter = enter_stage, .leave = leave_stage, .cancelled = is_cancelled};
    nav_build *build = j->build ? j->build : nav_build_tile;
    nav_status s = build(&j->snapshot->source, j->has_known ? &j->known : NULL, &hooks, &w->arena, &tile);
    j->content_key = tile.content_key;
    j->coarse_outlines = tile.counts.coarse_outlines;
    if (s == NAV_OK && is_cancelled(j)) s = NAV_ERR_CANCELLED;
    return s == NAV_OK ? keep_tile(j, w, &tile) : s;
}

void nd_tile_job_make(nd_tile_job *j, nd_worker *w)
{
    j->began_us = now_us();
    j->out_key = j->source_key;
    if (is_cancelled(j))
        j->status = NAV_ERR_CANCELLED;
    else
        j->status = (j->links_only ? make_links : j->snapshot ? make_tile : make_mask)(j, w);
    j->arena_peak = w->arena.peak_bytes;
}

static void run(nd_task *task, nd_worker *w)
{
    nd_tile_job *j = (nd_tile_job *)task;
    uint64_t began_us = now_us();
    if (w->helper)
        nd_tile_job_call(j, w->helper);
    else
        nd_tile_job_make(j, w);
    if (j->status == NAV_ERR_CANCELLED && atomic_load(&j->fate) != ND_JOB_CANCELLED) j->status = NAV_ERR_TIMEOUT;
    end_run(j);
    j->made_us = now_us() - began_us;
    nd_snapshot_destroy(j->snapshot); // here, not on the loop: the last reference to a large mesh may go with it
    j->snapshot = NULL;
}

void nd_tile_job_begin(nd_tile_job *j, uint8_t wanted, int zstd_level, void (*done)(nd_task *task, bool ran))
{
    atomic_init(&j->fate, ND_JOB_OPEN);
    atomic_init(&j->stage, NAV_STAGE_COUNT);
    j->task.run = run;
    j->task.done = done;
    j->wanted = wanted;
    j->zstd_level = zstd_level;
}

nav_status nd_tile_job_init(nd_tile_job *j, const nd_view *view, uint8_t wanted, int zstd_level,
                            void (*done)(nd_task *task, bool ran))
{
    nd_tile_job_begin(j, wanted, zstd_level, done);
    j->snapshot = nd_snapshot_create(view);
    return j->snapshot ? NAV_OK : NAV_ERR_MEMORY;
}

nav_status nd_tile_job_want_base(nd_tile_job *j, const nd_reach_guess *guess)
{
    j->wants_base = true;
    j->mode = guess->mode;
    j->min_doubled_area = guess->min_doubled_area;
    if (!guess->before) return NAV_OK;
    j->off = malloc((size_t)guess->before->count + 1);
    if (!j->off) return NAV_ERR_MEMORY;
    memcpy(j->off, guess->off, guess->before->count);
    j->before = nav_parts_ref(guess->before);
    return NAV_OK;
}

nav_status nd_tile_job_init_mask(nd_tile_job *j, const nd_cached *base, const nav_settings *settings,
                                 const uint8_t *off, uint32_t part_count, nav_unreachable mode, uint8_t wanted,
                                 int zstd_level, void (*done)(nd_task *task, bool ran))
{
    nd_tile_job_begin(j, wanted, zstd_level, done);
    j->base_in = *base;
    (void)nd_blob_ref(j->base_in.blob);
    j->settings = *settings;
    j->part_count = part_count;
    j->mode = mode;
    j->off = malloc((size_t)part_count + 1);
    if (!j->off) return NAV_ERR_MEMORY;
    if (part_count) memcpy(j->off, off, part_count);
    return NAV_OK;
}

nd_reason nd_tile_job_reason(const nd_tile_job *j)
{
    bool crashed = j->status == NAV_ERR_CRASHED && j->death_count;
    return (nd_reason){.status = j->status,
                       .stage = (uint8_t)atomic_load(&j->stage),
                       .signal = crashed ? (uint8_t)j->deaths[j->death_count - 1].of.signal : 0};
}

void nd_tile_job_deinit(nd_tile_job *j)
{
    nd_blob_unref(j->base_in.blob);
    nd_blob_unref(j->base.blob);
    nav_parts_unref(j->base.parts);
    nav_parts_unref(j->before);
    free(j->off);
    nd_snapshot_destroy(j->snapshot);
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++) nd_blob_unref(j->out[e].blob);
    nd_link_job_deinit(j);
}

bool nd_tile_job_cancel(nd_tile_job *j)
{
    unsigned open = ND_JOB_OPEN;
    if (!j) return true;
    bool cancelled = atomic_compare_exchange_strong(&j->fate, &open, ND_JOB_CANCELLED) || open == ND_JOB_CANCELLED;
    nd_helper *h = atomic_load(&j->helper); // either it is there, or the run has not begun and sees the fate
    if (h && cancelled) nd_helper_cancel(h, j->number);
    return cancelled;
}
