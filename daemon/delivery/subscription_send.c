// What subscriptions send: the tiles that have changed, as their sessions take them.
#include "core/build.h"
#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/describe.h"
#include "daemon/delivery/fetch.h"
#include "daemon/delivery/subscription_work.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/work/lookup.h"

// Tiles that are asked for at the disk at a time, and the bytes that their notes may have together: enough to be worth
// the way to another thread and back, so few that edits hardly wait for them.
enum { FETCH_TILES = 256, FETCH_BYTES = 64 * 1024 };

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

static void send_note(nd_subscription *sub, const np_tile *tile, nd_blob *blob)
{
    nd_delivery *d = sub->delivery;
    nav_buffer *out = &d->sessions->scratch;
    np_tile_note note = {.subscription = sub->lead->id,
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
                    .sheet = sub->sheet,
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
    if (t) nd_tile_describe(&tile, t, tile.sheet, sub->encoding, has_data ? data : NULL);
    s->failed = tile.status == NP_TILE_FAILED;
    if (!s->failed) s->content = has_data ? t->result.content : (nav_key){0, 0};
    s->grid = sub->sent.grid;
    nd_subscription_arrived(sub, s);
    send_note(sub, &tile, has_data ? data->blob : NULL);
}

static void forget_removed(nd_subscription *sub, nd_sent *s, const nd_tile *t)
{
    if ((t && t->result.status != NP_TILE_REMOVED) || s->pending || s->fetching) return;
    nd_subscription_arrived(sub, s);
    nd_sent_remove(&sub->sent, s);
    sub->session->sent_count--;
}

// The tile of a place; NULL where there is none in the bounds.
static nd_tile *tile_of(const nd_subscription *sub, const nd_sent *s)
{
    if (!nd_subscription_covers(sub, sub->profile, s->x, s->z))
        return NULL; // it may have been in there on another grid
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
    if (sub->lead->settings_due && nd_session_writable(session)) send_settings(sub->lead);
    const nd_sent *ahead = nd_session_writable(session) ? sub->pending : NULL;
    for (int i = 0; ahead && i < ND_SUBSCRIPTION_AHEAD; i++) ahead = ahead->next;
    while (sub->pending && nd_session_writable(session)) {
        nd_sent *s = take_first(sub);
        if (ahead) {
            nd_scheduler_expect(&sub->world->scheduler, sub->profile, ahead->x, ahead->z);
            ahead = ahead->next;
        }
        nd_tile *t = tile_of(sub, s);
        if (waits_for_grid(sub, t)) continue;
        if (nd_sent_differs(&sub->sent, s, t))
            send_tile(sub, s, t, t && t == at_hand ? out : NULL, &f);
        else
            nd_subscription_arrived(sub, s);
        forget_removed(sub, s, t);
    }
    push_fetch(sub, &f);
}

void nd_subscription_flush_all(nd_subscription *lead)
{
    for (nd_subscription *part = lead; part; part = part->next_part) nd_subscription_flush(part, NULL, NULL);
}

// --- another grid ---

static void queue_old(void *user, nd_node *n)
{
    nd_subscription *sub = user;
    nd_sent *s = ND_HOLDER(n, nd_sent, node);
    const nd_tile *t = tile_of(sub, s);
    if (!t || t->result.status == NP_TILE_PENDING) nd_subscription_queue(sub, s);
}

void nd_subscriptions_end_regrid(nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_subscription *sub = w->subscriptions; sub; sub = sub->next_of_world) {
        if (!sub->regrid || !nd_scheduler_done_in(&w->scheduler, &sub->watch, sub->regrid)) continue;
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
    if (!nd_subscription_covers(sub, sub->profile, s->x, s->z)) { // the bounds have moved
        nd_subscription_drop_sent(sub, s);
    } else if (!nd_sent_differs(&sub->sent, s, t)) {
        nd_subscription_arrived(sub, s);
        forget_removed(sub, s, t);
    } else if (!current) {
        nd_subscription_queue(sub, s);
    } else if (!e->found) {
        make_again(sub, s, t);
    } else {
        s->failed = false;
        s->content = t->result.content;
        s->grid = sub->sent.grid;
        nd_subscription_arrived(sub, s);
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
        if (nd_subscription_covers(sub, sub->profile, s->x, s->z))
            queue_first(sub, s);
        else
            nd_subscription_drop_sent(sub, s);
    }
}

static void end_fetch(nd_subscription *sub, const nd_fetch *f)
{
    run_of_notes r = {.sub = sub, .blob = f->notes};
    unfetch(sub, f);
    for (uint32_t i = 0; i < f->looked_for; i++) {
        const nd_fetched *e = &f->tiles[i];
        if (i + ND_SUBSCRIPTION_AHEAD < f->looked_for) {
            const nd_sent *ahead = e[ND_SUBSCRIPTION_AHEAD].sent;
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

static nd_subscription *find_part(const nd_session *s, uint64_t id)
{
    nd_subscription *part = s->subscriptions;
    while (part && part->id != id) part = part->next_of_session;
    return part;
}

static void fetched(nd_disk_task *task, bool ran)
{
    nd_fetch *f = (nd_fetch *)task;
    nd_session *session = ran ? nd_sessions_find(f->delivery->sessions, f->session) : NULL;
    nd_subscription *sub = session ? find_part(session, f->part) : NULL;
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
        if (nd_subscription_covers(sub, t->profile, t->x, t->z)) {
            nav_status status = NAV_OK;
            if (t->result.status == NP_TILE_REMOVED)
                s = nd_sent_find(&sub->sent, t->x, t->z);
            else
                status = nd_subscription_make_sent(sub, t->x, t->z, &s);
            if (status != NAV_OK) nd_session_close(session, status == NAV_ERR_LIMIT ? "max_tiles" : "memory");
        }
        if (s && nd_sent_differs(&sub->sent, s, t)) {
            nd_subscription_queue(sub, s);
            nd_subscription_flush(sub, t, has_data ? &out[sub->encoding] : NULL);
        } else if (s) {
            nd_subscription_arrived(sub, s);
        }
    }
}
