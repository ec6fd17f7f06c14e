// The SHA-256 of meshes, for clients that cannot compute the hash by which meshes are known here. It costs a fifth of
// what a mesh costs to index, so it is computed only when such a client asks, once a mesh, on a worker.
//
//     mesh.have with SHA-256 that are not known ──► meshes without one ──► worker: digests ──► mesh store, answer
//
// The loop thread creates a job and gets it back in task.done(); in between it is the worker's. The sources of meshes
// do not change, and the job holds the meshes.
#ifndef ND_DIGEST_JOB_H
#define ND_DIGEST_JOB_H

#include "daemon/work/workers.h"
#include "daemon/world/mesh_store.h"

typedef struct nd_digest_job {
    nd_task task; // done() is the owner's
    void *owner;
    uint64_t session;
    uint32_t request;
    size_t count;
    nd_mesh **meshes;
    np_digest *digests;         // out
    np_mesh_have_request asked; // a copy; its lists lie behind the job
} nd_digest_job;

// Of the meshes that are visible in the namespace and have no digest yet, where their bytes are in memory.
// *unread: how many of them are still on their way from the disk. NULL: no memory.
nd_digest_job *nd_digest_job_create(const nd_mesh_store *s, const nd_namespace *space,
                                    const np_mesh_have_request *asked, size_t *unread);
// Tells the store what came out. NAV_ERR_MEMORY: not of all.
NAV_MUST_USE nav_status nd_digest_job_file(nd_digest_job *j, nd_mesh_store *s);
void nd_digest_job_destroy(nd_digest_job *j); // accepts NULL

#endif
