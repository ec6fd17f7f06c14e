// Who else is on the farm: workers, daemons and replicas, by the beats that they send once a second (beat.h). Who was
// not heard of for some seconds is gone. Loop thread only.
#ifndef ND_PEERS_H
#define ND_PEERS_H

#include "daemon/bus/bus.h"
#include "daemon/farm/beat.h"

#include "core/base/buffer.h"

enum { ND_PEER_TEXT = 65, ND_PEERS = 4096 };
#define ND_PEER_GONE_NS UINT64_C(3500000000)

typedef struct nd_farm_peer {
    struct nd_farm_peer *next;
    nd_beat beat; // its strings are those below
    char name[ND_PEER_TEXT], version[ND_PEER_TEXT];
    uint64_t seen_ns;
} nd_farm_peer;

typedef struct nd_peers {
    nd_bus *bus;
    nd_bus_ear *ear;
    nd_farm_peer *list; // at most ND_PEERS of them
    size_t count;
    uint32_t ready; // jobs that the workers of this generator version take at a time, all together
    uint32_t threads;
    size_t workers;                // of this generator version
    void (*on_change)(void *user); // `ready` has changed; NULL: nobody asks
    void *user;
} nd_peers;

// Listens from now on, on NAME.beat.*. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_peers_open(nd_peers *p, nd_bus *bus, const char *farm);
// Forgets who is gone. Call about once a second.
void nd_peers_look(nd_peers *p, uint64_t now_ns);
void nd_peers_hear(nd_peers *p, const void *bytes, size_t count, uint64_t now_ns); // a beat
void nd_peers_close(nd_peers *p);                                                  // accepts a zeroed one

#endif
