/* The farm that a daemon belongs to: who is there, what waits, how far behind it is. Part of navd.h. */
#ifndef NAVD_FARM_H
#define NAVD_FARM_H

#include "navd/worlds.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NAVD_FARM_ID_BYTES = 40, NAVD_FARM_TEXT_BYTES = 72 };

/* A navd that the daemon hears of. Counts are since its start. */
typedef struct navd_farm_member {
    char id[NAVD_FARM_ID_BYTES];                                    /* of the process */
    char kind[16];                                                  /* "worker", "daemon", "replica" */
    char name[NAVD_FARM_TEXT_BYTES], version[NAVD_FARM_TEXT_BYTES]; /* of its machine; of navd */
    uint32_t generator;     /* version of the generator: jobs are for workers of the daemon's own */
    bool leaves;            /* it takes no new jobs */
    uint32_t threads, jobs; /* jobs: at work, or out */
    uint64_t waiting;       /* of a daemon: tiles in its queues */
    uint64_t tiles, found;  /* built; in the farm's cache already */
    uint64_t done, set_aside, refused;
    uint64_t bytes_in, bytes_out, uptime_s, seen_ms;
} navd_farm_member;

typedef struct navd_farm_stream {
    char name[16];
    uint64_t messages, bytes, max_bytes; /* max_bytes 0: no bound */
} navd_farm_stream;

typedef struct navd_farm {
    char name[NAVD_FARM_TEXT_BYTES], id[NAVD_FARM_ID_BYTES]; /* of the farm; of the daemon that answers */
    bool up;                                                 /* its server and streams are there */
    char trouble[256];
    uint32_t generator;
    char worlds[16];              /* "local", "publish", "follow", "standby"; with local nothing of the next is said */
    char role[16];                /* "follows", "takes over", "renews the log", "leads", "stopped" */
    bool leads, live;             /* edits are taken here; it leads, or has all that the log had a moment ago */
    char leader[NAVD_NAME_BYTES]; /* who leads, for people */
    uint64_t epoch, unlogged;     /* of who wrote last; changes that the log does not have yet */
    uint64_t behind, lag_p99_us;  /* messages of the log that have not come; from a change there until it was here */
    bool has_jobs;                /* the server was asked: the next three and the streams are known */
    uint64_t jobs_waiting, jobs_out, jobs_redelivered;
    size_t member_count, stream_count;
    navd_farm_member *members;
    navd_farm_stream *streams;
} navd_farm;

/* NAVD_ERR_STATE: the daemon is in no farm. Free the result with navd_farm_free(). */
navd_status navd_farm_status(navd_client *c, navd_farm *out);
void navd_farm_free(navd_farm *f); /* accepts a zeroed one */

typedef enum navd_farm_state {
    NAVD_FARM_SAME,    /* the tiles here are the leader's, byte for byte */
    NAVD_FARM_DIFFERS, /* they are not, though nothing is on its way any more */
    NAVD_FARM_PENDING, /* changes are still on their way, or tiles being made: ask again */
    NAVD_FARM_UNKNOWN, /* the leader has no such world, or has not answered */
} navd_farm_state;
const char *navd_farm_state_name(navd_farm_state s); /* "same", "differs", "pending", "unknown" */

typedef struct navd_farm_checked {
    char name[NAVD_NAME_BYTES]; /* of a world of the namespace */
    navd_farm_state state;
    uint64_t revision, leader_revision, tiles, leader_tiles;
} navd_farm_checked;

/* Compares the worlds of a daemon that follows with those of the leader; may take some seconds. *out is the caller's to
 * free(). answered may be NULL: did the leader answer? NAVD_ERR_STATE: worlds are local there. */
navd_status navd_farm_check(navd_client *c, navd_farm_checked **out, size_t *count, bool *answered);

#ifdef __cplusplus
}
#endif

#endif
