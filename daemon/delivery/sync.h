// Tells clients up to which revision they have everything of a subscription: the notification `synced`. Checked once
// at the end of a turn for the worlds where something happened: a tile finished, an edit, a commit (world->durable),
// a new subscription, output that drained. Loop thread only.
#ifndef ND_SYNC_H
#define ND_SYNC_H

#include "daemon/delivery/delivery.h"

// Something moved in this world.
void nd_sync_due(nd_delivery *d, nd_world *w);
// The end of a turn.
void nd_sync_tell(nd_delivery *d);

#endif
