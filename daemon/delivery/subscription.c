// Subscriptions come, move and go: which tiles they are about, and what of them the client lacks at first. What is sent
// is subscription_send.c's.
#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/subscription_work.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/world/changes.h"
#include "daemon/world/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_NOTE_BYTES = 1024 };

// A tile that the client has in some state or other: differs from every tile.
static const nav_key unknown_content = {UINT64_MAX, UINT64_MAX};

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
    double dx = isnan(e->focus[0]) ? 0 : t->x + 0.5 - e->focus[0];
    double dz = isnan(e->focus[1]) ? 0 : t->z + 0.5 - e->focus[1];
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

// On the grid of walls one side is the height, which a focus does not have: NAN, and all heights are as near.
static void to_tiles(const nd_subscription *sub, const double xz[2], double out[2])
{
    const nav_settings *st = &sub->world->profiles[sub->profile].wire.settings;
    const double at[3] = {xz[0] - st->origin_m[0], NAN, xz[1] - st->origin_m[2]};
    double side = (double)st->cell_size_m * st->tile_cells, own[3];
    nav_sheet_to_frame(st->sheet, at, own);
    out[0] = own[0] / side;
    out[1] = own[2] / side;
}

// What a client has of a tile that had everything as it was at `since`: the tile as it is, if it has not changed. Else
// it may have some older state, and must hear of it even if the tile goes before it is sent.
static void believe(nd_sent *s, const nd_tile *t, uint64_t since)
{
    bool is_known = t->result.changed <= since && t->result.status != NP_TILE_PENDING;
    s->content = is_known ? t->result.content : unknown_content;
    s->failed = is_known && t->result.status == NP_TILE_FAILED;
}

// The client may have what was removed since.
static nav_status queue_removed(nd_subscription *sub, uint64_t since)
{
    nav_status status = NAV_OK;
    nd_sent *s;
    for (const nd_removed *r = nd_changes_newest_removed(sub->world); r && r->changed > since && status == NAV_OK;
         r = r->older) {
        if (!nd_subscription_covers(sub, r->profile, r->x, r->z) || nd_sent_find(&sub->sent, r->x, r->z)) continue;
        const nd_tile *t = nd_scheduler_find(&sub->world->scheduler, r->profile, r->x, r->z);
        if (t && t->result.status != NP_TILE_PENDING) continue;
        status = nd_subscription_make_sent(sub, r->x, r->z, &s);
        if (status != NAV_OK) break;
        s->content = unknown_content;
        nd_subscription_queue(sub, s);
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
    // Where `since` does not hold all tiles come, also those that the client names beside it.
    uint32_t known_count = r->has_since && !resumed ? 0 : r->known_count;
    for (uint32_t i = 0; i < known_count; i++) {
        const np_known_tile *k = &r->known[i];
        if (k->sheet != sub->sheet || !nd_subscription_covers(sub, sub->profile, k->x, k->z)) continue;
        status = nd_subscription_make_sent(sub, k->x, k->z, &s);
        if (status != NAV_OK) goto done;
        s->content = k->key;
        if (!nd_scheduler_find(sched, sub->profile, k->x, k->z)) nd_subscription_queue(sub, s);
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
        if (i + ND_SUBSCRIPTION_AHEAD < e.count) expect_tile(e.tiles[i + ND_SUBSCRIPTION_AHEAD].tile);
        s = known_count ? nd_sent_find(&sub->sent, t->x, t->z) : NULL;
        bool named = s;
        if (!named) status = nd_subscription_add_sent(sub, t->x, t->z, &s);
        if (status != NAV_OK) goto done;
        if (resumed && !named) believe(s, t, r->since);
        if (nd_sent_differs(&sub->sent, s, t)) nd_subscription_queue(sub, s);
    }
    if (resumed) status = queue_removed(sub, r->since);
done:
    free(e.tiles);
    return status;
}

static nav_status focus_part(nd_subscription *part, const double xz[2])
{
    double at[2];
    to_tiles(part, xz, at);
    nav_status s = nd_scheduler_set_focus(&part->world->scheduler, part->id, part->profile, at[0], at[1]);
    if (s != NAV_OK) return s;
    part->has_focus = true;
    memcpy(part->focus, xz, sizeof part->focus);
    return NAV_OK;
}

static void destroy_part(nd_subscription *sub)
{
    nd_subscription **at = &sub->session->subscriptions;
    while (*at != sub) at = &(*at)->next_of_session;
    *at = sub->next_of_session;
    at = &sub->world->subscriptions;
    while (*at != sub) at = &(*at)->next_of_world;
    *at = sub->next_of_world;
    sub->session->subscription_count -= sub->lead == sub;
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

static void destroy_other_parts(nd_subscription *lead)
{
    while (lead->next_part) {
        nd_subscription *part = lead->next_part;
        lead->next_part = part->next_part;
        destroy_part(part);
    }
}

// lead: whose part it is; NULL: it is a lead. Where it fails nothing is left of it.
static nav_status create_part(nd_delivery *d, nd_session *session, nd_world *world, uint32_t profile,
                              const np_tiles_subscribe_request *r, nd_subscription *lead, bool *resumed,
                              nd_subscription **out)
{
    nd_subscription *sub = calloc(1, sizeof *sub);
    if (!sub) return NAV_ERR_MEMORY;
    sub->id = d->next_subscription++;
    sub->lead = lead ? lead : sub;
    sub->delivery = d;
    sub->session = session;
    sub->world = world;
    sub->profile = profile;
    sub->sheet = world->profiles[profile].wire.settings.sheet;
    sub->sheets = r->sheets ? r->sheets : NAV_SHEETS_ALL;
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
    session->subscription_count += !lead;
    sub->next_of_world = world->subscriptions;
    world->subscriptions = sub;
    world->profiles[profile].wanted[sub->encoding]++;
    nav_status s = r->has_focus ? focus_part(sub, r->focus) : NAV_OK;
    *resumed = r->has_since && nd_changes_reach_back(world, r->since) &&
               r->since >= world->profiles[profile].wire.grid; // else x and z meant other places
    if (s == NAV_OK) s = queue_existing(sub, r, *resumed);
    if (s != NAV_OK) {
        destroy_part(sub);
        return s;
    }
    *out = sub;
    return NAV_OK;
}

static bool has_part(const nd_subscription *lead, nav_sheet sheet)
{
    while (lead && lead->sheet != sheet) lead = lead->next_part;
    return lead;
}

// Those for the slots of the profile that are asked for and have none yet.
static nav_status add_parts(nd_subscription *lead, const np_tiles_subscribe_request *r)
{
    nd_world *w = lead->world;
    nd_subscription *part;
    bool resumed;
    nav_status s = NAV_OK;
    for (int sheet = NAV_SHEET_COUNT; sheet-- > 0 && s == NAV_OK;) {
        if (!(lead->sheets >> sheet & 1) || has_part(lead, (nav_sheet)sheet)) continue;
        uint32_t slot = nd_world_find_sheet(w, w->profiles[lead->profile].wire.name, (nav_sheet)sheet);
        if (slot == UINT32_MAX) continue;
        s = create_part(lead->delivery, lead->session, w, slot, r, lead, &resumed, &part);
        if (s != NAV_OK) break;
        part->next_part = lead->next_part;
        lead->next_part = part;
    }
    return s;
}

nav_status nd_subscription_create(nd_delivery *d, nd_session *session, nd_world *world, uint32_t profile,
                                  const np_tiles_subscribe_request *r, bool *resumed, nd_subscription **out)
{
    ND_ASSERT_LOOP_THREAD();
    nav_status s = create_part(d, session, world, profile, r, NULL, resumed, out);
    if (s != NAV_OK || world->profiles[profile].wire.settings.sheets == NAV_SHEETS_UP) return s;
    s = add_parts(*out, r);
    if (s != NAV_OK) nd_subscription_destroy(*out);
    return s;
}

nav_status nd_subscription_regroup(nd_subscription *lead, uint32_t first)
{
    ND_ASSERT_LOOP_THREAD();
    const np_tiles_subscribe_request r = {.sheets = lead->sheets,
                                          .encoding = lead->encoding,
                                          .compression = lead->compression,
                                          .has_bounds = lead->has_bounds,
                                          .min = {lead->min[0], lead->min[1]},
                                          .max = {lead->max[0], lead->max[1]},
                                          .has_focus = lead->has_focus,
                                          .focus = {lead->focus[0], lead->focus[1]},
                                          .build = lead->watch_only ? NP_BUILD_WATCHED : NP_BUILD_ALL,
                                          .has_margin = true,
                                          .margin_m = lead->margin_m};
    for (nd_subscription *part = lead; part; part = part->next_part) {
        const nd_world *w = part->world;
        uint32_t slot = nd_world_find_sheet(w, w->profiles[first].wire.name, part->sheet);
        part->is_gone = slot == UINT32_MAX;
        nd_subscription_move(part, part->is_gone ? first : slot);
    }
    return add_parts(lead, &r);
}

void nd_subscription_move(nd_subscription *part, uint32_t to)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world *w = part->world;
    w->profiles[part->profile].wanted[part->encoding]--;
    w->profiles[to].wanted[part->encoding]++;
    part->profile = to;
    part->regrid = w->revision;
    part->sent.grid++;
    nd_subscription_measure(part);
}

void nd_subscription_destroy(nd_subscription *sub)
{
    ND_ASSERT_LOOP_THREAD();
    nd_subscription *lead = sub->lead;
    destroy_other_parts(lead);
    destroy_part(lead);
}

void nd_subscription_end(nd_subscription *sub, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    nd_session *session = sub->session;
    np_ended_note note = {.subscription = sub->lead->id, .world = sub->world->id, .reason = np_str_of(reason)};
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
    while (sub && (sub->id != id || sub->lead != sub)) sub = sub->next_of_session;
    return sub;
}

nd_subscription *nd_subscription_next_of_session(const nd_session *s, const nd_subscription *lead)
{
    nd_subscription *next = lead ? lead->next_of_session : s->subscriptions;
    while (next && next->lead != next) next = next->next_of_session;
    return next;
}

nd_subscription *nd_subscription_next_of_world(const nd_world *w, const nd_subscription *lead)
{
    nd_subscription *next = lead ? lead->next_of_world : w->subscriptions;
    while (next && next->lead != next) next = next->next_of_world;
    return next;
}

nav_status nd_subscription_focus(nd_subscription *lead, const double xz[2])
{
    nav_status s = NAV_OK;
    for (nd_subscription *part = lead; part && s == NAV_OK; part = part->next_part)
        if (!part->is_gone) s = focus_part(part, xz);
    return s;
}

static void measure_bounds(nd_subscription *sub)
{
    static const nd_watch no_tile = {.last = {-1, -1}, .margin_last = {-1, -1}};
    nd_world *world = sub->world;
    const double *min = sub->has_bounds ? sub->min : NULL;
    nd_watch *w = &sub->watch;
    nd_scheduler_remove_watch(&world->scheduler, w);
    nd_world_tiles_of(world, sub->profile, min, sub->max, 0, w->first, w->last);
    nd_world_tiles_of(world, sub->profile, min, sub->max, sub->margin_m, w->margin_first, w->margin_last);
    if (sub->is_gone) *w = no_tile;
    w->profile = sub->profile;
    nd_scheduler_add_watch(&world->scheduler, w, nd_now_ns());
}

void nd_subscription_measure(nd_subscription *sub)
{
    measure_bounds(sub);
    double at[2];
    to_tiles(sub, sub->focus, at);
    if (sub->is_gone)
        nd_scheduler_remove_focus(&sub->world->scheduler, sub->id);
    else if (sub->has_focus) // it moves one that is there, which takes no memory
        (void)(nd_scheduler_set_focus(&sub->world->scheduler, sub->id, sub->profile, at[0], at[1]) == NAV_OK);
}

// --- other bounds ---

// Takes what is outside out of those that are to be sent.
static void drop_pending_outside(nd_subscription *sub)
{
    nd_sent **at = &sub->pending;
    while (*at) {
        nd_sent *s = *at;
        if (nd_subscription_covers(sub, sub->profile, s->x, s->z)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->pending = false;
        sub->pending_count--;
    }
    sub->pending_end = at;
}

// Those that are asked for at the disk go when they have come.
static void drop_outside(void *user, nd_node *n)
{
    nd_subscription *sub = user;
    nd_sent *s = ND_HOLDER(n, nd_sent, node);
    if (!s->fetching && !nd_subscription_covers(sub, sub->profile, s->x, s->z)) nd_subscription_drop_sent(sub, s);
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
    e->status = nd_subscription_add_sent(e->sub, t->x, t->z, &s);
    if (e->status == NAV_OK && nd_sent_differs(&e->sub->sent, s, t)) nd_subscription_queue(e->sub, s);
}

static nav_status set_bounds(nd_subscription *sub, const double min[2], const double max[2], const double *margin_m)
{
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

nav_status nd_subscription_set_bounds(nd_subscription *lead, const double min[2], const double max[2],
                                      const double *margin_m)
{
    ND_ASSERT_LOOP_THREAD();
    nav_status s = NAV_OK;
    for (nd_subscription *part = lead; part && s == NAV_OK; part = part->next_part)
        s = set_bounds(part, min, max, margin_m);
    return s;
}
