// DESIGN. What a navd with --farm has of it: the connection, who else is there, and, in a daemon, the coordinator,
// which gives tiles away and takes them back (coordinator.h). Without --farm there is none, and nothing of this runs.
//
//     bus ──► peers: beats of workers, daemons, replicas      (peers.h)
//      │ ├──► mesh_share: meshes that jobs name               (mesh_share.h)
//      │ └──► coordinator ◄──► builder                        (coordinator.h, work/away.h)
//      └────► whoever else listens: nd_farm_watch()           (worker, replica)
//
// Loop thread only.
#ifndef ND_FARM_H
#define ND_FARM_H

#include "daemon/bus/bus.h"
#include "daemon/config/config.h"
#include "daemon/farm/coordinator.h"
#include "daemon/farm/mesh_share.h"
#include "daemon/farm/names.h"
#include "daemon/farm/peers.h"

// Hears of the server. Its owner's memory, as long as the farm.
typedef struct nd_farm_watch {
    struct nd_farm_watch *next;
    void (*on_state)(void *user, bool up); // the streams of jobs, tiles and meshes are there from `up` on
    void *user;
} nd_farm_watch;

// What a daemon has for it; borrowed.
typedef struct nd_farm_parts {
    nd_builder *builder;
    nd_workers *workers;
    nd_mesh_store *meshes;
    nd_writer *writer;   // where bytes of meshes lie that are not in memory; NULL: nowhere
    unsigned mesh_table; // of it
} nd_farm_parts;

typedef struct nd_farm {
    uv_loop_t *loop;
    const nd_config *config;   // borrowed
    const char *name;          // --farm-name
    char id[ND_FARM_ID_BYTES]; // of this process
    nd_bus *bus;
    nd_peers peers;
    nd_mesh_share *meshes;       // NULL until nd_farm_coordinate()
    nd_coordinator *coordinator; // likewise
    nd_farm_watch *watches;
    bool up;      // the server is there, and so are its streams
    bool closing; // no task begins
    bool ensuring, wants_streams;
    unsigned ticks;
    char host[65];    // this machine, for people
    uv_timer_t clock; // a beat a second, and streams that could not be made are tried again
    uint64_t began_ns;
    char trouble[256]; // why its streams could not be made; "": they could
} nd_farm;

// Connects by itself, sooner or later. NULL in *out where the configuration names no farm. NAV_ERR_ARGUMENT with one
// sentence, NAV_ERR_MEMORY, NAV_ERR_IO.
NAV_MUST_USE nav_status nd_farm_create(uv_loop_t *loop, const nd_config *config, char *why, size_t why_bytes,
                                       nd_farm **out);
// A daemon: background tiles may be given away from now on. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_farm_coordinate(nd_farm *f, const nd_farm_parts *parts);
// Told at once where the server is there already.
void nd_farm_add_watch(nd_farm *f, nd_farm_watch *watch);
// No tile is away any more, and the builder knows nothing of the farm. Before the builder and the workers close.
// Accepts NULL.
void nd_farm_close(nd_farm *f);
void nd_farm_destroy(nd_farm *f); // after the loop has ended; accepts NULL

#endif
