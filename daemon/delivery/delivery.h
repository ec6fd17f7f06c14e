// DESIGN. What clients are told without asking again, and when:
//
//     a tile is finished ──► subscription.h   tiles, of each the newest state
//                        ──► sync.h           up to which revision a subscription has everything
//                        ──► waiters.h        jobs.wait is answered
//                        ──► progress.h       how many tiles are done, ten times a second
//
// Loop thread only.
#ifndef ND_DELIVERY_H
#define ND_DELIVERY_H

#include "daemon/cache/unpacker.h"
#include "daemon/session/session.h"
#include "daemon/work/builder.h"

typedef struct nd_delivery {
    nd_sessions *sessions; // borrowed, as is all up to disk
    nd_worlds *worlds;
    nd_builder *builder;
    nd_cache *cache;
    nd_tile_cache *disk; // NULL: none

    uint64_t next_subscription;
    bool sync_due; // some world has its sync_due set
    uv_timer_t progress;
    uint64_t tile_notes, tile_bytes; // sent
    nd_unpacker unpacker;            // for those that want tiles uncompressed
} nd_delivery;

// The members up to `disk` are set.
void nd_delivery_init(nd_delivery *d);
void nd_delivery_close(nd_delivery *d); // its handle; nothing is delivered any more

// A tile of a world is finished. out: its data by encoding, or NULL.
void nd_delivery_publish(nd_delivery *d, nd_world *w, nd_tile *t, const nd_cached *out);
// One is open no longer, but has nothing new.
void nd_delivery_pass(nd_delivery *d, nd_world *w);
// A session's output has drained: what waited for that is sent.
void nd_delivery_go_on(nd_delivery *d, nd_session *s);
// A session has ended: its subscriptions and waits go.
void nd_delivery_leave(nd_delivery *d, nd_session *s);
// A world is about to be deleted: its subscriptions end, its waits are cancelled, and their clients are told.
void nd_delivery_end_world(nd_delivery *d, nd_world *w);

#endif
