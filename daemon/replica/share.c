#include "daemon/replica/share.h"

bool nd_replica_share_meshes(nd_mesh_share *share, nd_mesh_store *meshes, const char *space, const nav_key *hashes,
                             uint32_t count)
{
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        const nd_shared_state state = nd_mesh_share_state(share, space, hashes[i]);
        nd_mesh *mesh = state == ND_SHARE_THERE ? NULL : nd_mesh_store_find(meshes, &hashes[i]);
        if (!mesh || mesh->state == ND_MESH_LOST) continue; // what used it is gone, too, or cannot be built here either
        all = false;
        if (state == ND_SHARE_UNKNOWN && nd_mesh_share_put(share, space, mesh) != NAV_OK) return false;
    }
    return all;
}
