// What shall be reachable: a map that world.open, world.edit and world.reach share.
#include "protocol/schema.h"

#include <stdio.h>

static const char *const mode_names[] = {"keep", "flag", "drop", NULL};

static const np_field seed[] = {{.key = "seed",
                                 .type = NP_T_F32S,
                                 .flags = NP_REQUIRED,
                                 .count = 3,
                                 .offset = offsetof(np_seed, at),
                                 .place = NP_PLACE_POINT}};
static const np_schema seed_schema = {.bytes = sizeof(np_seed), NP_FIELDS(seed), .shape = NP_SHAPE_BARE};

static const np_field fields[] = {
    {.key = "unreachable",
     .type = NP_T_ENUM,
     .flags = NP_REQUIRED,
     .offset = offsetof(np_reach, unreachable),
     .names = mode_names},
    {.key = "seeds",
     .type = NP_T_LIST,
     .count = NAV_MAX_SEEDS,
     .offset = offsetof(np_reach, seeds),
     .count_offset = offsetof(np_reach, seed_count),
     .item = &seed_schema},
    {.key = "island_min_area_m2", .type = NP_T_F64, .offset = offsetof(np_reach, island_min_area_m2)},
};

static nav_status check(void *m, char *why, size_t why_bytes)
{
    const np_reach *r = m;
    nav_reach_goal goal = {.seed_count = r->seed_count, .min_area_m2 = r->island_min_area_m2};
    for (uint32_t i = 0; i < r->seed_count; i++)
        for (int k = 0; k < 3; k++) goal.seeds[i][k] = r->seeds[i].at[k];
    return nav_reach_goal_check(&goal, why, why_bytes);
}

const np_schema np_schema_reach = {.bytes = sizeof(np_reach), NP_FIELDS(fields), .check = check};

static const np_field world_reach_request[] = {
    {.key = "world", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(np_world_reach_request, world)}};
const np_schema np_schema_world_reach_request = {.bytes = sizeof(np_world_reach_request),
                                                 NP_FIELDS(world_reach_request)};

static const np_field index_field[] = {{.key = "seed", .type = NP_T_U32, .flags = NP_REQUIRED}};
static const np_schema index_schema = {.bytes = sizeof(uint32_t), NP_FIELDS(index_field), .shape = NP_SHAPE_BARE};

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }

static const np_field profile[] = {
    R(np_profile_reach, name, NP_T_STR),
    R(np_profile_reach, parts, NP_T_U32),
    R(np_profile_reach, unreachable_parts, NP_T_U32),
    R(np_profile_reach, area_m2, NP_T_F64),
    R(np_profile_reach, unreachable_m2, NP_T_F64),
    {.key = "seeds_without_ground",
     .type = NP_T_LIST,
     .count = NAV_MAX_SEEDS,
     .offset = offsetof(np_profile_reach, seeds_without_ground),
     .count_offset = offsetof(np_profile_reach, lost_count),
     .item = &index_schema},
};
static const np_schema profile_schema = {.bytes = sizeof(np_profile_reach), NP_FIELDS(profile)};

enum { MAX_PROFILES = 1 << 10 };

static const np_field world_reach_response[] = {
    R(np_world_reach_response, revision, NP_T_U64),
    {.key = "reach",
     .type = NP_T_MAP,
     .flags = NP_REQUIRED,
     .offset = offsetof(np_world_reach_response, reach),
     .item = &np_schema_reach},
    {.key = "profiles",
     .type = NP_T_LIST,
     .count = MAX_PROFILES,
     .offset = offsetof(np_world_reach_response, profiles),
     .count_offset = offsetof(np_world_reach_response, profile_count),
     .item = &profile_schema},
};
const np_schema np_schema_world_reach_response = {.bytes = sizeof(np_world_reach_response),
                                                  NP_FIELDS(world_reach_response),
                                                  .axes_offset = offsetof(np_world_reach_response, axes)};
