#include "daemon/delivery/subscription.h"

#include "core/build.h"
#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/describe.h"
#include "daemon/delivery/fetch.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/work/lookup.h"
#include "daemon/world/changes.h"

#include <stdlib.h>
#include <string.h>

// Tiles that are asked for at the disk at a time, and the bytes that their notes may have together: enough to be worth
// the way to another thread and back, so few that edits hardly wait for them.
enum { FETCH_TILES = 256, FETCH_BYTES = 64 * 1024, FIRST_NOTE_BYTES = 1024 };
enum { AHEAD = 8 }; // tiles: so many before a tile's turn the processor is told to fetch it

// A tile that the client has in some state or other: differs from every tile.
static const nav_key unknown_content = {UINT64_MAX, UINT64_MAX};

// There is none yet.
static nav_status add_sent(nd_subscription *sub, int32_t x, int32_t z, nd_sent **out)
{
    nd_session *session = sub->session;
    if (session->sent_count >= session->sessions->config->max_tiles) return NAV_ERR_LIMIT;
    nav_status status = nd_sent_add(&sub->sent, x, z, out);
    session->sent_count += status == NAV_OK;
    return status;
}

static nav_status make_sent(nd_subscription *sub, int32_t x, int32_t z, nd_sent **out)
{
    *out = nd_sent_find(&sub->sent, x, z);
    return *out ? NAV_OK : add_sent(sub, x, z, out);
}

static void queue(nd_subscription *sub, nd_sent *s)
{
    if (s->pending || s->fetching) return;
    s->pending = true;
    s->next = NULL;
    *sub->pending_end = s;
    sub->pending_end = &s->next;
    sub->pending_count++;
}

// The next ones to be sent.
static void queue_first(nd_subscription *sub, nd_sent *s)
{
    s->pending = true;
    s->next = sub->pending;
    if (!sub->pending) sub->pending_end = &s->next;
    sub->pending = s;
    sub->pending_count++;
}

static nd_sent *take_first(nd_subscription *sub)
{
    nd_sent *s = sub->pending;
    sub->pending = s->next;
    if (!sub->pending) sub->pending_end = &sub->pending;
    sub->pending_count--;
    s->pending = false;
    return s;
}

// The client has it as it is.
static void arrived(nd_subscription *sub, nd_sent *s)
{
    if (s->awaited) sub->awaited--;
    s->awaited = false;
}

static bool covers(const nd_subscription *sub, uint32_t profile, int32_t x, int32_t z)
{
    return nd_watch_covers(&sub->watch, profile, x, z);
}

// --- creation ---

enum { PLACE_BITS = 10, PLACES = 1 << PLACE_BITS };

typedef struct ordered {
    double distance2; // with a focus
    unsigned place;   // without: of its key among all keys, in the order of the cache on disk
    const nd_tile *tile;
} ordered;

typedef struct existing {
    nd_subscription *sub;
    bool resumed;
    double focus[2]; // in tiles
    ordered *tiles;
    size_t count, at[PLACES]; // how many there are of each place
} existing;

static void add_existing(void *user, nd_tile *t)
{
    existing *e = user;
    if (t->result.status == NP_TILE_PENDING && !e->resumed) return;
    double dx = t->x + 0.5 - e->focus[0], dz = t->z + 0.5 - e->focus[1];
    unsigned place = (unsigned)(__builtin_bswap64(t->result.source.low) >> (64 - PLACE_BITS));
    e->tiles[e->count++] = (ordered){dx * dx + dz * dz, place, t};
    e->at[place]++;
}

// About as they lie on disk, which is then read from its begin to its end. NAV_ERR_MEMORY.
static nav_status order_by_place(existing *e)
{
    ordered *sorted = malloc((e->count + 1) * sizeof *sorted);
    if (!sorted) return NAV_ERR_MEMORY;
    size_t begin = 0;
    for (unsigned i = 0; i < PLACES; i++) {
        size_t count = e->at[i];
        e->at[i] = begin;
        begin += count;
    }
    for (size_t i = 0; i < e->count; i++) sorted[e->at[e->tiles[i].place]++] = e->tiles[i];
    free(e->tiles);
    e->tiles = sorted;
    return NAV_OK;
}

static int compare_distance(const void *a, const void *b)
{
    const ordered *p = a, *q = b;
    if (p->distance2 != q->distance2) return p->distance2 < q->distance2 ? -1 : 1;
    if (p->tile->z != q->tile->z) return p->tile->z < q->tile->z ? -1 : 1;
    return (p->tile->x > q->tile->x) - (p->tile->x < q->tile->x);
}

static void to_tiles(const nd_subscription *sub, const double xz[2], double out[2])
{
    const nav_settings *st = &sub->world->profiles[sub->profile].wire.settings;
    double side = (double)st->cell_size_m * st->tile_cells;
    out[0] = (xz[0] - st->origin_m[0]) / side;
    out[1] = (xz[1] - st->origin_m[2]) / side;
}

// A tile that has not changed since the client had everything: it has it as it is. One whose state is not known any
// more it may have in some state.
static void believe(nd_sent *s, const nd_tile *t)
{
    s->content = t->result.status == NP_TILE_PENDING ? unknown_content : t->result.content;
    s->failed = t->result.status == NP_TILE_FAILED;
}

// The client may have what was removed since.
static nav_status queue_removed(nd_subscription *sub, uint64_t since)
{
    nav_status status = NAV_OK;
    nd_sent *s;
    for (const nd_removed *r = nd_changes_newest_removed(sub->world); r && r->changed > since && status == NAV_OK;
         r = r->older) {
        if (!covers(sub, r->profile, r->x, r->z) || nd_sent_find(&sub->sent, r->x, r->z)) continue;
        const nd_tile *t = nd_scheduler_find(&sub->world->scheduler, r->profile, r->x, r->z);
        if (t && t->result.status != NP_TILE_PENDING) continue;
        status = make_sent(sub, r->x, r->z, &s);
        if (status != NAV_OK) break;
        s->content = unknown_content;
        queue(sub, s);
    }
    return status;
}

static void expect_tile(const nd_tile *t)
{
    __builtin_prefetch(&t->x);
    __builtin_prefetch(&t->result);
    __builtin_prefetch(&t->result.content);
}

// So many tiles there may be in its bounds.
static size_t most_existing(const nd_subscription *sub)
{
    size_t all = sub->world->scheduler.tiles.count;
    double area = nd_area_of(sub->watch.first, sub->watch.last);
    return area < (double)all ? (size_t)area : all;
}

static nav_status queue_existing(nd_subscription *sub, const np_tiles_subscribe_request *r, bool resumed)
{
    nd_scheduler *sched = &sub->world->scheduler;
    existing e = {.sub = sub, .resumed = resumed};
    nav_status status = NAV_OK;
    nd_sent *s;
    for (uint32_t i = 0; i < r->known_count; i++) {
        const np_known_tile *k = &r->known[i];
        if (!covers(sub, sub->profile, k->x, k->z)) continue;
        status = make_sent(sub, k->x, k->z, &s);
        if (status != NAV_OK) goto done;
        s->content = k->key;
        if (!nd_scheduler_find(sched, sub->profile, k->x, k->z)) queue(sub, s);
    }
    if (r->has_focus) to_tiles(sub, r->focus, e.focus);
    e.tiles = malloc((most_existing(sub) + 1) * sizeof *e.tiles);
    if (!e.tiles) return NAV_ERR_MEMORY;
    nd_scheduler_each_in(sched, sub->profile, sub->watch.first, sub->watch.last, add_existing, &e);
    if (r->has_focus)
        qsort(e.tiles, e.count, sizeof *e.tiles, compare_distance);
    else
        status = order_by_place(&e);
    if (status == NAV_OK) status = nd_sent_reserve(&sub->sent, e.count);
    if (status != NAV_OK) goto done;
    for (size_t i = 0; i < e.count; i++) {
        const nd_tile *t = e.tiles[i].tile;
        if (i + AHEAD < e.count) expect_tile(e.tiles[i + AHEAD].tile);
        s = r->known_count ? nd_sent_find(&sub->sent, t->x, t->z) : NULL;
        bool named = s;
        if (!named) status = add_sent(sub, t->x, t->z, &s);
        if (status != NAV_OK) goto done;
        if (resumed && !named && t->result.changed <= r->since) believe(s, t);
        if (nd_sent_differs(s, t)) queue(sub, s);
    }
    if (resumed) status = queue_removed(sub, r->since);
done:
    free(e.tiles);
    return status;
}

nav_status nd_subscription_create(nd_delivery *d, nd_session *session, nd_world *world, uint32_t profile,
                                  const np_tiles_subscribe_request *r, bool *resumed, nd_subscription **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_subscription *sub = calloc(1, sizeof *sub);
    if (!sub) return NAV_ERR_MEMORY;
    sub->id = d->next_subscription++;
    sub->delivery = d;
    sub->session = session;
    sub->world = world;
    sub->profile = profile;
    sub->encoding = r->encoding;
    sub->compression = r->compression;
    sub->pending_end = &sub->pending;
    sub->note_bytes = FIRST_NOTE_BYTES;
    sub->has_bounds = r->has_bounds;
    memcpy(sub->min, r->min, sizeof sub->min);
    memcpy(sub->max, r->max, sizeof sub->max);
    sub->margin_m = r->has_margin ? r->margin_m : world->build.margin_m;
    sub->watch_only = r->build == NP_BUILD_WATCHED;
    world->watch_only += sub->watch_only;
    nd_subscription_measure(sub);
    nd_world_judge_build(world);
    sub->next_of_session = session->subscriptions;
    session->subscriptions = sub;
    session->subscription_count++;
    sub->next_of_world = world->subscriptions;
    world->subscriptions = sub;
    world->profiles[profile].wanted[sub->encoding]++;
    nav_status s = r->has_focus ? nd_subscription_focus(sub, r->focus) : NAV_OK;
    *resumed = r->has_since && nd_changes_reach_back(world, r->since) &&
               r->since >= world->profiles[profile].wire.grid; // else x and z meant other places
    if (s == NAV_OK) s = queue_existing(sub, r, *resumed);
    if (s != NAV_OK) {
        nd_subscription_destroy(sub);
        return s;
    }
    *out = sub;
    return NAV_OK;
}

void nd_subscription_destroy(nd_subscription *sub)
{
    ND_ASSERT_LOOP_THREAD();
    nd_subscription **at = &sub->session->subscriptions;
    while (*at != sub) at = &(*at)->next_of_session;
    *at = sub->next_of_session;
    at = &sub->world->subscriptions;
    while (*at != sub) at = &(*at)->next_of_world;
    *at = sub->next_of_world;
    sub->session->subscription_count--;
    sub->world->profiles[sub->profile].wanted[sub->encoding]--;
    nd_scheduler_remove_focus(&sub->world->scheduler, sub->id);
    nd_scheduler_remove_watch(&sub->world->scheduler, &sub->watch);
    sub->world->watch_only -= sub->watch_only;
    nd_world_judge_build(sub->world);
    nd_builder_kick(sub->delivery->builder); // what nobody watches any more leaves the queue, or all is built again
    sub->session->sent_count -= sub->sent.table.count;
    nd_sent_deinit(&sub->sent);
    free(sub);
}

void nd_subscription_end(nd_subscription *sub, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    nd_session *session = sub->session;
    np_ended_note note = {.subscription = sub->id, .world = sub->world->id, .reason = np_str_of(reason)};
    nd_subscription_destroy(sub);
    nav_buffer *out = &session->sessions->scratch;
    out->size = 0;
    if (np_encode_ended_note(out, &note) == NAV_OK)
        nd_session_send(session, out->data, out->size, NULL);
    else
        nd_session_close(session, "memory");
}

nd_subscription *nd_subscription_find(nd_session *s, uint64_t id)
{
    nd_subscription *sub = s->subscriptions;
    while (sub && sub->id != id) sub = sub->next_of_session;
    return sub;
}

nav_status nd_subscription_focus(nd_subscription *sub, const double xz[2])
{
    double at[2];
    to_tiles(sub, xz, at);
    nav_status s = nd_scheduler_set_focus(&sub->world->scheduler, sub->id, sub->profile, at[0], at[1]);
    if (s != NAV_OK) return s;
    sub->has_focus = true;
    memcpy(sub->focus, xz, sizeof sub->focus);
    return NAV_OK;
}

static void measure_bounds(nd_subscription *sub)
{
    nd_world *world = sub->world;
    const double *min = sub->has_bounds ? sub->min : NULL;
    nd_watch *w = &sub->watch;
    nd_scheduler_remove_watch(&world->scheduler, w);
    w->profile = sub->profile;
    nd_world_tiles_of(world, sub->profile, min, sub->max, 0, w->first, w->last);
    nd_world_tiles_of(world, sub->profile, min, sub->max, sub->margin_m, w->margin_first, w->margin_last);
    nd_scheduler_add_watch(&world->scheduler, w, nd_now_ns());
}

void nd_subscription_measure(nd_subscription *sub)
{
    measure_bounds(sub);
    double at[2];
    to_tiles(sub, sub->focus, at);
    if (sub->has_focus) // it moves one that is there, which takes no memory
        (void)(nd_scheduler_set_focus(&sub->world->scheduler, sub->id, sub->profile, at[0], at[1]) == NAV_OK);
}

// --- other bounds ---

// Takes what is outside out of those that are to be sent.
static void drop_pending_outside(nd_subscription *sub)
{
    nd_sent **at = &sub->pending;
    while (*at) {
        nd_sent *s = *at;
        if (covers(sub, sub->profile, s->x, s->z)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->pending = false;
        sub->pending_count--;
    }
    sub->pending_end = at;
}

static void drop_sent(nd_subscription *sub, nd_sent *s)
{
    arrived(sub, s);
    nd_sent_remove(&sub->sent, s);
    sub->session->sent_count--;
}

// Those that are asked for at the disk go when they have come.
static void drop_outside(void *user, nd_node *n)
{
    nd_subscription *sub = user;
    nd_sent *s = ND_HOLDER(n, nd_sent, node);
    if (!s->fetching && !covers(sub, sub->profile, s->x, s->z)) drop_sent(sub, s);
}

typedef struct entering {
    nd_subscription *sub;
    nav_status status;
} entering;

static void enter(void *user, nd_tile *t)
{
    entering *e = user;
    nd_sent *s;
    if (e->status != NAV_OK || t->result.status == NP_TILE_PENDING || nd_sent_find(&e->sub->sent, t->x, t->z)) return;
    e->status = add_sent(e->sub, t->x, t->z, &s);
    if (e->status == NAV_OK && nd_sent_differs(s, t)) queue(e->sub, s);
}

nav_status nd_subscription_set_bounds(nd_subscription *sub, const double min[2], const double max[2],
                                      const double *margin_m)
{
    ND_ASSERT_LOOP_THREAD();
    entering e = {.sub = sub};
    nd_scheduler *sched = &sub->world->scheduler;
    sub->has_bounds = true;
    memcpy(sub->min, min, sizeof sub->min);
    memcpy(sub->max, max, sizeof sub->max);
    if (margin_m) sub->margin_m = *margin_m;
    measure_bounds(sub);
    sub->synced_once = false; // of these bounds it was never told
    drop_pending_outside(sub);
    nd_table_each(&sub->sent.table, drop_outside, sub);
    nd_scheduler_each_in(sched, sub->profile, sub->watch.first, sub->watch.last, enter, &e);
    return e.status;
}

// --- sending ---

static void send_note(nd_subscription *sub, const np_tile *tile, nd_blob *blob)
{
    nd_delivery *d = sub->delivery;
    nav_buffer *out = &d->sessions->scratch;
    np_tile_note note = {.subscription = sub->id,
                         .world = sub->world->id,
                         .profile = sub->world->profiles[sub->profile].wire.name,
                         .tile = *tile};
    nd_blob *plain = NULL;
    out->size = 0;
    if (blob && sub->compression == NP_COMPRESSION_NONE) {
        if (nd_unpack_blob(&d->unpacker, sub->encoding, blob, &plain) != NAV_OK) {
            nd_session_close(sub->session, "memory"); // the daemon itself has compressed it
            return;
        }
        blob = plain;
        note.tile.data.size = (uint32_t)blob->size;
    }
    if (np_encode_tile_note(out, &note) == NAV_OK) {
        d->tile_notes++;
        if (blob) d->tile_bytes += blob->size;
        nd_session_send(sub->session, out->data, out->size, blob);
    } else {
        nd_session_close(sub->session, "memory");
    }
    nd_blob_unref(plain);
}

// Before any tile that was made with them. However often they change, the client is told of the newest.
static void send_settings(nd_subscription *sub)
{
    const nd_world *w = sub->world;
    const np_profile *p = &w->profiles[sub->profile].wire;
    nav_buffer *out = &sub->delivery->sessions->scratch;
    np_settings_note note = {.subscription = sub->id,
                             .world = w->id,
                             .profile = p->name,
                             .settings = p->settings,
                             .revision = sub->settings_revision,
                             .grid = p->grid};
    memcpy(note.origin_m, w->origin_m, sizeof note.origin_m);
    sub->settings_due = false;
    out->size = 0;
    if (np_encode_settings_note(out, &note) == NAV_OK)
        nd_session_send(sub->session, out->data, out->size, NULL);
    else
        nd_session_close(sub->session, "memory");
}

static void make_again(nd_subscription *sub, nd_sent *s, nd_tile *t)
{
    if (!s->awaited) sub->awaited++;
    s->awaited = true;
    nd_scheduler_want(&sub->world->scheduler, t, sub->world->revision, nd_now_ns());
    t->asked |= (uint8_t)(1u << sub->encoding); // that it is as it was is not enough
    nd_builder_kick(sub->delivery->builder);
}

typedef struct insistence {
    nd_subscription *sub;
    size_t count;
} insistence;

static void insist(void *user, nd_node *n)
{
    insistence *i = user;
    nd_sent *s = ND_HOLDER(n, nd_sent, node);
    nd_tile *t = s->awaited ? nd_scheduler_find(&i->sub->world->scheduler, i->sub->profile, s->x, s->z) : NULL;
    if (!t || t->state != ND_TILE_CLEAN) return;
    make_again(i->sub, s, t);
    i->count++;
}

size_t nd_subscriptions_insist(nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    insistence i = {0};
    for (i.sub = w->subscriptions; i.sub; i.sub = i.sub->next_of_world)
        if (i.sub->awaited) nd_table_each(&i.sub->sent.table, insist, &i);
    return i.count;
}

static void fetched(nd_disk_task *task, bool ran);

static nd_fetch *begin_fetch(nd_subscription *sub)
{
    uint64_t share = sub->session->sessions->config->output_bytes / 4;
    size_t max_bytes = share < FETCH_BYTES ? (size_t)share : FETCH_BYTES;
    size_t tiles = (max_bytes - max_bytes / 8) / sub->note_bytes; // one that is larger than expected has room, too
    if (tiles < 1) tiles = 1;
    if (tiles > FETCH_TILES) tiles = FETCH_TILES;
    return nd_fetch_create(sub, (uint32_t)tiles, max_bytes, fetched);
}

static void push_fetch(nd_subscription *sub, nd_fetch **f)
{
    if (!*f) return;
    nd_session_reserve(sub->session, (*f)->max_bytes);
    nd_tile_cache_push_bulk(sub->delivery->disk, &(*f)->task);
    *f = NULL;
}

// Asks the disk for the data of a tile, together with others. False: it does not have it.
static bool fetch(nd_subscription *sub, nd_sent *s, const nd_tile *t, nd_fetch **f)
{
    if (!nd_lookup_may_find(sub->delivery->disk, t->result.source, (uint8_t)(1u << sub->encoding))) return false;
    if (!*f) *f = begin_fetch(sub);
    if (!*f) return false;
    nd_fetch_add(*f, s, t, sub->encoding);
    s->fetching = true;
    sub->fetching++;
    if ((*f)->count == (*f)->room) push_fetch(sub, f);
    return true;
}

// Sends the tile as it is now, or sees to it that its data comes.
static void send_tile(nd_subscription *sub, nd_sent *s, nd_tile *t, const nd_cached *data, nd_fetch **f)
{
    np_tile tile = {.x = s->x,
                    .z = s->z,
                    .status = NP_TILE_REMOVED,
                    .revision = sub->world->revision,
                    .encoding = sub->encoding,
                    .reason = np_str_of("")};
    bool has_data = t && (t->result.status == NP_TILE_OK || t->result.status == NP_TILE_EMPTY);
    if (has_data && !data) {
        data = nd_cache_get(sub->delivery->cache, t->result.source, sub->encoding);
        if (!data) {
            if (!fetch(sub, s, t, f)) make_again(sub, s, t);
            return;
        }
    }
    if (t) nd_tile_describe(&tile, t, sub->encoding, has_data ? data : NULL);
    s->failed = tile.status == NP_TILE_FAILED;
    if (!s->failed) s->content = has_data ? t->result.content : (nav_key){0, 0};
    arrived(sub, s);
    send_note(sub, &tile, has_data ? data->blob : NULL);
}

static void forget_removed(nd_subscription *sub, nd_sent *s, const nd_tile *t)
{
    if ((t && t->result.status != NP_TILE_REMOVED) || s->pending || s->fetching) return;
    arrived(sub, s);
    nd_sent_remove(&sub->sent, s);
    sub->session->sent_count--;
}

// The tile of a place; NULL where there is none in the bounds.
static nd_tile *tile_of(const nd_subscription *sub, const nd_sent *s)
{
    if (!covers(sub, sub->profile, s->x, s->z)) return NULL; // it may have been in there on another grid
    return nd_scheduler_find(&sub->world->scheduler, sub->profile, s->x, s->z);
}

// Until all tiles of a new grid are there the client keeps what it has of the older one.
static bool waits_for_grid(const nd_subscription *sub, const nd_tile *t)
{
    return sub->regrid && (!t || t->result.status == NP_TILE_PENDING);
}

void nd_subscription_flush(nd_subscription *sub, const nd_tile *at_hand, const nd_cached *out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_session *session = sub->session;
    nd_fetch *f = NULL;
    if (sub->settings_due && nd_session_writable(session)) send_settings(sub);
    const nd_sent *ahead = nd_session_writable(session) ? sub->pending : NULL;
    for (int i = 0; ahead && i < AHEAD; i++) ahead = ahead->next;
    while (sub->pending && nd_session_writable(session)) {
        nd_sent *s = take_first(sub);
        if (ahead) {
            nd_scheduler_expect(&sub->world->scheduler, sub->profile, ahead->x, ahead->z);
            ahead = ahead->next;
        }
        nd_tile *t = tile_of(sub, s);
        if (waits_for_grid(sub, t)) continue;
        if (nd_sent_differs(s, t))
            send_tile(sub, s, t, t && t == at_hand ? out : NULL, &f);
        else
            arrived(sub, s);
        forget_removed(sub, s, t);
    }
    push_fetch(sub, &f);
}

// --- another grid ---

static void queue_old(void *user, nd_node *n)
{
    nd_subscription *sub = user;
    nd_sent *s = ND_HOLDER(n, nd_sent, node);
    const nd_tile *t = tile_of(sub, s);
    if (!t || t->result.status == NP_TILE_PENDING) queue(sub, s);
}

void nd_subscriptions_end_regrid(nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_subscription *sub = w->subscriptions; sub; sub = sub->next_of_world) {
        if (!sub->regrid || !nd_scheduler_done_to(&w->scheduler, sub->regrid)) continue;
        sub->regrid = 0;
        nd_table_each(&sub->sent.table, queue_old, sub);
        nd_subscription_flush(sub, NULL, NULL);
    }
}

// --- what comes from the disk ---

// Notes that stand behind each other in a blob, and all still hold.
typedef struct run_of_notes {
    nd_subscription *sub;
    nd_blob *blob;
    size_t from, to;
    uint64_t count, data_bytes;
} run_of_notes;

static void send_run(run_of_notes *r)
{
    if (!r->count) return;
    nd_delivery *d = r->sub->delivery;
    d->tile_notes += r->count;
    d->tile_bytes += r->data_bytes;
    nd_session_send_messages(r->sub->session, r->blob, r->from, r->to - r->from);
    r->count = r->data_bytes = 0;
}

// Does the tile go out as the note says? Else it has what it needs to come again.
static bool note_holds(nd_subscription *sub, const nd_fetched *e)
{
    nd_sent *s = e->sent;
    nd_tile *t = nd_scheduler_find(&sub->world->scheduler, sub->profile, s->x, s->z);
    bool current = t && nav_key_equal(t->result.source, e->source) && t->result.revision == e->tile.revision;
    s->fetching = false;
    sub->fetching--;
    if (!covers(sub, sub->profile, s->x, s->z)) { // the bounds have moved
        drop_sent(sub, s);
    } else if (!nd_sent_differs(s, t)) {
        arrived(sub, s);
        forget_removed(sub, s, t);
    } else if (!current) {
        queue(sub, s);
    } else if (!e->found) {
        make_again(sub, s, t);
    } else {
        s->failed = false;
        s->content = t->result.content;
        arrived(sub, s);
        return true;
    }
    return false;
}

static void unfetch(nd_subscription *sub, const nd_fetch *f)
{
    for (uint32_t i = f->count; i-- > f->looked_for;) {
        nd_sent *s = f->tiles[i].sent;
        s->fetching = false;
        sub->fetching--;
        if (covers(sub, sub->profile, s->x, s->z))
            queue_first(sub, s);
        else
            drop_sent(sub, s);
    }
}

static void end_fetch(nd_subscription *sub, const nd_fetch *f)
{
    run_of_notes r = {.sub = sub, .blob = f->notes};
    unfetch(sub, f);
    for (uint32_t i = 0; i < f->looked_for; i++) {
        const nd_fetched *e = &f->tiles[i];
        if (i + AHEAD < f->looked_for) {
            const nd_sent *ahead = e[AHEAD].sent;
            nd_scheduler_expect(&sub->world->scheduler, sub->profile, ahead->x, ahead->z);
        }
        if (note_holds(sub, e)) {
            if (!r.count) r.from = i ? f->tiles[i - 1].end : 0;
            r.to = e->end;
            r.count++;
            r.data_bytes += e->tile.data.size;
        } else {
            send_run(&r);
        }
    }
    send_run(&r);
    if (f->looked_for && f->notes) sub->note_bytes = 1 + f->notes->size / f->looked_for;
    nd_sync_due(sub->delivery, sub->world);
    nd_waiters_check(sub->world);
}

static void fetched(nd_disk_task *task, bool ran)
{
    nd_fetch *f = (nd_fetch *)task;
    nd_session *session = ran ? nd_sessions_find(f->delivery->sessions, f->session) : NULL;
    nd_subscription *sub = session ? nd_subscription_find(session, f->subscription) : NULL;
    if (sub) end_fetch(sub, f);
    if (session) nd_session_unreserve(session, f->max_bytes);
    if (sub) nd_subscription_flush(sub, NULL, NULL);
    nd_fetch_destroy(f);
}

void nd_subscriptions_publish(nd_world *w, nd_tile *t, const nd_cached *out)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_subscription *sub = w->subscriptions; sub; sub = sub->next_of_world) {
        nd_session *session = sub->session;
        nd_sent *s = NULL;
        bool has_data = out && !nav_key_is_zero(out[sub->encoding].content_key);
        if (covers(sub, t->profile, t->x, t->z)) {
            nav_status status = NAV_OK;
            if (t->result.status == NP_TILE_REMOVED)
                s = nd_sent_find(&sub->sent, t->x, t->z);
            else
                status = make_sent(sub, t->x, t->z, &s);
            if (status != NAV_OK) nd_session_close(session, status == NAV_ERR_LIMIT ? "max_tiles" : "memory");
        }
        if (s && nd_sent_differs(s, t)) {
            queue(sub, s);
            nd_subscription_flush(sub, t, has_data ? &out[sub->encoding] : NULL);
        } else if (s) {
            arrived(sub, s);
        }
    }
}
