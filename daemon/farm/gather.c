#include "daemon/farm/area.h"

#include "daemon/base/age_list.h"
#include "daemon/base/clock.h"
#include "daemon/world/areas.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEWEST_RECORDS = 16,    // for which there is room
    MOST_BYTES = 128 << 20, // that wait, or are being written
    MOST_WRITING = 32,      // packs, of those that rest
    REST_MS = 500,          // so long no tile of it was made: it goes
};

struct nd_gathered {
    nd_node node;
    nd_gathered *newer, *older;
    nd_block_name block;
    uint8_t form;
    nav_settings settings;
    uint64_t added_ns;
    uint32_t count, room, tile_count; // records; tiles
    size_t bytes;                     // of all of it
    nd_stored_tile *tiles;            // with references
};

static uint64_t hash_of(const nd_block_name *b, uint8_t form)
{
    return nd_block_name_hash(b) + form;
}

static nd_gathered *find(const nd_gather *g, const nd_block_name *b, uint8_t form)
{
    for (nd_node *n = nd_table_first(&g->table, hash_of(b, form)); n; n = nd_table_next(n)) {
        nd_gathered *at = ND_HOLDER(n, nd_gathered, node);
        if (at->form == form && nd_block_name_equal(&at->block, b)) return at;
    }
    return NULL;
}

static void destroy(nd_gathered *a)
{
    for (uint32_t i = 0; i < a->count; i++) nd_blob_unref(a->tiles[i].value.blob);
    free(a->tiles);
    free(a);
}

static void take_out(nd_gather *g, nd_gathered *a)
{
    ND_AGE_UNLINK(g, a);
    nd_table_remove(&g->table, &a->node);
}

// --- into the farm ---

typedef struct writing {
    nd_bus_task task;
    nd_coordinator *c;
    nd_gathered *tiles;
    nd_pack_place place;
    uint64_t memory_limit;
    nav_status status;
} writing;

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    writing *w = (writing *)task;
    w->status = nd_pack_store(link, &w->place, w->tiles->tiles, w->tiles->count, w->memory_limit);
}

static void done(nd_bus_task *task, bool ran)
{
    writing *w = (writing *)task;
    nd_coordinator *c = w->c;
    c->gather.writing--;
    c->gather.bytes -= w->tiles->bytes;
    const bool is_shared = ran && w->status == NAV_OK;
    *(is_shared ? &c->stats.shared : &c->stats.not_shared) += w->tiles->tile_count;
    if (ran && !is_shared && !c->closing) nd_coordinator_trouble(c, "share", w->status);
    destroy(w->tiles);
    free(w);
}

// Takes it over.
static void write_pack(nd_gather *g, nd_gathered *a)
{
    nd_coordinator *c = g->of;
    const nd_world *w = nd_worlds_find(c->with.builder->worlds, a->block.world);
    writing *t = w && c->up ? calloc(1, sizeof *t) : NULL;
    if (!t || !nd_farm_space_token(w->space->name, t->place.space, sizeof t->place.space)) {
        c->stats.not_shared += a->tile_count;
        g->bytes -= a->bytes;
        free(t);
        destroy(a);
        return;
    }
    t->task.run = run;
    t->task.done = done;
    t->c = c;
    t->tiles = a;
    t->place.farm = c->with.farm;
    t->place.area = nd_area_key(&a->settings, a->block.x, a->block.z, a->form,
                                nd_area_anchor_of(w, &a->settings, a->block.x, a->block.z));
    t->memory_limit = c->with.config->tile_memory_bytes;
    g->writing++;
    nd_bus_push(c->with.bus, ND_BUS_BULK, &t->task);
}

void nd_gather_flush(nd_gather *g, uint64_t now_ns, bool all)
{
    for (nd_gathered *a = g->oldest, *next; a && (all || g->writing < MOST_WRITING); a = next) {
        next = a->newer;
        if (!all && now_ns < a->added_ns + REST_MS * UINT64_C(1000000)) continue;
        take_out(g, a);
        write_pack(g, a);
    }
}

void nd_gather_leave(nd_gather *g, uint64_t world)
{
    for (nd_gathered *a = g->oldest, *next; a; a = next) {
        next = a->newer;
        if (a->block.world != world) continue;
        take_out(g, a);
        write_pack(g, a);
    }
}

void nd_gather_deinit(nd_gather *g)
{
    for (nd_gathered *a = g->oldest, *next; a; a = next) {
        next = a->newer;
        take_out(g, a);
        destroy(a);
    }
    nd_table_deinit(&g->table);
}

// --- what is made ---

static void count_bytes(nd_gather *g, nd_gathered *a, size_t more)
{
    a->bytes += more;
    g->bytes += more;
}

static nd_gathered *find_or_make(nd_gather *g, const nd_block_name *b, uint8_t form, const nav_settings *settings)
{
    nd_gathered *a = find(g, b, form);
    // Other settings of the same profile: what was gathered for those before goes first.
    if (a && !nav_key_equal(nav_settings_key(&a->settings, 0, 0), nav_settings_key(settings, 0, 0))) {
        take_out(g, a);
        write_pack(g, a);
        a = NULL;
    }
    if (a) return a;
    a = nd_table_reserve(&g->table, 1) == NAV_OK ? calloc(1, sizeof *a) : NULL;
    if (!a) return NULL;
    count_bytes(g, a, sizeof *a);
    a->block = *b;
    a->form = form;
    a->settings = *settings;
    ND_AGE_LINK_NEWEST(g, a);
    nd_table_insert(&g->table, &a->node, hash_of(b, form));
    return a;
}

// For one more tile. False: no memory.
static bool has_room(nd_gather *g, nd_gathered *a)
{
    if (a->count + ND_WIRE_ENCODINGS <= a->room) return true;
    const uint32_t room = a->room ? 2 * a->room : FEWEST_RECORDS;
    nd_stored_tile *grown = realloc(a->tiles, room * sizeof *grown);
    if (!grown) return false;
    count_bytes(g, a, (room - a->room) * sizeof *grown);
    a->tiles = grown;
    a->room = room;
    return true;
}

static void add(nd_gather *g, nd_gathered *a, nav_key source, uint8_t encoding, const nd_cached *value)
{
    a->tiles[a->count] = (nd_stored_tile){source, encoding, *value};
    a->tiles[a->count].value.parts = NULL;
    if (value->blob) (void)nd_blob_ref(value->blob);
    a->count++;
    count_bytes(g, a, value->blob ? value->blob->size : 0);
}

void nd_gather_add(nd_gather *g, const nd_run *run, const nd_tile_job *j)
{
    nd_coordinator *c = g->of;
    const nd_world *w = nd_worlds_find(c->with.builder->worlds, run->world);
    if (j->base_in.blob || j->wants_base || j->links_only) return; // of worlds with a goal, or made of a made tile
    if (!w || w->profiles[run->profile].version != run->version) return;
    const bool bare = j->link_count;
    const uint8_t form = j->wanted;
    const nd_block_name b = {run->world, run->profile, nd_area_block(run->x), nd_area_block(run->z)};
    nav_settings settings;
    nd_world_settings(w, run->profile, &settings);
    nd_gathered *a = g->bytes < MOST_BYTES ? find_or_make(g, &b, form, &settings) : NULL;
    if (!a || !has_room(g, a)) {
        c->stats.not_shared++;
        return;
    }
    a->added_ns = nd_now_ns();
    for (unsigned e = 0; e < ND_WIRE_ENCODINGS; e++) {
        if (!(form >> e & 1)) continue;
        const nd_cached *value = bare ? &j->bare[e] : &j->out[e];
        add(g, a, bare ? j->bare_key : j->source_key, (uint8_t)e, value);
    }
    if (++a->tile_count < ND_AREA_TILES) return;
    take_out(g, a);
    write_pack(g, a);
}
