// What the farm has of a log: who writes it, of which worlds it has anything, how far it goes. Makes the streams where
// there are none. Loop thread only.
#ifndef ND_REPLICA_LISTING_H
#define ND_REPLICA_LISTING_H

#include "daemon/bus/bus.h"
#include "daemon/replica/entry.h"
#include "daemon/replica/subjects.h"

typedef struct nd_listed_world {
    char space[ND_SPACE_BYTES];
    uint64_t world;
} nd_listed_world;

typedef struct nd_replica_list {
    nav_status status;
    char why[200];
    bool has_leader;
    nd_leader_note leader;
    uint64_t leader_sequence; // of that note in the log
    uint64_t last;            // sequence of the log
    nd_listed_world *worlds;  // that have a state, or entries
    size_t world_count;
} nd_replica_list;

// done gets it, and frees it with nd_replica_list_destroy(). *handle: for nd_replica_list_forget(), until done.
typedef struct nd_list_task nd_list_task;
NAV_MUST_USE nav_status nd_replica_list_start(nd_bus *bus, const char *farm,
                                              void (*done)(void *user, nd_replica_list *list), void *user,
                                              nd_list_task **handle);
void nd_replica_list_forget(nd_list_task *task); // there is no done. Accepts NULL
void nd_replica_list_destroy(nd_replica_list *list);

#endif
