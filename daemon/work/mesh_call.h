// Private to mesh_job.c: a chain of jobs in a helper process (helper.h). Small meshes are made in its mailbox, large
// ones in the shared memory where they stay: the helper makes that one block writable for itself.
//
//     bytes ──copy──► mailbox  ──► helper: index ──► mailbox ──copy──► mesh
//     bytes ──copy──► a block  ──► helper: index ──► a block = mesh
//
// The daemon takes nothing but numbers of what the helper made (nav_mesh_adopt).
#ifndef ND_MESH_CALL_H
#define ND_MESH_CALL_H

#include "daemon/work/helper.h"
#include "daemon/work/mesh_job.h"

// The worker thread's. A mesh that the helper dies of is tried once more; then its status is NAV_ERR_CRASHED, or
// NAV_ERR_TIMEOUT at once for one that does not return. The others of the chain do not notice.
void nd_mesh_call(nd_mesh_job *first, nd_helper *h);

#endif
