// DESIGN. A stop without loss. No new connections, no further calls, no further tiles; every client is told (`bye`).
// What was started is finished: tiles at the workers, meshes that are being indexed, edits that wait to be durable,
// output that clients have not read. Then, or after drain_s, everything closes. Loop thread only.
#ifndef ND_DRAIN_H
#define ND_DRAIN_H

#include "daemon/service/service.h"

// Once; not while the server stops already.
void nd_drain_begin(nd_service *s);

#endif
