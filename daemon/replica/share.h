// Meshes that an entry or a state names are in the farm before it. Loop thread only.
#ifndef ND_REPLICA_SHARE_H
#define ND_REPLICA_SHARE_H

#include "daemon/farm/mesh_share.h"

// Sees to it; true: all are there. Else the share's on_put tells, or it is tried again a moment later. One that cannot
// be had here, as it is gone or lost, holds nothing up.
bool nd_replica_share_meshes(nd_mesh_share *share, nd_mesh_store *meshes, const char *space, const nav_key *hashes,
                             uint32_t count);

#endif
