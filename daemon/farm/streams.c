#include "daemon/farm/streams.h"

#include "daemon/base/log.h"
#include "daemon/farm/names.h"

#include <inttypes.h>
#include <stdio.h>

enum { JOBS_BYTES = 1 << 30, LEAST_BYTES = 1 << 20 };
#define JOBS_AGE_NS (INT64_C(24) * 3600 * 1000000000)

static const char *name_of(unsigned which)
{
    return which == ND_STREAM_JOBS ? "jobs" : which == ND_STREAM_TILES ? "tiles" : "meshes";
}

static bool has_no_room(jsErrCode code)
{
    return code == JSInsufficientResourcesErr || code == JSStorageResourcesExceededErr ||
           code == JSMemoryResourcesExceededErr;
}

// Smaller and smaller, until the server has so much.
static natsStatus add(const nd_bus_link *link, jsStreamConfig *cfg, jsErrCode *code)
{
    natsStatus s = js_AddStream(NULL, link->streams, cfg, NULL, code);
    while (s != NATS_OK && has_no_room(*code) && cfg->MaxBytes > 2 * LEAST_BYTES) {
        cfg->MaxBytes /= 2;
        *code = 0;
        s = js_AddStream(NULL, link->streams, cfg, NULL, code);
        if (s == NATS_OK)
            nd_log(ND_LOG_WARN, "farm.stream_small",
                   "stream=%s bytes=%" PRId64 " why=\"the server has no room for more\"", cfg->Name, cfg->MaxBytes);
    }
    return s;
}

static nav_status ensure(const nd_bus_link *link, const char *farm, unsigned which, const nd_stream_limits *limits,
                         char *why, size_t why_bytes)
{
    char name[ND_STREAM_BYTES], subject[ND_SUBJECT_BYTES];
    const char *subjects[] = {subject};
    jsStreamConfig cfg;
    jsErrCode code = 0;
    nd_farm_stream(farm, name_of(which), name);
    snprintf(subject, sizeof subject, "%s.*.%s.>", farm, name_of(which));
    jsStreamConfig_Init(&cfg);
    cfg.Name = name;
    cfg.Subjects = subjects;
    cfg.SubjectsLen = 1;
    cfg.Storage = js_FileStorage;
    if (which == ND_STREAM_JOBS) {
        cfg.Retention = js_WorkQueuePolicy;
        cfg.Discard = js_DiscardNew;
        cfg.MaxBytes = JOBS_BYTES;
        cfg.MaxAge = JOBS_AGE_NS;
    } else {
        const int64_t bytes = which == ND_STREAM_TILES ? limits->tiles_bytes : limits->meshes_bytes;
        cfg.Retention = js_LimitsPolicy;
        cfg.Discard = js_DiscardOld;
        cfg.MaxMsgsPerSubject = 1;
        cfg.AllowDirect = true;
        cfg.MaxBytes = bytes ? bytes : -1;
        cfg.MaxAge = which == ND_STREAM_TILES ? limits->tiles_age_ns : 0;
    }
    natsStatus s = add(link, &cfg, &code);
    if (s == NATS_OK || code == JSStreamNameExistErr) return NAV_OK;
    const nav_status status = nd_bus_status(s, code);
    snprintf(why, why_bytes, "the farm's server has no stream %s and makes none: %s", name,
             s == NATS_NO_RESPONDERS ? "its JetStream is off (nats-server -js, or jetstream {} in its configuration)"
                                     : natsStatus_GetText(s));
    return status;
}

nav_status nd_streams_ensure(const nd_bus_link *link, const char *farm, unsigned which, const nd_stream_limits *limits,
                             char *why, size_t why_bytes)
{
    static const nd_stream_limits none = {0};
    static const unsigned all[] = {ND_STREAM_JOBS, ND_STREAM_TILES, ND_STREAM_MESHES};
    nav_status s = NAV_OK;
    for (int i = 0; i < 3 && s == NAV_OK; i++)
        if (which & all[i]) s = ensure(link, farm, all[i], limits ? limits : &none, why, why_bytes);
    return s;
}

nav_status nd_stream_get(const nd_bus_link *link, const char *farm, unsigned which, const char *subject,
                         int64_t wait_ms, natsMsg **out)
{
    char name[ND_STREAM_BYTES];
    jsOptions o;
    jsDirectGetMsgOptions message;
    nd_farm_stream(farm, name_of(which), name);
    jsOptions_Init(&o);
    o.Wait = wait_ms;
    jsDirectGetMsgOptions_Init(&message);
    message.LastBySubject = subject;
    return nd_bus_status(js_DirectGetMsg(out, link->streams, name, &o, &message), 0);
}
