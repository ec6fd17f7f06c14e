// Who asked for work: a session, as the scheduler and the reports see it. It outlives its session where tiles still
// name it as the one who dirtied them. Loop thread only.
#ifndef ND_CALLER_H
#define ND_CALLER_H

#include "daemon/schedule/fairness.h"
#include "protocol/messages.h"

enum { ND_CALLER_NAME_BYTES = 64 };

// Interactive: an edit that touches few tiles, whose author waits for them. Background: first builds, whole worlds.
typedef enum nd_class { ND_INTERACTIVE, ND_BACKGROUND, ND_CLASSES } nd_class;

enum { ND_SHARE_WORLD, ND_SHARE_BUILDS }; // nd_share.kind: its owner is an nd_world, or an nd_caller

typedef struct nd_caller {
    unsigned refs;
    uint64_t session;                     // its id; sessions' ids are not used again
    char client[ND_CALLER_NAME_BYTES];    // as it said in hello
    char principal[ND_CALLER_NAME_BYTES]; // who it is; "" where nobody asked
    uint32_t weight;
    bool gone; // the session has closed
    // The builder's: its calls of tiles.build.
    nd_share builds[ND_CLASSES];
} nd_caller;

// NULL: no memory.
nd_caller *nd_caller_create(uint64_t session);
nd_caller *nd_caller_ref(nd_caller *c); // accepts NULL, the daemon itself
void nd_caller_unref(nd_caller *c);     // accepts NULL
// Before its first work.
void nd_caller_set_priority(nd_caller *c, np_priority p);
// Cut to fit, at a whole character; a client may call itself anything.
void nd_caller_set_name(char out[ND_CALLER_NAME_BYTES], np_str name);

#endif
