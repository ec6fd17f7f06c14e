// tiles.get. What the memory has is answered at once. The rest is asked for at the disk, some tiles at a time, and the
// session's next call waits until all have come: so a session has one such answer under way, of max_message_bytes at
// most. Only what is nowhere is made again, and answered as pending.
#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/describe.h"
#include "daemon/methods/tiles_answer.h"
#include "daemon/work/lookup.h"
#include "daemon/world/profiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FETCHING = 256 }; // enough to keep the disk busy

typedef struct get {
    nd_methods *methods;
    uint64_t world;
    uint32_t profile;                // its first slot
    uint32_t slots[NAV_SHEET_COUNT]; // of its sheets
    uint64_t grid;                   // of the profile: x and z count in it
    np_encoding encoding;
    uint32_t count, next, fetching; // next: the first that was not looked at
    uint64_t bytes;                 // compressed
    nd_tiles_answer *answer;        // its tiles have at first x and z only
} get;

// Does its profile lie where it lay when it was asked for? A slot that is taken again has a newer grid.
static bool has_grid(const get *g, const nd_world *w)
{
    return nd_profile_is_live(w, g->profile) && w->profiles[g->profile].wire.grid == g->grid;
}

static nd_tile *find_tile(const get *g, const nd_world *w, const np_tile *at)
{
    return has_grid(g, w) ? nd_scheduler_find(&w->scheduler, g->slots[at->sheet], at->x, at->z) : NULL;
}

static bool is_too_large(const get *g)
{
    return g->bytes > g->methods->config->max_message_bytes;
}

static void describe(get *g, uint32_t i, const nd_tile *t, const nd_cached *data)
{
    nd_tile_describe(&g->answer->tiles[i], t, g->answer->tiles[i].sheet, g->encoding, data);
    if (!data || !data->blob) return;
    g->answer->blobs[i] = nd_blob_ref(data->blob);
    g->bytes += data->blob->size;
}

static void make_again(nd_world *w, nd_tile *t, np_encoding encoding)
{
    nd_scheduler_want(&w->scheduler, t, w->revision, nd_now_ns());
    t->asked |= (uint8_t)(1u << encoding);
}

static void fetched(nd_disk_task *task, bool ran);

// Asks the disk for the data of a tile. False: it does not have it.
static bool fetch(get *g, uint32_t i, const nd_tile *t)
{
    uint8_t wanted = (uint8_t)(1u << g->encoding);
    if (!nd_lookup_may_find(g->methods->disk, t->result.source, wanted)) return false;
    nd_lookup *l = nd_lookup_create(t->result.source, wanted, NULL, fetched);
    if (!l) return false;
    l->owner = g;
    l->at = i;
    g->fetching++;
    nd_tile_cache_push(g->methods->disk, &l->task);
    return true;
}

static void take(get *g, uint32_t i, bool ask_disk)
{
    np_tile *out = &g->answer->tiles[i];
    nd_world *w = nd_worlds_find(g->methods->worlds, g->world);
    nd_tile *t = w ? find_tile(g, w, out) : NULL;
    *out = (np_tile){.x = out->x,
                     .z = out->z,
                     .sheet = out->sheet,
                     .status = NP_TILE_REMOVED,
                     .revision = w ? w->revision : 0,
                     .encoding = g->encoding,
                     .reason = np_str_of("")};
    if (!t) return;
    bool has_data = t->result.status == NP_TILE_OK || t->result.status == NP_TILE_EMPTY;
    const nd_cached *data = has_data ? nd_cache_get(g->methods->cache, t->result.source, g->encoding) : NULL;
    if (has_data && !data) {
        if (ask_disk && fetch(g, i, t)) return;
        make_again(w, t, g->encoding); // not in this encoding, or not any more
        out->status = NP_TILE_PENDING;
        return;
    }
    // Also where jobs.cancel gave it up, or nobody has watched it: then what it is now comes, and is made for the next.
    if (t->result.status == NP_TILE_PENDING || t->state == ND_TILE_UNWATCHED) make_again(w, t, g->encoding);
    describe(g, i, t, data);
}

// Looks at what is left; answers, and is gone, when all has come.
static void go_on(get *g)
{
    while (g->next < g->count && g->fetching < MAX_FETCHING && !is_too_large(g)) take(g, g->next++, true);
    if (g->fetching) return;
    nd_tiles_answer *a = g->answer;
    const nd_world *w = nd_worlds_find(a->methods->worlds, g->world);
    bool moved = w && !has_grid(g, w);
    np_error err = {0};
    free(g);
    nd_builder_kick(a->methods->builder);
    if (moved) {
        np_error_set(&err, NAV_ERR_STATE, "the profile was removed or has got another grid meanwhile: ask again");
        nd_tiles_answer_refuse(a, &err);
    } else {
        nd_tiles_answer_send(a);
    }
}

static void fetched(nd_disk_task *task, bool ran)
{
    nd_lookup *l = (nd_lookup *)task;
    get *g = l->owner;
    np_tile *out = &g->answer->tiles[l->at];
    nd_world *w = ran ? nd_worlds_find(g->methods->worlds, g->world) : NULL;
    const nd_tile *t = w ? find_tile(g, w, out) : NULL;
    if (ran) nd_lookup_remember(l, g->methods->cache);
    if (l->found && t && nav_key_equal(t->result.source, l->source) && t->result.status != NP_TILE_FAILED)
        describe(g, l->at, t, &l->out[g->encoding]);
    else if (ran)
        take(g, l->at, false);
    nd_lookup_destroy(l);
    g->fetching--;
    go_on(g);
}

// The slots of the sheets that are asked for.
static nav_status find_slots(nd_call *c, const nd_world *w, uint32_t profile, const np_tiles_get_request *r,
                             uint32_t slots[NAV_SHEET_COUNT])
{
    uint32_t asked = 0;
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < r->tile_count; i++) asked |= UINT32_C(1) << r->tiles[i].sheet;
    for (int sheet = 0; sheet < NAV_SHEET_COUNT && s == NAV_OK; sheet++) {
        slots[sheet] = UINT32_MAX;
        if (asked >> sheet & 1) s = nd_call_sheet(c, w, profile, (nav_sheet)sheet, &slots[sheet]);
    }
    return s;
}

nav_status nd_method_tiles_get(nd_call *c)
{
    ND_ASSERT_LOOP_THREAD();
    np_tiles_get_request r;
    nd_world *w;
    uint32_t profile = 0;
    nav_status s = np_decode_tiles_get_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = nd_call_profile(c, w, r.profile, &profile);
    if (s != NAV_OK) return s;
    if (r.tile_count > c->methods->config->max_request_tiles)
        return np_error_set_key(&c->err, NAV_ERR_LIMIT, "tiles",
                                "%u tiles, at most %" PRIu64 " are allowed (--max-request-tiles)", r.tile_count,
                                c->methods->config->max_request_tiles);
    uint32_t slots[NAV_SHEET_COUNT];
    s = find_slots(c, w, profile, &r, slots);
    if (s != NAV_OK) return s;
    get *g = calloc(1, sizeof *g);
    nd_tiles_answer *a = g ? nd_tiles_answer_create(c->methods, c->session->id, c->message->id, r.tile_count) : NULL;
    if (!a) {
        free(g);
        return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the response");
    }
    *g = (get){.methods = c->methods,
               .world = w->id,
               .profile = profile,
               .grid = w->profiles[profile].wire.grid,
               .encoding = r.encoding,
               .count = r.tile_count,
               .answer = a};
    memcpy(g->slots, slots, sizeof slots);
    a->method = NP_TILES_GET;
    a->grid = g->grid;
    a->encoding = r.encoding;
    a->compression = r.compression;
    a->holds = true;
    for (uint32_t i = 0; i < r.tile_count; i++) {
        a->tiles[i].x = r.tiles[i].x;
        a->tiles[i].z = r.tiles[i].z;
        a->tiles[i].sheet = r.tiles[i].sheet;
    }
    nd_session_hold(c->session);
    go_on(g);
    return NAV_OK;
}
