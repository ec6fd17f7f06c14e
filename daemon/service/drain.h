// DESIGN. An end without loss. Nobody new comes in, no further call is read, no further tile is begun; every client is
// told (`bye`). What was begun is finished: tiles at the workers, meshes that are being indexed, edits that wait to be
// durable, output that clients have not read. Then, or when drain_s are over, everything closes. Loop thread only.
#ifndef ND_DRAIN_H
#define ND_DRAIN_H

#include "daemon/service/service.h"

// Once; not while the server stops already.
void nd_drain_begin(nd_service *s);

#endif
