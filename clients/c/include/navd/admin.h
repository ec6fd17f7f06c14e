/* Looking after a daemon. For the role admin. Part of navd.h. */
#ifndef NAVD_ADMIN_H
#define NAVD_ADMIN_H

#include "navd/worlds.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct navd_session_entry {
    uint64_t id; /* as in the daemon's log */
    char client[NAVD_NAME_BYTES], name[NAVD_NAME_BYTES], role[16], space[NAVD_NAME_BYTES];
    bool encrypted;
    uint64_t age_ms;
    uint32_t subscriptions;
    uint64_t bytes_in, bytes_out, bytes_queued; /* queued: what it has not read yet */
} navd_session_entry;
/* Who is connected, in all namespaces, oldest first, at most 10000. *out is the caller's to free(). total may be
 * NULL: how many there are. NAVD_ERR_FORBIDDEN. */
navd_status navd_sessions(navd_client *c, navd_session_entry **out, size_t *count, uint64_t *total);

typedef struct navd_namespace_entry {
    char name[NAVD_NAME_BYTES];
    uint64_t worlds, objects, tiles, mesh_bytes, sessions;
    /* Quotas; UINT64_MAX: none. */
    uint64_t max_worlds, max_objects, max_tiles, max_mesh_bytes, max_sessions, max_edits_per_second;
} navd_namespace_entry;
/* What each namespace uses and may use, by name. *out is the caller's to free(). NAVD_ERR_FORBIDDEN. */
navd_status navd_namespaces(navd_client *c, navd_namespace_entry **out, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
