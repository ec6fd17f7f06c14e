// DESIGN. Who gets which tiles. A subscription remembers for each of its tiles what it sent last (the content key
// and whether it was a failure) and whether the tile has changed since. A changed tile is in the queue once, however
// often it changes; the newest state is looked up and sent when the session can take more. So a slow reader skips
// states, costs a few words per tile, and never gets the same tile twice in a row. A tile whose data is no longer in
// memory is fetched from the disk, some at a time; only if that fails is it built again. Loop thread only.
#ifndef ND_SUBSCRIPTION_H
#define ND_SUBSCRIPTION_H

#include "daemon/delivery/delivery.h"
#include "daemon/delivery/sent.h"

// A profile has a slot for each of its sheets (world/profiles.h), and a subscription to it a part for each slot that it
// asked for, which sends that sheet's tiles. The lead is the part that was made first. It has the client's number, and
// tells what is said once: settings, areas, progress, synced. Where agents stand on floors the lead is all there is.
typedef struct nd_subscription {
    uint64_t id;
    struct nd_subscription *lead, *next_part; // the lead of the lead is itself
    nav_sheet sheet;
    bool is_gone; // the profile has no such sheet any more: what the client has of it is `removed`. Its slot is
                  // another's
    nd_delivery *delivery;
    nd_session *session;
    nd_world *world;
    uint32_t profile;
    uint32_t sheets; // that are asked for, as bits; the profile need not have all
    np_encoding encoding;
    np_compression compression; // none: tiles are unpacked as they go out, a few microseconds each
    bool has_bounds, has_focus;
    double min[2], max[2], focus[2]; // x z, as the client gave them
    double margin_m;
    nd_watch watch;             // of the tiles that these are
    bool watch_only;            // its world builds only what is watched
    bool settings_due;          // the lead's: the client is still to be told of other settings, before any tile
    uint64_t settings_revision; // of those
    uint64_t regrid;            // the revision whose tiles take the place of those of an older grid; 0: none
    uint64_t areas_told;        // version of the table of areas that the client has
    nd_sent_table sent;
    nd_sent *pending, **pending_end;
    size_t pending_count;
    size_t awaited;    // tiles whose data is being made again; they are neither pending nor sent
    size_t fetching;   // tiles whose data comes from the disk; they are neither pending nor sent
    size_t note_bytes; // of a tile from the disk, as those that came last
    bool synced_once;  // the client was told up to which revision it has everything: `synced`
    uint64_t synced;
    struct nd_subscription *next_of_session, *next_of_world;
} nd_subscription;

// DESIGN of bounds: tiles in the bounds are the subscription's; in a world that builds only what is watched, those and
// a margin around them are built for it (schedule/watch.h).
//
// The request has been checked; profile: the first slot of those that it asks for. Queues what exists already and
// differs from what the client knows; flush sends it. resumed: what the client has by r->since is believed, only what
// changed later is sent. NAV_ERR_MEMORY, NAV_ERR_LIMIT (max_tiles for the session's subscriptions together).
NAV_MUST_USE nav_status nd_subscription_create(nd_delivery *d, nd_session *session, nd_world *world, uint32_t profile,
                                               const np_tiles_subscribe_request *r, bool *resumed,
                                               nd_subscription **out);
// With all of its parts.
void nd_subscription_destroy(nd_subscription *sub);
// The same, and tells the client: the note `ended`.
void nd_subscription_end(nd_subscription *sub, const char *reason);
// The lead by the client's number; NULL: there is none.
nd_subscription *nd_subscription_find(nd_session *s, uint64_t id);
// The lead that comes behind one in the list of its session, or of its world; from NULL: the first.
nd_subscription *nd_subscription_next_of_session(const nd_session *s, const nd_subscription *lead);
nd_subscription *nd_subscription_next_of_world(const nd_world *w, const nd_subscription *lead);
// Of a lead: all parts look there.
NAV_MUST_USE nav_status nd_subscription_focus(nd_subscription *lead, const double xz[2]);
// The profile has other sheets, in other slots; `first` is one that the subscription asks for. NAV_ERR_MEMORY,
// NAV_ERR_LIMIT: it has not all of its parts; end it.
NAV_MUST_USE nav_status nd_subscription_regroup(nd_subscription *lead, uint32_t first);
// A part's tiles are those of another slot: another grid.
void nd_subscription_move(nd_subscription *part, uint32_t to);
// Its bounds and focus, counted in the tiles that its profile has now. The focus has its place already, if any.
void nd_subscription_measure(nd_subscription *sub);
// Of a lead. It has other bounds from now on, with the margin that it had or another one. Queues the tiles that are new
// to it, and forgets those that are outside now. NAV_ERR_MEMORY, NAV_ERR_LIMIT: it has the new bounds, but not all of
// their tiles; end it.
NAV_MUST_USE nav_status nd_subscription_set_bounds(nd_subscription *lead, const double min[2], const double max[2],
                                                   const double *margin_m);

// Tells all subscriptions of the world that a tile is finished, and sends what can be sent. out: its data by encoding,
// or NULL.
void nd_subscriptions_publish(nd_world *w, nd_tile *t, const nd_cached *out);
// Sends a part's pending tiles while the session takes them. out: the data of `at_hand`, which need not be looked up.
void nd_subscription_flush(nd_subscription *part, const nd_tile *at_hand, const nd_cached *out);
// Those of all parts of a lead.
void nd_subscription_flush_all(nd_subscription *lead);

// All tiles of a new grid are there: what the client has of the older one and the new one lacks is `removed`.
void nd_subscriptions_end_regrid(nd_world *w);

// Runs have been given up: those that a subscription waits for, as it does not have the tile, start again. How many.
size_t nd_subscriptions_insist(nd_world *w);

#endif
