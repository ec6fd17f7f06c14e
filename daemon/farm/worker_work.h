// Private to worker*.c.
//
//     worker.c          life, clock, beats, what is void
//     worker_intake.c   the consumer, pulling, acknowledging
//     worker_job.c      a job, until its tiles are built
//     worker_answer.c   what becomes of them: pack, notice, ack
#ifndef ND_FARM_WORKER_WORK_H
#define ND_FARM_WORKER_WORK_H

#include "daemon/farm/area_job.h"
#include "daemon/farm/beat.h"
#include "daemon/farm/mesh_share.h"
#include "daemon/farm/pack_place.h"
#include "daemon/farm/worker.h"
#include "daemon/work/batch.h"

enum { ND_JOB_REPLY_BYTES = 256, ND_JOB_MOST_BEGUN = 2, ND_WORKER_JOBS = 64 };

typedef struct nd_farm_job nd_farm_job;

struct nd_farm_worker {
    nd_farm_worker_options o;
    uv_timer_t clock; // once a second
    uint64_t began_ns, drained_ns;
    bool closed, draining, told_idle;
    unsigned refs; // the owner's, the clock's, and one of each job and task
    nd_mesh_share *share;
    nd_caller *caller;
    nd_farm_job *jobs; // the oldest first
    unsigned job_count, max_jobs;
    // Intake.
    char inbox[ND_SUBJECT_BYTES], consumer[32];
    nd_bus_ear *jobs_ear, *void_ear;
    bool up, ready, preparing;         // the streams and the consumer are there; somebody looks after that
    unsigned asked;                    // requests for a job that are not answered yet
    uint64_t asked_ns[ND_WORKER_JOBS]; // when, the oldest first
    nd_farm_worker_stats stats;
};

struct nd_farm_job {
    nd_bus_task task; // the look-up, then the answer
    nd_farm_job *next;
    nd_farm_worker *worker;
    char reply[ND_JOB_REPLY_BYTES]; // where it is acknowledged
    char space[ND_SPACE_BYTES];     // token
    nd_namespace *of;               // that space
    nd_area_job area;
    nd_pack_place place;
    uint64_t signed_ns; // the last sign of life
    bool ending, voided;
    bool busy; // the task is in a lane
    // What it is built from.
    nd_mesh **meshes; // references; NULL: on its way
    uint32_t missing; // so many are
    bool looked_up;
    nd_wanted *found; // by the job's tiles: what the area's pack had. The lane's while `busy`
    // What is built.
    nd_batch *batch;
    uint32_t *batch_tiles; // of the job, by the batch's
    // The answer. The lane's while `busy`.
    nd_stored_tile *tiles;
    uint32_t tile_count;
    nav_buffer notice;
    unsigned tries;
    bool send_again;
    nav_status status;
};

// --- worker_intake.c ---

// The streams, the consumer and the subscriptions, where they are not there; then jobs, as many as there is room for.
void nd_intake_go_on(nd_farm_worker *w);
void nd_intake_stop(nd_farm_worker *w);
void nd_intake_acknowledge(nd_farm_worker *w, const char *reply, const char *word); // "+ACK", "+WPI", "-NAK"
// How often a message has been given out, as its reply subject says. 0: that is no such subject.
unsigned nd_intake_delivered(const char *reply);

// --- worker_job.c ---

// A message of the stream.
void nd_job_begin(nd_farm_worker *w, const nd_bus_message *m);
// on_got of the share.
void nd_job_take_mesh(void *worker, nd_namespace *space, nav_key hash, nav_status status, nd_mesh *mesh);
// Nobody needs it any more, or the worker closes.
void nd_job_cancel(nd_farm_job *j);
// Ends it, however far it is: it is not in a lane, and nothing of it is at the workers.
void nd_job_destroy(nd_farm_job *j);

// --- worker_answer.c ---

// All tiles are found or built.
void nd_job_answer(nd_farm_job *j);
// It ends without tiles: a notice says why. meshes: those that are not there.
void nd_job_refuse(nd_farm_job *j, nd_done_status status, const char *why, const nav_key *meshes, uint32_t mesh_count);
// For one that could not be read: only who has sent it is known.
void nd_job_tell(nd_farm_worker *w, const char *space, const char *daemon, const nd_done *d);
void nd_job_send(nd_farm_job *j);

void nd_farm_worker_unref(nd_farm_worker *w);
static inline nd_farm_worker *nd_farm_worker_ref(nd_farm_worker *w)
{
    w->refs++;
    return w;
}

#endif
