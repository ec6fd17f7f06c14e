// path.audit: random pairs and their paths.
#include "protocol/messages_paths.h"
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
#define POINT(T, member)                                                                                               \
    {                                                                                                                  \
        .key = #member, .type = NP_T_F32S, .flags = NP_REQUIRED, .count = 3, .offset = offsetof(T, member),            \
        .place = NP_PLACE_POINT                                                                                        \
    }

static const char *const reason_names[] = {[NAV_AUDIT_BENDS] = "bends",
                                           [NAV_AUDIT_LOST] = "lost",
                                           [NAV_AUDIT_LONGER] = "longer",
                                           [NAV_AUDIT_ROUND] = "round",
                                           NULL};

static void audit_defaults(void *m)
{
    np_path_audit_request *r = m;
    r->near_m = NP_PATH_NEAR_M;
    r->pairs = NP_AUDIT_USUAL_PAIRS;
    r->worst = NP_AUDIT_USUAL_WORST;
}

static nav_status check_audit(void *m, char *why, size_t why_bytes)
{
    const np_path_audit_request *r = m;
    nav_status s = np_check_metres("near_m", r->near_m, NP_PATH_LARGEST_NEAR_M, why, why_bytes);
    if (s != NAV_OK) return s;
    if (r->pairs > NP_AUDIT_PAIRS) {
        snprintf(why, why_bytes, "pairs: %u, expected 0 to %d", r->pairs, NP_AUDIT_PAIRS);
        return NAV_ERR_LIMIT;
    }
    if (r->worst > NP_AUDIT_WORST) {
        snprintf(why, why_bytes, "worst: %u, expected 0 to %d", r->worst, NP_AUDIT_WORST);
        return NAV_ERR_LIMIT;
    }
    return NAV_OK;
}

static const np_field path_audit_request[] = {
    R(np_path_audit_request, world, NP_T_U64),  R(np_path_audit_request, profile, NP_T_STR),
    O(np_path_audit_request, near_m, NP_T_F64), O(np_path_audit_request, seed, NP_T_U64),
    O(np_path_audit_request, pairs, NP_T_U32),  O(np_path_audit_request, worst, NP_T_U32)};
const np_schema np_schema_path_audit_request = {.bytes = sizeof(np_path_audit_request),
                                                NP_FIELDS(path_audit_request),
                                                .defaults = audit_defaults,
                                                .check = check_audit};

static const np_field worst[] = {{.key = "why",
                                  .type = NP_T_ENUM,
                                  .flags = NP_REQUIRED,
                                  .offset = offsetof(np_audit_worst, why),
                                  .names = reason_names},
                                 O(np_audit_worst, ratio, NP_T_F64),
                                 POINT(np_audit_worst, from),
                                 POINT(np_audit_worst, to),
                                 O(np_audit_worst, length_m, NP_T_F64),
                                 O(np_audit_worst, straight_m, NP_T_F64)};
static const np_schema worst_schema = {.bytes = sizeof(np_audit_worst), NP_FIELDS(worst)};

static const np_field path_audit_response[] = {
    R(np_path_audit_response, revision, NP_T_U64),
    O(np_path_audit_response, open_tiles, NP_T_U32),
    R(np_path_audit_response, pairs, NP_T_U32),
    R(np_path_audit_response, found, NP_T_U32),
    O(np_path_audit_response, unreachable, NP_T_U32),
    O(np_path_audit_response, limited, NP_T_U32),
    O(np_path_audit_response, open, NP_T_U32),
    O(np_path_audit_response, bent, NP_T_U32),
    O(np_path_audit_response, length_m, NP_T_F64),
    O(np_path_audit_response, surface_m, NP_T_F64),
    O(np_path_audit_response, straight_m, NP_T_F64),
    O(np_path_audit_response, median_ratio, NP_T_F64),
    O(np_path_audit_response, worst_ratio, NP_T_F64),
    {.key = "worst",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_AUDIT_WORST,
     .offset = offsetof(np_path_audit_response, worst),
     .count_offset = offsetof(np_path_audit_response, worst_count),
     .item = &worst_schema},
};
const np_schema np_schema_path_audit_response = {.bytes = sizeof(np_path_audit_response),
                                                 NP_FIELDS(path_audit_response),
                                                 .axes_offset = offsetof(np_path_audit_response, axes)};
