// One run of the generation pipeline on a worker: snapshot in, compressed tiles in the wanted encodings out; and the
// base tile with its parts, where the world has a goal (reach.h). Or a masking: base tile and a byte for each part in.
// The loop thread creates it and gets it back in task.done; in between it is the worker's. Only the cancel flag may be
// touched meanwhile.
#ifndef ND_TILE_JOB_H
#define ND_TILE_JOB_H

#include "core/levels.h"
#include "core/reach/mask.h"
#include "daemon/cache/cache.h"
#include "daemon/work/helper.h"
#include "daemon/work/workers.h"
#include "daemon/world/reach.h"
#include "daemon/world/snapshot.h"

#include <stdatomic.h>

// Who comes first: the worker that ends the run, or the loop that cancels it. So a run never ends well unheard.
typedef enum nd_tile_job_fate { ND_JOB_OPEN, ND_JOB_CANCELLED, ND_JOB_ENDED } nd_tile_job_fate;

// A helper that a run has cost.
typedef struct nd_tile_death {
    nd_death of;
    uint8_t stage; // nav_stage it was at; NAV_STAGE_COUNT: none
} nd_tile_death;

// So many, and the tile is set aside.
enum { ND_TILE_DEATHS = 2 };

typedef struct nd_tile_job {
    nd_task task;
    atomic_uint fate;            // nd_tile_job_fate
    _Atomic(nd_helper *) helper; // that runs it now, as its call `number`; NULL: none
    uint64_t number;
    nd_snapshot *snapshot;
    uint8_t wanted; // bit e: encoding e is made
    int zstd_level;
    nav_build *build; // the owner sets it; NULL: nav_build_tile()
    const ZSTD_CDict
        *dictionary; // of packed tiles; the owner sets it, and it outlives the job. NULL: the worker makes it
    bool has_known;
    nav_key known;       // a content key whose tiles the owner has already; they are in `out` then
    uint64_t timeout_us; // of the run; 0: none
    uint64_t stuck_us;   // after that a helper is killed
    bool wants_base;
    nav_unreachable mode; // of this and of a masking
    // wants_base: what is likely to be delivered of it (nav_parts_guess).
    nav_parts *before; // a reference; NULL: there was none
    int64_t min_doubled_area;
    // Of a masking; settings are copied.
    nd_cached base_in;     // owns a reference of the blob
    nav_settings settings; // also with links
    uint8_t *off;          // wants_base: of `before`
    uint32_t part_count;
    nav_key source_key; // of its input; of a masking what it delivers
    // With links (link_job.h): the tile is made without them, or, links_only, is at hand so, and they are added to it.
    nav_link *links; // owned, sorted
    uint32_t link_count;
    bool links_only;
    bool adding_links; // out: it came so far, so what failed is the links, not what they are added to
    int32_t tile_x, tile_z;
    nav_key bare_key;
    nd_cached bare[ND_ENCODINGS]; // in or out: the wanted ones, or, wants_base, the base tile; owns references
    // Out, once it ran:
    nav_status status; // NAV_OK; NAV_ERR_EXISTS (known came out again: out is as it was); or why it failed
    nav_key content_key;
    nd_cached out[ND_WIRE_ENCODINGS]; // the wanted ones; owns a reference of the blobs
    nav_key out_key;                  // of what they are: source_key, or wants_base: masked by the guess
    nd_cached base;                   // wants_base; owns references
    uint64_t made_us, compress_us, stage_us[NAV_STAGE_COUNT];
    uint64_t began_us;
    atomic_uint stage; // nav_stage it is at or was last; NAV_STAGE_COUNT: none
    uint64_t stage_began_us;
    size_t arena_peak;
    uint64_t coarse_outlines; // nav_counts
    nd_tile_death deaths[ND_TILE_DEATHS];
    unsigned death_count;
} nd_tile_job;

// A job lies in its owner's memory, zeroed, and is deinitialised also where init failed. done is called on the loop
// thread.
// Generates a tile. Takes over nothing: the snapshot is copied from the view. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_tile_job_init(nd_tile_job *j, const nd_view *view, uint8_t wanted, int zstd_level,
                                         void (*done)(nd_task *task, bool ran));
// Makes a job keep its base tile, and encode what is likely to be delivered of it. The guess is copied.
NAV_MUST_USE nav_status nd_tile_job_want_base(nd_tile_job *j, const nd_reach_guess *guess);
// Masks one. Takes a reference of base's blob; off is copied. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_tile_job_init_mask(nd_tile_job *j, const nd_cached *base, const nav_settings *settings,
                                              const uint8_t *off, uint32_t part_count, nav_unreachable mode,
                                              uint8_t wanted, int zstd_level, void (*done)(nd_task *task, bool ran));
void nd_tile_job_deinit(nd_tile_job *j);
// Why it failed, where it did.
nd_reason nd_tile_job_reason(const nd_tile_job *j);
// For link_job.h. The members that all jobs have:
void nd_tile_job_begin(nd_tile_job *j, uint8_t wanted, int zstd_level, void (*done)(nd_task *task, bool ran));
// w->output, a tile in navd's encoding or Detour's, into out: packed where e says so, and compressed.
NAV_MUST_USE nav_status nd_tile_job_compress(nd_tile_job *j, nd_worker *w, const nav_settings *settings, np_encoding e,
                                             nd_cached *out);
// Any thread; accepts NULL. The run ends before its next stage. False: it has ended already, and comes back with what
// it made.
bool nd_tile_job_cancel(nd_tile_job *j);

#endif
