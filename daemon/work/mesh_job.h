// Turns received bytes into a mesh: checks the hash, copies, builds the index. On a worker, and there in its helper
// process (mesh_call.h): the geometry comes from strangers. Small meshes go in chains, as handing one over takes longer
// than making it. The bytes move: filled on the loop thread, owned by the job after, and still in it when it has run.
#ifndef ND_MESH_JOB_H
#define ND_MESH_JOB_H

#include "core/geometry/mesh.h"
#include "daemon/work/workers.h"
#include "protocol/messages.h"

#include <stdbool.h>

typedef struct nd_mesh_job {
    nd_task task;             // of the first of a chain
    struct nd_mesh_job *next; // in the chain
    nav_buffer bytes; // vertices, then triangles, little-endian, then areas where it has them; or a height grid's
    uint32_t vertices, triangles;
    np_mesh_form form;
    bool has_hash;
    nav_key hash;                  // what it must be
    const nav_mesh_memory *memory; // where the mesh goes, shared with helpers; NULL: the heap
    // Whose it is:
    void *owner;
    uint64_t session;
    struct nd_namespace *space; // that has sent it
    uint32_t request;
    // Out:
    nav_status status; // NAV_ERR_ARGUMENT: another hash; NAV_ERR_FORMAT: an area that no triangle may have;
                       // NAV_ERR_CRASHED, NAV_ERR_TIMEOUT: the helper died of it, and `hash` is set
    uint32_t bad_area; // NAV_ERR_FORMAT: the triangle
    char why[160];     // NAV_ERR_FORMAT of a height grid: what is wrong
    int signal;        // NAV_ERR_CRASHED
    nav_mesh *mesh;
    // Of its call in a helper (mesh_call.h):
    uint8_t *words;
    void *block;
} nd_mesh_job;

enum { ND_MESH_SMALL_BYTES = 32768 }; // smaller ones take less than a millisecond

// On the calling thread, without a helper, and no others of its chain.
void nd_mesh_job_run(nd_mesh_job *j);
// The same from bytes with the machine's own order, aligned to 4; j->bytes stay out of it.
void nd_mesh_job_index(nd_mesh_job *j, const uint8_t *words);
// Writes those.
void nd_mesh_job_get_words(const nd_mesh_job *j, uint8_t *out);
// Any failure in the words of an answer. key: of the message's areas.
nav_status nd_mesh_job_refuse(const nd_mesh_job *j, const char *key, np_error *err);
// As the pool calls it: the whole chain.
void nd_mesh_job_run_task(nd_task *task, nd_worker *worker);
void nd_mesh_job_destroy(nd_mesh_job *j); // not its chain; accepts NULL

#endif
