#include "daemon/paths/ground.h"

#include "daemon/base/clock.h"
#include "daemon/schedule/unwatched.h"

#include <stdlib.h>

enum { TILES_A_TURN = 1024, MAX_FETCHING = 256, MAX_TRIES = 3 };

// A tile of the profile, as far as the ground knows it.
struct nd_ground_tile {
    nd_node node;
    nd_ground *ground;
    nd_ground_tile *next; // of those that have changed
    uint32_t slot;
    int32_t x, z;
    nav_key source, content; // that the set has; zero: it has none
    nd_blob *blob;           // published since, and not in the set; a reference
    bool dirty, awaited;     // awaited: it is made again
    uint8_t tries;
};

static void free_tile(void *user, nd_node *n)
{
    nd_ground_tile *t = ND_HOLDER(n, nd_ground_tile, node);
    (void)user;
    nd_blob_unref(t->blob);
    free(t);
}

void nd_ground_drop_tiles(nd_ground *g)
{
    nd_table_each(&g->tiles, free_tile, NULL);
    nd_table_deinit(&g->tiles);
    for (uint32_t i = 0; i < g->change_count; i++) nd_blob_unref(g->changes[i].blob);
    free(g->changes);
}

// --- Which ones have changed ---

static nav_status note_dirty(nd_ground *g, uint32_t slot, int32_t x, int32_t z, nd_ground_tile **out)
{
    uint64_t hash = nd_hash_tile(slot, x, z);
    nd_ground_tile *t = NULL;
    for (nd_node *n = nd_table_first(&g->tiles, hash); n; n = nd_table_next(n)) {
        t = ND_HOLDER(n, nd_ground_tile, node);
        if (t->slot == slot && t->x == x && t->z == z) break;
        t = NULL;
    }
    if (!t) {
        if (nd_table_reserve(&g->tiles, 1) != NAV_OK || !(t = calloc(1, sizeof *t))) return NAV_ERR_MEMORY;
        t->ground = g;
        t->slot = slot;
        t->x = x;
        t->z = z;
        nd_table_insert(&g->tiles, &t->node, hash);
    }
    if (!t->dirty) {
        t->dirty = true;
        t->next = g->dirty;
        g->dirty = t;
    }
    *out = t;
    return NAV_OK;
}

static void settle_awaited(nd_ground_tile *t)
{
    if (t->awaited) t->ground->awaited--;
    t->awaited = false;
}

nav_status nd_ground_note(nd_ground *g, uint32_t slot, int32_t x, int32_t z, nd_blob *blob)
{
    nd_ground_tile *t;
    nav_status s = note_dirty(g, slot, x, z, &t);
    if (s != NAV_OK) return s;
    settle_awaited(t);
    nd_blob_unref(t->blob);
    t->blob = blob ? nd_blob_ref(blob) : NULL;
    return NAV_OK;
}

typedef struct listing {
    nd_ground *ground;
    const nd_world *world;
    nav_status status;
} listing;

static void note_existing(void *user, nd_node *n)
{
    listing *l = user;
    const nd_tile *t = ND_HOLDER(n, nd_tile, node);
    nd_ground_tile *noted;
    if (!nd_ground_has_slot(l->ground, l->world, t->profile) || t->result.status == NP_TILE_PENDING ||
        l->status != NAV_OK)
        return;
    l->status = note_dirty(l->ground, t->profile, t->x, t->z, &noted);
}

// What there was before the ground, as much as a turn may take.
static nav_status list(nd_ground *g, const nd_world *w)
{
    listing l = {g, w, NAV_OK};
    g->list_slot = nd_table_each_from(&w->scheduler.tiles, g->list_slot, TILES_A_TURN, note_existing, &l);
    g->listing = g->list_slot != 0;
    return l.status;
}

// --- Their bytes ---

static nav_status add_change(const nd_world *w, nd_ground_tile *t, nd_blob *blob, nav_key source, nav_key content)
{
    nd_ground *g = t->ground;
    if (g->change_count == g->change_room) {
        uint32_t room = g->change_room ? 2 * g->change_room : 64;
        nd_path_change *grown = realloc(g->changes, room * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        g->changes = grown;
        g->change_room = room;
    }
    g->changes[g->change_count++] = (nd_path_change){.x = t->x,
                                                     .z = t->z,
                                                     .sheet = w->profiles[t->slot].wire.settings.sheet,
                                                     .blob = blob ? nd_blob_ref(blob) : NULL};
    t->source = source;
    t->content = content;
    t->tries = 0;
    nd_blob_unref(t->blob);
    t->blob = NULL;
    settle_awaited(t);
    return NAV_OK;
}

static void fetched(nd_disk_task *task, bool ran);

static bool fetch(nd_ground_tile *t, nav_key source)
{
    nd_ground *g = t->ground;
    uint8_t wanted = 1u << NP_ENCODING_NAVD;
    if (!nd_lookup_may_find(g->paths->disk, source, wanted)) return false;
    nd_lookup *l = nd_lookup_create(source, wanted, NULL, fetched);
    if (!l) return false;
    l->owner = t;
    g->fetching++;
    nd_tile_cache_push(g->paths->disk, &l->task);
    return true;
}

// What the set lacks of a tile becomes a change, or is on its way.
static nav_status take(nd_world *w, nd_ground_tile *t, bool ask_disk)
{
    nd_ground *g = t->ground;
    nd_tile *now = nd_scheduler_find(&w->scheduler, t->slot, t->x, t->z);
    np_tile_status status = now ? now->result.status : NP_TILE_REMOVED;
    if (status == NP_TILE_FAILED) { // the one before stays
        settle_awaited(t);
        return NAV_OK;
    }
    if (status != NP_TILE_OK) {
        settle_awaited(t);
        return nav_key_is_zero(t->source) ? NAV_OK : add_change(w, t, NULL, (nav_key){0, 0}, (nav_key){0, 0});
    }
    nav_key source = now->result.source, content = now->result.content;
    if (nav_key_equal(t->source, source) && nav_key_equal(t->content, content)) {
        settle_awaited(t);
        return NAV_OK;
    }
    const nd_cached *data = nd_cache_get(g->paths->cache, source, NP_ENCODING_NAVD);
    nd_blob *blob = t->blob ? t->blob : data ? data->blob : NULL;
    if (blob) return add_change(w, t, blob, source, content);
    if (ask_disk && fetch(t, source)) return NAV_OK;
    if (t->tries++ == MAX_TRIES) { // it is made, and nowhere to be had
        settle_awaited(t);
        return NAV_OK;
    }
    if (!t->awaited) g->awaited++;
    t->awaited = true;
    nd_scheduler_want(&w->scheduler, now, w->revision, nd_now_ns());
    now->asked |= 1u << NP_ENCODING_NAVD;
    nd_builder_kick(g->paths->builder);
    return NAV_OK;
}

static void fetched(nd_disk_task *task, bool ran)
{
    nd_lookup *l = (nd_lookup *)task;
    nd_ground_tile *t = l->owner;
    nd_ground *g = t->ground;
    nd_world *w = ran ? nd_ground_world(g) : NULL;
    nav_status s = NAV_OK;
    g->fetching--;
    if (ran && !g->paths->stopping) nd_lookup_remember(l, g->paths->cache);
    nd_tile *now = w ? nd_scheduler_find(&w->scheduler, t->slot, t->x, t->z) : NULL;
    bool holds = now && now->result.status == NP_TILE_OK && nav_key_equal(now->result.source, l->source);
    if (holds && l->found && l->out[NP_ENCODING_NAVD].blob)
        s = add_change(w, t, l->out[NP_ENCODING_NAVD].blob, l->source, now->result.content);
    else if (w)
        s = take(w, t, false);
    nd_lookup_destroy(l);
    if (g->gone)
        nd_ground_destroy_if_idle(g);
    else if (s != NAV_OK)
        nd_ground_end(g, s, "no memory for the tiles");
    else
        nd_ground_go_on(g);
}

nav_status nd_ground_gather(nd_ground *g, nd_world *w)
{
    nav_status s = g->listing ? list(g, w) : NAV_OK;
    for (uint32_t n = 0; s == NAV_OK && g->dirty && g->fetching < MAX_FETCHING && n < TILES_A_TURN; n++) {
        nd_ground_tile *t = g->dirty;
        g->dirty = t->next;
        t->dirty = false;
        s = take(w, t, true);
    }
    if (s == NAV_OK && (g->listing || (g->dirty && g->fetching < MAX_FETCHING))) nd_paths_go_on_soon(g->paths);
    return s;
}
