#include "daemon/replica/subjects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nd_log_stream(const char *farm, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "%s_log", farm);
}

void nd_state_stream(const char *farm, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "%s_states", farm);
}

void nd_lease_stream(const char *farm, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "KV_%s_lease", farm);
}

void nd_log_subject(const char *farm, const char *space, uint64_t world, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "%s.%s.log.%" PRIu64, farm, space, world);
}

void nd_leader_subject(const char *farm, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "%s.%%.log.leader", farm);
}

void nd_bell_subject(const char *farm, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "%s.bell", farm);
}

void nd_state_head_subject(const char *farm, const char *space, uint64_t world, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "%s.%s.states.%" PRIu64 ".head", farm, space, world);
}

void nd_state_part_subject(const char *farm, const char *space, uint64_t world, nav_key id, uint32_t part, char *out)
{
    char last[16] = "*";
    if (part != ND_ALL_PARTS) snprintf(last, sizeof last, "%u", part);
    snprintf(out, ND_SUBJECT_BYTES, "%s.%s.states.%" PRIu64 ".%016" PRIx64 ".%s", farm, space, world, id.low, last);
}

void nd_lease_subject(const char *farm, char *out)
{
    snprintf(out, ND_SUBJECT_BYTES, "$KV.%s_lease.leader", farm);
}

bool nd_subject_read_world(const char *farm, const char *subject, char space[ND_SPACE_BYTES], uint64_t *world)
{
    const char *what = nd_farm_subject_space(farm, subject, space);
    const bool is_state = what && !strncmp(what, "states.", 7);
    if (!what || (!is_state && strncmp(what, "log.", 4) != 0)) return false;
    const char *digits = what + (is_state ? 7 : 4);
    char *rest;
    *world = strtoull(digits, &rest, 10);
    return rest != digits && !strcmp(rest, is_state ? ".head" : "") && *world;
}

// --- streams ---

enum { DUPLICATES_NS = 1000000000 }; // nothing here asks the server for it

static nav_status need_stream(const nd_bus_link *link, const char *name, const char *subject, int64_t per_subject,
                              jsErrCode *code)
{
    jsStreamConfig c;
    jsStreamInfo *info = NULL;
    const char *subjects[] = {subject};
    natsStatus s = js_GetStreamInfo(&info, link->streams, name, NULL, code);
    jsStreamInfo_Destroy(info);
    if (s == NATS_OK) return NAV_OK; // whatever its limits, which somebody may have set
    if (nd_bus_status(s, *code) != NAV_ERR_NOT_FOUND) return nd_bus_status(s, *code);
    *code = 0;
    s = jsStreamConfig_Init(&c);
    c.Name = name;
    c.Subjects = subjects;
    c.SubjectsLen = 1;
    c.MaxMsgsPerSubject = per_subject;
    c.Discard = js_DiscardNew; // a full one says so, and loses nothing
    c.Storage = js_FileStorage;
    c.Duplicates = DUPLICATES_NS;
    if (s == NATS_OK) s = js_AddStream(NULL, link->streams, &c, NULL, code);
    if (s != NATS_OK && *code == JSStreamNameExistErr) return NAV_OK; // another has made it meanwhile
    return nd_bus_status(s, *code);
}

nav_status nd_replica_ensure_streams(const nd_bus_link *link, const char *farm, char *why, size_t why_bytes)
{
    char name[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    jsErrCode code = 0;
    nd_log_stream(farm, name);
    snprintf(subject, sizeof subject, "%s.*.log.*", farm);
    nav_status s = need_stream(link, name, subject, -1, &code);
    if (s == NAV_OK) {
        nd_state_stream(farm, name);
        snprintf(subject, sizeof subject, "%s.*.states.>", farm);
        s = need_stream(link, name, subject, 1, &code);
    }
    if (s == NAV_OK) {
        nd_lease_stream(farm, name);
        snprintf(subject, sizeof subject, "$KV.%s_lease.>", farm);
        s = need_stream(link, name, subject, 1, &code);
    }
    if (s != NAV_OK)
        snprintf(why, why_bytes, "the stream %s cannot be made: %s (%d)", name, nats_GetLastError(NULL), (int)code);
    return s;
}
