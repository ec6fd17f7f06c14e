// How the farm's subjects, streams and buckets are called. NAME is --farm-name, SPACE a namespace of navd's.
//
//     stream NAME_jobs     NAME.SPACE.jobs.vGENERATOR.DAEMON   area jobs, a work queue
//     stream NAME_tiles    NAME.SPACE.tiles.AREAKEY            packs of finished tiles, the newest of each area
//     stream NAME_meshes   NAME.SPACE.meshes.HASH.PART         bytes as mesh.put brought them, in parts
//     stream NAME_log      NAME.SPACE.log.WORLD                edits of published worlds
//                          NAME.%.log.leader                   who leads since when
//     stream NAME_states   NAME.SPACE.states.WORLD.PART        worlds as they were, so that the log stays short
//     bucket NAME_lease                                        who leads
//     (no stream)          NAME.void.DAEMON                    jobs that nobody needs any more
//     (no stream)          NAME.bell                           the log has something new
//     (no stream)          NAME.check.ID                       are tiles the same here and there? (farm.check)
//     (no stream)          NAME.SPACE.done.DAEMON              a job is over (beat.h)
//     (no stream)          NAME.beat.ID                        a worker, daemon or replica is alive (beat.h)
//
// Any thread.
#ifndef ND_FARM_NAMES_H
#define ND_FARM_NAMES_H

#include "core/base/key.h"
#include "daemon/access/namespace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ND_FARM_NAME_BYTES = 33,
    ND_STREAM_BYTES = ND_FARM_NAME_BYTES + 7,
    ND_SUBJECT_BYTES = 320,
    ND_FARM_ID_BYTES = NAV_KEY_TEXT_BYTES,
    ND_SPACE_BYTES = 3 * ND_NAMESPACE_BYTES, // of a namespace's token
};

// May a farm be called so: letters, digits, '-' and '_', at most 32 of them?
bool nd_farm_name_is_valid(const char *name);
// A random id of this process, in hexadecimal digits, for subjects.
void nd_farm_make_id(char out[ND_FARM_ID_BYTES]);
// A namespace as a token of a subject: characters that a subject may not hold become %XX; "%" for "". False: too long.
bool nd_farm_space_token(const char *space, char *out, size_t out_bytes);
// The namespace that a token stands for. False: none.
bool nd_farm_read_space(const char *token, char out[ND_NAMESPACE_BYTES]);
// The token of a subject FARM.SPACE.REST; returns REST, in the subject. NULL: it is no such subject.
const char *nd_farm_subject_space(const char *farm, const char *subject, char token[ND_SPACE_BYTES]);
// The stream of a kind: "jobs", "tiles", "meshes", "log", "states".
void nd_farm_stream(const char *farm, const char *kind, char out[ND_STREAM_BYTES]);
// A part of the pack of an area (nd_area_key()); part 0 has the area's own subject. space: token.
void nd_farm_pack_subject(const char *farm, const char *space, nav_key area, uint32_t part, char out[ND_SUBJECT_BYTES]);
// Where a daemon's jobs for workers of a generator version go. space: token.
void nd_farm_job_subject(const char *farm, const char *space, uint32_t generator, const char *daemon,
                         char out[ND_SUBJECT_BYTES]);

#endif
