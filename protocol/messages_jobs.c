// jobs.*, tiles.failed and tiles.why: what is being made, for whom, and what did not go well.
#include "protocol/schema.h"

#include <stdio.h>

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }
#define O(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(T, member)                                               \
    }
#define MAYBE(T, member, has)                                                                                          \
    {                                                                                                                  \
        .key = #member, .type = NP_T_U64, .offset = offsetof(T, member), .has_offset = offsetof(T, has)                \
    }
#define SHEET(T)                                                                                                       \
    {                                                                                                                  \
        .key = "sheet", .type = NP_T_ENUM, .offset = offsetof(T, sheet), .names = np_sheet_names                       \
    }
#define ENUM(T, member, list)                                                                                          \
    {                                                                                                                  \
        .key = #member, .type = NP_T_ENUM, .flags = NP_REQUIRED, .offset = offsetof(T, member), .names = list          \
    }

enum { MAX_STAGES = 64, MAX_FAILED = 1 << 18 };

static const char *const class_names[] = {
    [NP_JOB_INTERACTIVE] = "interactive", [NP_JOB_BACKGROUND] = "background", NULL};
static const char *const state_names[] = {[NP_STATE_CLEAN] = "clean",         [NP_STATE_QUEUED] = "queued",
                                          [NP_STATE_WAITING] = "waiting",     [NP_STATE_RESTING] = "resting",
                                          [NP_STATE_RUNNING] = "running",     [NP_STATE_HELD] = "held",
                                          [NP_STATE_UNWATCHED] = "unwatched", NULL};
static const char *const cause_names[] = {[NP_CAUSE_NONE] = "none",
                                          [NP_CAUSE_INSTANCE] = "instance",
                                          [NP_CAUSE_VOLUME] = "volume",
                                          [NP_CAUSE_LINK] = "link",
                                          [NP_CAUSE_AREA] = "area",
                                          [NP_CAUSE_REACH] = "reach",
                                          [NP_CAUSE_PROFILE] = "profile",
                                          [NP_CAUSE_READER] = "reader",
                                          [NP_CAUSE_RETRY] = "retry",
                                          [NP_CAUSE_START] = "start",
                                          NULL};

_Static_assert(offsetof(np_jobs_wait_request, max) == offsetof(np_jobs_wait_request, min) + 16, "bounds");
static const np_field jobs_wait_request[] = {
    R(np_jobs_wait_request, world, NP_T_U64),
    {.key = "revision",
     .type = NP_T_U64,
     .offset = offsetof(np_jobs_wait_request, revision),
     .has_offset = offsetof(np_jobs_wait_request, has_revision)},
    {.key = "profile",
     .type = NP_T_STR,
     .offset = offsetof(np_jobs_wait_request, profile),
     .has_offset = offsetof(np_jobs_wait_request, has_profile)},
    {.key = "bounds",
     .type = NP_T_F64S,
     .count = 4,
     .offset = offsetof(np_jobs_wait_request, min),
     .has_offset = offsetof(np_jobs_wait_request, has_bounds),
     .place = NP_PLACE_BOUNDS},
};

static nav_status check_wait(void *m, char *why, size_t why_bytes)
{
    const np_jobs_wait_request *r = m;
    return r->has_bounds ? np_check_bounds(r->min, r->max, why, why_bytes) : NAV_OK;
}

const np_schema np_schema_jobs_wait_request = {
    .bytes = sizeof(np_jobs_wait_request), NP_FIELDS(jobs_wait_request), .check = check_wait};

static const np_field jobs_wait_response[] = {R(np_jobs_wait_response, revision, NP_T_U64)};
const np_schema np_schema_jobs_wait_response = {.bytes = sizeof(np_jobs_wait_response), NP_FIELDS(jobs_wait_response)};

static const np_field jobs_cancel_request[] = {
    MAYBE(np_jobs_cancel_request, world, has_world),
    MAYBE(np_jobs_cancel_request, revision, has_revision),
    MAYBE(np_jobs_cancel_request, build, has_build),
};

static nav_status check_cancel(void *m, char *why, size_t why_bytes)
{
    const np_jobs_cancel_request *r = m;
    if (r->has_world != r->has_build && (r->has_world || !r->has_revision)) return NAV_OK;
    snprintf(why, why_bytes, "expected world, or world and revision, or build");
    return NAV_ERR_ARGUMENT;
}

const np_schema np_schema_jobs_cancel_request = {
    .bytes = sizeof(np_jobs_cancel_request), NP_FIELDS(jobs_cancel_request), .check = check_cancel};

static const np_field jobs_cancel_response[] = {R(np_jobs_cancel_response, cancelled, NP_T_U32)};
const np_schema np_schema_jobs_cancel_response = {.bytes = sizeof(np_jobs_cancel_response),
                                                  NP_FIELDS(jobs_cancel_response)};

// --- jobs.list ---

static const np_field caller[] = {
    R(np_caller, session, NP_T_U64),
    O(np_caller, client, NP_T_STR),
    O(np_caller, principal, NP_T_STR),
};
static const np_schema caller_schema = {.bytes = sizeof(np_caller), NP_FIELDS(caller)};
#define CALLER(T)                                                                                                      \
    {                                                                                                                  \
        .key = "caller", .type = NP_T_MAP, .flags = NP_REQUIRED, .offset = offsetof(T, caller), .item = &caller_schema \
    }

static const np_field jobs_list_request[] = {MAYBE(np_jobs_list_request, world, has_world)};
const np_schema np_schema_jobs_list_request = {.bytes = sizeof(np_jobs_list_request), NP_FIELDS(jobs_list_request)};

static const np_field edit_job[] = {R(np_edit_job, world, NP_T_U64),
                                    R(np_edit_job, name, NP_T_STR),
                                    R(np_edit_job, revision, NP_T_U64),
                                    ENUM(np_edit_job, class, class_names),
                                    CALLER(np_edit_job),
                                    R(np_edit_job, tiles, NP_T_U32),
                                    R(np_edit_job, running, NP_T_U32),
                                    R(np_edit_job, age_ms, NP_T_U64)};
static const np_schema edit_job_schema = {.bytes = sizeof(np_edit_job), NP_FIELDS(edit_job)};

static const np_field build_job[] = {
    R(np_build_job, build, NP_T_U64), ENUM(np_build_job, class, class_names), CALLER(np_build_job),
    R(np_build_job, tiles, NP_T_U32), R(np_build_job, finished, NP_T_U32),    R(np_build_job, age_ms, NP_T_U64)};
static const np_schema build_job_schema = {.bytes = sizeof(np_build_job), NP_FIELDS(build_job)};

static const np_field jobs_list_response[] = {
    {.key = "edits",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_MAX_JOBS,
     .offset = offsetof(np_jobs_list_response, edits),
     .count_offset = offsetof(np_jobs_list_response, edit_count),
     .item = &edit_job_schema},
    {.key = "builds",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_MAX_JOBS,
     .offset = offsetof(np_jobs_list_response, builds),
     .count_offset = offsetof(np_jobs_list_response, build_count),
     .item = &build_job_schema},
};
const np_schema np_schema_jobs_list_response = {.bytes = sizeof(np_jobs_list_response), NP_FIELDS(jobs_list_response)};

// --- tiles.failed, tiles.why ---

static const np_field failed_tile[] = {R(np_failed_tile, profile, NP_T_STR),
                                       R(np_failed_tile, x, NP_T_I32),
                                       R(np_failed_tile, z, NP_T_I32),
                                       SHEET(np_failed_tile),
                                       R(np_failed_tile, code, NP_T_STR),
                                       R(np_failed_tile, reason, NP_T_STR),
                                       O(np_failed_tile, stage, NP_T_STR),
                                       O(np_failed_tile, signal, NP_T_STR),
                                       R(np_failed_tile, since_ms, NP_T_U64),
                                       R(np_failed_tile, tries, NP_T_U32),
                                       MAYBE(np_failed_tile, retry_ms, has_retry)};
static const np_schema failed_tile_schema = {.bytes = sizeof(np_failed_tile), NP_FIELDS(failed_tile)};

static const np_field tiles_failed_request[] = {
    R(np_tiles_failed_request, world, NP_T_U64),
    {.key = "limit", .type = NP_T_U32, .count = MAX_FAILED, .offset = offsetof(np_tiles_failed_request, limit)},
};
static void default_failed(void *m)
{
    ((np_tiles_failed_request *)m)->limit = 1000;
}
const np_schema np_schema_tiles_failed_request = {
    .bytes = sizeof(np_tiles_failed_request), NP_FIELDS(tiles_failed_request), .defaults = default_failed};

static const np_field tiles_failed_response[] = {
    R(np_tiles_failed_response, total, NP_T_U32),
    {.key = "tiles",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = MAX_FAILED,
     .offset = offsetof(np_tiles_failed_response, tiles),
     .count_offset = offsetof(np_tiles_failed_response, tile_count),
     .item = &failed_tile_schema},
};
const np_schema np_schema_tiles_failed_response = {.bytes = sizeof(np_tiles_failed_response),
                                                   NP_FIELDS(tiles_failed_response)};

static const np_field tiles_why_request[] = {
    R(np_tiles_why_request, world, NP_T_U64),
    R(np_tiles_why_request, profile, NP_T_STR),
    R(np_tiles_why_request, x, NP_T_I32),
    R(np_tiles_why_request, z, NP_T_I32),
    SHEET(np_tiles_why_request),
};
const np_schema np_schema_tiles_why_request = {.bytes = sizeof(np_tiles_why_request), NP_FIELDS(tiles_why_request)};

static const np_field tiles_why_response[] = {
    ENUM(np_tiles_why_response, state, state_names),
    ENUM(np_tiles_why_response, status, np_tile_status_names),
    R(np_tiles_why_response, revision, NP_T_U64),
    R(np_tiles_why_response, queued_us, NP_T_U64),
    R(np_tiles_why_response, made_us, NP_T_U64),
    ENUM(np_tiles_why_response, cause, cause_names),
    MAYBE(np_tiles_why_response, object, has_object),
    CALLER(np_tiles_why_response),
    R(np_tiles_why_response, cause_revision, NP_T_U64),
    R(np_tiles_why_response, cause_ms, NP_T_U64),
    MAYBE(np_tiles_why_response, open_since, is_open),
    ENUM(np_tiles_why_response, class, class_names),
    {.key = "failure",
     .type = NP_T_MAP,
     .offset = offsetof(np_tiles_why_response, failure),
     .has_offset = offsetof(np_tiles_why_response, has_failure),
     .item = &failed_tile_schema},
    {.key = "stages",
     .type = NP_T_COUNTERS,
     .count = MAX_STAGES,
     .offset = offsetof(np_tiles_why_response, stages),
     .count_offset = offsetof(np_tiles_why_response, stage_count)},
};
const np_schema np_schema_tiles_why_response = {.bytes = sizeof(np_tiles_why_response), NP_FIELDS(tiles_why_response)};
