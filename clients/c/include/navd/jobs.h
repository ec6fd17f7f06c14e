/* Jobs: what the daemon builds, waiting for it, and tiles that could not be built. Part of navd.h. */
#ifndef NAVD_JOBS_H
#define NAVD_JOBS_H

#include "navd/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Answers when all tiles up to a revision are out; this client's tiles come before. revision NULL: the newest. */
navd_status navd_wait(navd_client *c, uint64_t world, const uint64_t *revision, uint64_t *now);
typedef void (*navd_wait_done)(void *user, navd_status s, const char *text, uint64_t now);
navd_status navd_wait_start(navd_client *c, uint64_t world, const uint64_t *revision, navd_wait_done done, void *user);
/* The same for the tiles in a rectangle (x z) alone, whatever is still to be built elsewhere; they are watched until
 * then. profile NULL: all. */
typedef struct navd_area {
    const char *profile;
    double min[2], max[2];
} navd_area;
navd_status navd_wait_in(navd_client *c, uint64_t world, const uint64_t *revision, const navd_area *area,
                         uint64_t *now);
navd_status navd_wait_in_start(navd_client *c, uint64_t world, const uint64_t *revision, const navd_area *area,
                               navd_wait_done done, void *user);
/* Drops the queued tiles of a world and stops the running ones. */
navd_status navd_cancel(navd_client *c, uint64_t world, uint32_t *cancelled);

/* The same for one edit: the tiles that wait since that revision and no older one. */
navd_status navd_cancel_edit(navd_client *c, uint64_t world, uint64_t revision, uint32_t *cancelled);
/* A call of navd_tiles_build(), by the id that navd_jobs_list() names: this client's own, an admin's any. */
navd_status navd_cancel_build(navd_client *c, uint64_t build, uint32_t *cancelled);

/* Who asked for work. session 0: the daemon itself. */
typedef struct navd_caller {
    uint64_t session;
    char client[NAVD_NAME_BYTES], principal[NAVD_NAME_BYTES];
} navd_caller;

typedef enum navd_job_class { NAVD_JOB_INTERACTIVE, NAVD_JOB_BACKGROUND } navd_job_class;

typedef struct navd_edit_job { /* all tiles that wait since one revision */
    uint64_t world, revision;
    char world_name[NAVD_NAME_BYTES];
    navd_job_class job_class;
    navd_caller caller;
    uint32_t tiles, running;
    uint64_t age_ms;
} navd_edit_job;

typedef struct navd_build_job { /* a call of navd_tiles_build() */
    uint64_t build;
    navd_job_class job_class;
    navd_caller caller;
    uint32_t tiles, finished;
    uint64_t age_ms;
} navd_build_job;

typedef struct navd_jobs {
    size_t edit_count, build_count;
    navd_edit_job *edits; /* oldest revision of each world first */
    navd_build_job *builds;
} navd_jobs;
/* What is not finished. world: NULL for all. Free the result with navd_jobs_free(). */
navd_status navd_jobs_list(navd_client *c, const uint64_t *world, navd_jobs *out);
void navd_jobs_free(navd_jobs *j); /* accepts a zeroed one */

typedef struct navd_failed_tile {
    char profile[NAVD_NAME_BYTES];
    int32_t x, z;                          /* of the sheet's frame */
    navd_sheet sheet;                      /* of a wall or ceiling: not up */
    char code[32], reason[256], stage[32]; /* stage: that it was at; "": none */
    char signal[32];   /* code "crashed": what the generator died of: "segmentation fault", ...; "": not known */
    uint64_t since_ms; /* ago */
    uint32_t tries;
    bool has_retry;
    uint64_t retry_ms; /* from now */
} navd_failed_tile;
/* The tiles of a world whose newest run failed, oldest first. *out is the caller's to free(). total may be NULL: how
 * many there are. */
navd_status navd_failed_tiles(navd_client *c, uint64_t world, uint32_t limit, navd_failed_tile **out, size_t *count,
                              uint64_t *total);

typedef struct navd_tile_story {
    const char *state;       /* "clean", "queued", "waiting", "resting", "running", "held", "unwatched" */
    navd_tile_status status; /* of the newest finished run; pending: none yet */
    uint64_t revision;       /* that it shows */
    uint64_t queued_us, made_us;
    const char *cause; /* of the newest mark: "instance", "volume", "link", "area", "reach", "profile", ... */
    bool has_object;
    uint64_t object; /* id of the instance, volume or link */
    navd_caller caller;
    uint64_t cause_revision, cause_ms; /* ago */
    bool is_open;                      /* not clean */
    uint64_t open_since;               /* the oldest revision that it waits for */
    navd_job_class job_class;
    bool has_failure;
    navd_failed_tile failure;
} navd_tile_story;
/* What a tile waits for, or why it is as it is and who made it so. */
navd_status navd_tile_why(navd_client *c, uint64_t world, const char *profile, int32_t x, int32_t z,
                          navd_tile_story *out);
/* The same of a tile of any sheet of the profile. */
navd_status navd_tile_why_of(navd_client *c, uint64_t world, const char *profile, navd_sheet sheet, int32_t x,
                             int32_t z, navd_tile_story *out);

#ifdef __cplusplus
}
#endif

#endif
