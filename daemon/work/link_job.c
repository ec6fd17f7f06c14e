#include "daemon/work/link_job.h"

#include "core/geometry/links.h"
#include "core/tile/detour_packed.h"
#include "core/tile/relink.h"
#include "daemon/cache/unpacker.h"

#include <stdlib.h>

bool nd_links_bare_key(const nd_view *view, nav_key *out)
{
    nav_tile_source bare = view->source;
    bool linked = false;
    for (uint32_t i = 0; i < bare.link_count && !linked; i++)
        linked = nav_link_in_tile(&bare.links[i], bare.settings, bare.tile_x, bare.tile_z);
    if (!linked) return false;
    bare.link_count = 0;
    *out = nav_tile_source_key(&bare);
    return true;
}

nav_status nd_link_job_want(nd_tile_job *j, const nd_view *view, nav_key bare_key)
{
    const nav_link **sorted = malloc(view->source.link_count * sizeof *sorted);
    j->links = malloc(view->source.link_count * sizeof *j->links);
    nav_status s = sorted && j->links ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK) j->link_count = nav_links_collect(&view->source, sorted);
    for (uint32_t i = 0; i < j->link_count; i++) j->links[i] = *sorted[i];
    j->settings = *view->source.settings;
    j->tile_x = view->source.tile_x;
    j->tile_z = view->source.tile_z;
    j->bare_key = bare_key;
    free(sorted);
    return s;
}

nav_status nd_link_job_init(nd_tile_job *j, const nd_view *view, const nd_cached bare[ND_ENCODINGS], nav_key bare_key,
                            uint8_t wanted, int zstd_level, void (*done)(nd_task *task, bool ran))
{
    nd_tile_job_begin(j, wanted, zstd_level, done);
    j->links_only = true;
    for (int e = 0; e < ND_ENCODINGS; e++) {
        j->bare[e] = bare[e];
        j->bare[e].parts = NULL; // those of a tile with links are others
        if (bare[e].blob) nd_blob_ref(bare[e].blob);
    }
    return nd_link_job_want(j, view, bare_key);
}

static const nav_link **list_links(const nd_tile_job *j, nav_arena *arena)
{
    const nav_link **list = NAV_TAKE(arena, const nav_link *, j->link_count);
    for (uint32_t i = 0; list && i < j->link_count; i++) list[i] = &j->links[i];
    return list;
}

// Of a fault from now on the links are the cause, and it is said to be in encoding, which is what this comes nearest
// to.
static void begin(nd_tile_job *j)
{
    j->adding_links = true;
    atomic_store_explicit(&j->stage, NAV_STAGE_ENCODE, memory_order_relaxed);
}

nav_status nd_link_job_put(nd_tile_job *j, nav_arena *arena, nav_tile *tile)
{
    begin(j);
    tile->links = list_links(j, arena);
    if (!tile->links) return nav_arena_failure(arena);
    tile->link_count = j->link_count;
    tile->content_key = nav_links_content(tile->content_key, tile->links, j->link_count);
    return NAV_OK;
}

// The tile of an encoding as bytes, of packed ones the Detour tile: into out.
static nav_status unpack(nd_unpacker *u, np_encoding e, const nd_cached *in, nav_buffer *out)
{
    nav_buffer raw = {0};
    size_t size = 0;
    nav_status s = nd_unpacked_size(in->blob->data, in->blob->size, &size);
    if (s == NAV_OK) s = nav_buffer_reserve(e == NP_ENCODING_PACKED ? &raw : out, size);
    if (s != NAV_OK) goto done;
    nav_buffer *to = e == NP_ENCODING_PACKED ? &raw : out;
    s = nd_unpack(u, e, in->blob->data, in->blob->size, to->data, size);
    if (s == NAV_OK) to->size = size;
    if (s == NAV_OK && e == NP_ENCODING_PACKED) s = nav_detour_unpack(raw.data, size, (size_t)in->size, out);
done:
    nav_buffer_deinit(&raw);
    return s;
}

// Ground that is nowhere: navd's encoding holds the links alone, Detour has no tile for that.
static nav_status write_empty(const nd_tile_job *j, np_encoding e, nav_key content, const nav_link **links,
                              nav_buffer *out)
{
    nav_tile tile = {.settings = &j->settings, .content_key = content, .links = links, .link_count = j->link_count};
    nav_config_init(&tile.config, &j->settings, j->tile_x, j->tile_z);
    return e == NP_ENCODING_NAVD ? nav_tile_encode(&tile, out) : NAV_OK;
}

static nav_status add_to(nd_tile_job *j, nd_worker *w, np_encoding e, const nav_link **links, nav_buffer *bare)
{
    const nd_cached *in = &j->bare[e];
    nd_cached *out = &j->out[e];
    nav_status s = NAV_OK;
    *out =
        (nd_cached){.status = NP_TILE_EMPTY, .content_key = nav_links_content(in->content_key, links, j->link_count)};
    w->output.size = bare->size = 0;
    if (in->blob) s = unpack(&w->unpacker, e, in, bare);
    if (s != NAV_OK) return s;
    if (!in->blob)
        s = write_empty(j, e, out->content_key, links, &w->output);
    else if (e == NP_ENCODING_NAVD)
        s = nav_tile_relink(bare->data, bare->size, out->content_key, links, j->link_count, &w->output);
    else
        s = nav_detour_relink(bare->data, bare->size, links, j->link_count, &w->output);
    if (s != NAV_OK || !w->output.size) return s;
    out->status = NP_TILE_OK;
    return nd_tile_job_compress(j, w, &j->settings, e, out);
}

nav_status nd_link_job_add(nd_tile_job *j, nd_worker *w)
{
    nav_buffer bare = {0};
    begin(j);
    const nav_link **links = list_links(j, &w->arena);
    nav_status s = links ? NAV_OK : nav_arena_failure(&w->arena);
    for (int e = 0; s == NAV_OK && e < ND_WIRE_ENCODINGS; e++)
        if (j->wanted >> e & 1) s = add_to(j, w, (np_encoding)e, links, &bare);
    nav_buffer_deinit(&bare);
    return s;
}

void nd_link_job_deinit(nd_tile_job *j)
{
    for (int e = 0; e < ND_ENCODINGS; e++) {
        nd_blob_unref(j->bare[e].blob);
        nav_parts_unref(j->bare[e].parts);
    }
    free(j->links);
}
