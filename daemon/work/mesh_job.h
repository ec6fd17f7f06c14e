// Turns received bytes into a mesh: checks the hash, copies, builds the index. Small ones on the loop at once, large
// ones on a worker. The bytes move: filled on the loop thread, owned by the job after, and still in it when it has run.
#ifndef ND_MESH_JOB_H
#define ND_MESH_JOB_H

#include "core/geometry/mesh.h"
#include "daemon/work/workers.h"
#include "protocol/messages.h"

#include <stdbool.h>

typedef struct nd_mesh_job {
    nd_task task;
    nav_buffer bytes; // vertices, then triangles, little-endian, then areas where it has them
    uint32_t vertices, triangles;
    bool has_areas;
    bool has_hash;
    nav_key hash;                  // what it must be
    const nav_mesh_memory *memory; // where the mesh goes; NULL: the heap
    // Whose it is:
    void *owner;
    uint64_t session;
    struct nd_namespace *space; // that has sent it
    uint32_t request;
    // Out:
    nav_status status; // NAV_ERR_ARGUMENT: another hash; NAV_ERR_FORMAT: an area that no triangle may have
    uint32_t bad_area; // NAV_ERR_FORMAT: the triangle
    nav_mesh *mesh;
} nd_mesh_job;

enum { ND_MESH_INLINE_BYTES = 32768 }; // smaller ones take less than a millisecond

void nd_mesh_job_run(nd_mesh_job *j);
// NAV_ERR_FORMAT in the words of an answer: the message's key, the triangle and its area.
nav_status nd_mesh_job_refuse_area(const nd_mesh_job *j, const char *key, np_error *err);
// As the pool calls it.
void nd_mesh_job_run_task(nd_task *task, nd_worker *worker);
void nd_mesh_job_destroy(nd_mesh_job *j); // accepts NULL

#endif
