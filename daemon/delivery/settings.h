// A profile has other settings, another grid, or is gone: what its subscriptions are told. Loop thread only.
#ifndef ND_SETTINGS_H
#define ND_SETTINGS_H

#include "daemon/delivery/delivery.h"
#include "daemon/world/profile_change.h"

// The change has just been applied, and none of its tiles marked.
void nd_settings_tell(nd_delivery *d, nd_world *w, const nd_profile_change *change);

#endif
