#include "daemon/subscription.h"

#include "daemon/thread.h"

#include <stdlib.h>
#include <string.h>

struct nd_sent {
    nd_node node;
    int32_t x, z;
    nav_key content; // of the tile that the client has; zero: none
    bool failed;     // the client was told that it failed since
    bool pending;
    nd_sent *next;
};

static nd_sent *find_sent(const nd_subscription *sub, int32_t x, int32_t z)
{
    for (nd_node *n = nd_table_first(&sub->sent, nd_hash_tile(0, x, z)); n; n = nd_table_next(n)) {
        nd_sent *s = ND_HOLDER(n, nd_sent, node);
        if (s->x == x && s->z == z) return s;
    }
    return NULL;
}

static nav_status make_sent(nd_subscription *sub, int32_t x, int32_t z, nd_sent **out)
{
    nd_session *session = sub->session;
    *out = find_sent(sub, x, z);
    if (*out) return NAV_OK;
    if (session->sent_count >= session->server->config.max_tiles) return NAV_ERR_LIMIT;
    nav_status status = nd_table_reserve(&sub->sent, 1);
    nd_sent *s = status == NAV_OK ? calloc(1, sizeof *s) : NULL;
    if (!s) return NAV_ERR_MEMORY;
    s->x = x;
    s->z = z;
    nd_table_insert(&sub->sent, &s->node, nd_hash_tile(0, x, z));
    session->sent_count++;
    *out = s;
    return NAV_OK;
}

// Is what the client has not what the tile is? t NULL: there is no such tile.
static bool differs(const nd_sent *s, const nd_tile *t)
{
    np_tile_status status = t ? t->result.status : NP_TILE_REMOVED;
    switch (status) {
    case NP_TILE_OK:
    case NP_TILE_EMPTY:
        return s->failed || !nav_key_equal(s->content, t->result.content);
    case NP_TILE_FAILED:
        return !s->failed;
    case NP_TILE_REMOVED:
        return s->failed || !nav_key_is_zero(s->content);
    case NP_TILE_PENDING:
        break;
    }
    return false;
}

static void queue(nd_subscription *sub, nd_sent *s)
{
    if (s->pending) return;
    s->pending = true;
    s->next = NULL;
    *sub->pending_end = s;
    sub->pending_end = &s->next;
    sub->pending_count++;
}

static bool covers(const nd_subscription *sub, uint32_t profile, int32_t x, int32_t z)
{
    return profile == sub->profile && x >= sub->first[0] && x <= sub->last[0] && z >= sub->first[1] &&
           z <= sub->last[1];
}

// --- creation ---

typedef struct by_distance {
    double distance2;
    int32_t x, z;
} by_distance;

typedef struct existing {
    nd_subscription *sub;
    bool has_focus;
    double focus[2]; // in tiles
    by_distance *tiles;
    size_t count;
} existing;

static void add_existing(void *user, nd_node *n)
{
    existing *e = user;
    const nd_tile *t = ND_HOLDER(n, nd_tile, node);
    if (!covers(e->sub, t->profile, t->x, t->z) || t->result.status == NP_TILE_PENDING) return;
    double dx = e->has_focus ? t->x + 0.5 - e->focus[0] : 0, dz = e->has_focus ? t->z + 0.5 - e->focus[1] : 0;
    e->tiles[e->count++] = (by_distance){dx * dx + dz * dz, t->x, t->z};
}

static int compare_distance(const void *a, const void *b)
{
    const by_distance *p = a, *q = b;
    if (p->distance2 != q->distance2) return p->distance2 < q->distance2 ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static void to_tiles(const nd_subscription *sub, const double xz[2], double out[2])
{
    const nav_settings *st = &sub->world->profiles[sub->profile].wire.settings;
    double side = (double)st->cell_size_m * st->tile_cells;
    out[0] = (xz[0] - st->origin_m[0]) / side;
    out[1] = (xz[1] - st->origin_m[2]) / side;
}

static nav_status queue_existing(nd_subscription *sub, const np_tiles_subscribe_request *r)
{
    nd_scheduler *sched = &sub->world->scheduler;
    existing e = {.sub = sub, .has_focus = r->has_focus};
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
    e.tiles = malloc((sched->tiles.count + 1) * sizeof *e.tiles);
    if (!e.tiles) return NAV_ERR_MEMORY;
    nd_table_each(&sched->tiles, add_existing, &e);
    qsort(e.tiles, e.count, sizeof *e.tiles, compare_distance);
    for (size_t i = 0; i < e.count; i++) {
        status = make_sent(sub, e.tiles[i].x, e.tiles[i].z, &s);
        if (status != NAV_OK) goto done;
        if (differs(s, nd_scheduler_find(sched, sub->profile, s->x, s->z))) queue(sub, s);
    }
done:
    free(e.tiles);
    return status;
}

nav_status nd_subscription_create(nd_session *session, nd_world *world, uint32_t profile,
                                  const np_tiles_subscribe_request *r, nd_subscription **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_subscription *sub = calloc(1, sizeof *sub);
    if (!sub) return NAV_ERR_MEMORY;
    sub->id = session->server->next_subscription++;
    sub->session = session;
    sub->world = world;
    sub->profile = profile;
    sub->encoding = r->encoding;
    sub->pending_end = &sub->pending;
    sub->first[0] = sub->first[1] = INT32_MIN;
    sub->last[0] = sub->last[1] = INT32_MAX;
    if (r->has_bounds) {
        const nav_settings *st = &world->profiles[profile].wire.settings;
        nav_tile_at(st, r->min[0], r->min[1], &sub->first[0], &sub->first[1]);
        nav_tile_at(st, r->max[0], r->max[1], &sub->last[0], &sub->last[1]);
    }
    sub->next_of_session = session->subscriptions;
    session->subscriptions = sub;
    session->subscription_count++;
    sub->next_of_world = world->subscriptions;
    world->subscriptions = sub;
    world->profiles[profile].wanted[sub->encoding]++;
    nav_status s = r->has_focus ? nd_subscription_focus(sub, r->focus) : NAV_OK;
    if (s == NAV_OK) s = queue_existing(sub, r);
    if (s != NAV_OK) {
        nd_subscription_destroy(sub);
        return s;
    }
    *out = sub;
    return NAV_OK;
}

static void free_sent(void *user, nd_node *n)
{
    (void)user;
    free(ND_HOLDER(n, nd_sent, node));
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
    sub->session->sent_count -= sub->sent.count;
    nd_table_each(&sub->sent, free_sent, NULL);
    nd_table_deinit(&sub->sent);
    free(sub);
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
    return nd_scheduler_set_focus(&sub->world->scheduler, sub->id, sub->profile, at[0], at[1]);
}

// --- sending ---

const char *nd_failure_text(nav_status s)
{
    switch (s) {
    case NAV_ERR_LIMIT:
        return "limit: the tile needs more memory than --tile-memory-bytes allows, or more than its format can hold";
    case NAV_ERR_TIMEOUT:
        return "timeout: the tile took longer than --tile-ms allows";
    default:
        return nav_status_text(s);
    }
}

void nd_tile_describe(np_tile *out, const nd_tile *t, np_encoding encoding, const nd_cached *data)
{
    const nd_tile_result *r = &t->result;
    *out = (np_tile){.x = t->x,
                     .z = t->z,
                     .status = r->status,
                     .revision = r->revision,
                     .encoding = encoding,
                     .queued_us = r->queued_us,
                     .made_us = r->made_us,
                     .reason = np_str_of("")};
    if (r->status == NP_TILE_FAILED) out->reason = np_str_of(nd_failure_text(r->failure));
    if (r->status != NP_TILE_OK && r->status != NP_TILE_EMPTY) return;
    out->key = r->content;
    if (!data) return;
    out->status = data->status; // a tile may be empty in one encoding and not in the other
    out->size = data->size;
    if (data->blob) out->data = (np_bin){NULL, (uint32_t)data->blob->size};
}

static void send_note(nd_subscription *sub, const np_tile *tile, nd_blob *blob)
{
    nd_server *server = sub->session->server;
    np_tile_note note = {.subscription = sub->id,
                         .world = sub->world->id,
                         .profile = sub->world->profiles[sub->profile].wire.name,
                         .tile = *tile};
    server->scratch.size = 0;
    if (np_encode_tile_note(&server->scratch, &note) != NAV_OK) {
        nd_session_close(sub->session, "memory");
        return;
    }
    server->stats.tile_notes++;
    if (blob) server->stats.tile_bytes += blob->size;
    nd_session_send(sub->session, server->scratch.data, server->scratch.size, blob);
}

// Sends the tile as it is now. False: the data is not in the cache any more; the tile is on its way again.
static bool send_tile(nd_subscription *sub, nd_sent *s, nd_tile *t, const nd_cached *data)
{
    np_tile tile = {.x = s->x,
                    .z = s->z,
                    .status = NP_TILE_REMOVED,
                    .revision = sub->world->revision,
                    .encoding = sub->encoding,
                    .reason = np_str_of("")};
    bool has_data = t && (t->result.status == NP_TILE_OK || t->result.status == NP_TILE_EMPTY);
    if (has_data && !data) {
        data = nd_cache_get(&sub->session->server->cache, t->result.source, sub->encoding);
        if (!data) {
            if (t->state == ND_TILE_CLEAN)
                (void)nd_scheduler_mark(&sub->world->scheduler, t, sub->world->revision, nd_now_ns(), false);
            nd_builder_kick(&sub->session->server->builder);
            return false;
        }
    }
    if (t) nd_tile_describe(&tile, t, sub->encoding, has_data ? data : NULL);
    s->failed = tile.status == NP_TILE_FAILED;
    if (!s->failed) s->content = has_data ? t->result.content : (nav_key){0, 0};
    send_note(sub, &tile, has_data ? data->blob : NULL);
    return true;
}

void nd_subscription_flush(nd_subscription *sub, const nd_tile *at_hand, const nd_cached *out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_session *session = sub->session;
    while (sub->pending && nd_session_writable(session)) {
        nd_sent *s = sub->pending;
        sub->pending = s->next;
        if (!sub->pending) sub->pending_end = &sub->pending;
        sub->pending_count--;
        s->pending = false;
        nd_tile *t = nd_scheduler_find(&sub->world->scheduler, sub->profile, s->x, s->z);
        if (differs(s, t)) send_tile(sub, s, t, t && t == at_hand ? out : NULL);
        if (session->closing) return; // sub is gone
        if ((!t || t->result.status == NP_TILE_REMOVED) && !s->pending) {
            nd_table_remove(&sub->sent, &s->node);
            session->sent_count--;
            free(s);
        }
    }
}

void nd_subscriptions_publish(nd_world *w, nd_tile *t, const nd_cached *out)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_subscription *sub = w->subscriptions; sub;) {
        nd_session *session = sub->session;
        nd_sent *s = NULL;
        bool has_data = out && !nav_key_is_zero(out[sub->encoding].content_key);
        if (covers(sub, t->profile, t->x, t->z)) {
            nav_status status = NAV_OK;
            if (t->result.status == NP_TILE_REMOVED)
                s = find_sent(sub, t->x, t->z);
            else
                status = make_sent(sub, t->x, t->z, &s);
            if (status != NAV_OK) nd_session_close(session, status == NAV_ERR_LIMIT ? "max_tiles" : "memory");
        }
        if (s && differs(s, t)) {
            queue(sub, s);
            nd_subscription_flush(sub, t, has_data ? &out[sub->encoding] : NULL);
        }
        // A session that closed took its subscriptions along: begin again, what was sent does not differ any more.
        sub = session->closing ? w->subscriptions : sub->next_of_world;
    }
}
