// What a namespace may have: read from a file of lines
//
//     NAME  max_worlds=10 max_objects=1M max_tiles=200000 max_mesh_bytes=4G max_sessions=20 max_edits_per_second=100
//     *     max_worlds=5                                        every namespace that has no line of its own
//
// # starts a comment. Without a quota only the daemon's own limits apply. weight=4 is a share, not a
// limit: what each world of the namespace gets of the workers relative to other worlds; 1 by default. Numbers take
// K, M and G (of 1024). Errors name the namespace, the quota and its value. Reading: any thread.
#ifndef ND_QUOTA_H
#define ND_QUOTA_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(name, words)
#define ND_QUOTA_LIST(X)                                                                                               \
    X(max_worlds, "worlds")                                                                                            \
    X(max_objects, "instances, volumes and links in all its worlds together")                                          \
    X(max_tiles, "tiles in all its worlds and profiles together")                                                      \
    X(max_mesh_bytes, "bytes of the meshes that it has sent, and of their index")                                      \
    X(max_sessions, "sessions at a time")                                                                              \
    X(max_edits_per_second, "calls of world.edit per second, from all its sessions together")                          \
    X(weight, "share of the workers that each of its worlds gets relative to others; 1 to 1000")

typedef enum nd_quota_kind {
#define ND_QUOTA_ENUM(name, words) ND_QUOTA_##name,
    ND_QUOTA_LIST(ND_QUOTA_ENUM)
#undef ND_QUOTA_ENUM
        ND_QUOTA_COUNT
} nd_quota_kind;

typedef struct nd_quota {
    uint64_t max[ND_QUOTA_COUNT]; // UINT64_MAX: unbounded
} nd_quota;

typedef struct nd_quota_line {
    char name[64]; // "*": those that have no line
    nd_quota quota;
} nd_quota_line;

typedef struct nd_quotas {
    nd_quota_line *lines;
    size_t count;
} nd_quotas;

enum { ND_QUOTAS_FILE_BYTES = 1 << 20 };

// One sentence in why: the line, what is wrong, what is expected. NAV_ERR_ARGUMENT, NAV_ERR_MEMORY; *out is untouched.
NAV_MUST_USE nav_status nd_quotas_parse(const char *text, size_t size, nd_quotas *out, char *why, size_t why_bytes);
NAV_MUST_USE nav_status nd_quotas_load(const char *path, nd_quotas *out, char *why, size_t why_bytes); // NAV_ERR_IO too
void nd_quotas_deinit(nd_quotas *q); // accepts a zeroed one
nd_quota nd_quotas_of(const nd_quotas *q, const char *name);
uint32_t nd_quota_weight(const nd_quota *q); // 1 to 1000

#endif
