/* Keeping what a source has put in step with its list. Part of navd.h. */
#ifndef NAVD_SYNC_H
#define NAVD_SYNC_H

#include "navd/edits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A source is whoever puts objects into a world: a scene file, an editor. Each instance that it puts has its name. A
 * source lists all instances that it wants to be there, and the daemon does what is different: puts, moves, removes.
 * What others have put is never touched. */
typedef struct navd_sync_object {
    uint64_t id;
    navd_key mesh;
    float transform[12];
    uint8_t area;     /* NAVD_AREA_DEFAULT, unless it is something else */
    const char *name; /* what people call it, at most 200 bytes of text. NULL in all: they keep the names they have */
} navd_sync_object;

typedef struct navd_sync_request {
    uint64_t world;
    const char *source;              /* 1 to 200 bytes */
    const navd_sync_object *objects; /* all of the source's; none of the same id */
    size_t count;
    const uint64_t *base_revision; /* as navd_edit() has it, or NULL */
    bool dry_run;                  /* only says what would change */
    bool adopt;                    /* instances of these ids that have no source become the source's */
} navd_sync_request;

typedef struct navd_ids {
    uint64_t *ids;
    size_t count;
} navd_ids;

typedef struct navd_sync_result {
    bool complete; /* always */
    bool applied;  /* false: a dry run, or meshes are missing: send them and call again */
    uint64_t revision;
    uint32_t dirty_tiles;
    bool durable;
    /* What is different, or would be. changed: another mesh or area, or adopted. renamed: the same under another id. */
    uint64_t added, changed, moved, renamed, removed, unchanged;
    size_t missing_count;
    navd_key *missing;
    /* Of a dry run, 4096 of each at most. renamed_from.ids[i] becomes renamed_to.ids[i]. */
    navd_ids added_ids, changed_ids, moved_ids, renamed_from, renamed_to, removed_ids;
} navd_sync_result;

/* One edit: applied whole or not at all, answered as navd_edit() is. NAVD_ERR_EXISTS: an id belongs to somebody else;
 * the words name it. Free the result with navd_sync_result_free(). */
navd_status navd_sync(navd_client *c, const navd_sync_request *request, navd_sync_result *out);
void navd_sync_result_free(navd_sync_result *r); /* accepts a zeroed one */

/* What stands in a world, a page at a time: each object as the operation that puts it there, in no order. */
typedef struct navd_objects {
    uint64_t revision, next; /* next: where the next page begins; 0: there is none */
    size_t count;
    navd_operation *objects;
} navd_objects;

/* after: NULL for the first page, else the page before (which may be freed then: its numbers count). limit: objects at
 * once, at most 16384; 0: what the daemon thinks right. All pages are of one revision: NAVD_ERR_STATE where the world
 * has moved on, start again. Free the result with navd_objects_free(). */
navd_status navd_world_objects(navd_client *c, uint64_t world, const navd_objects *after, uint32_t limit,
                               navd_objects *out);
void navd_objects_free(navd_objects *o); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif

#endif
