#include "daemon/farm/figures.h"

#include "daemon/farm/names.h"

#include <inttypes.h>
#include <stdio.h>

enum { WAIT_MS = 2000 };

static const char *const names[ND_FIGURES] = {"jobs", "tiles", "meshes", "log", "states"};

static nav_status ask_stream(const nd_bus_link *link, const char *farm, const char *name, jsOptions *o, nd_figures *out)
{
    char stream[ND_STREAM_BYTES];
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    nd_farm_stream(farm, name, stream);
    natsStatus s = js_GetStreamInfo(&info, link->streams, stream, o, &code);
    if (s == NATS_OK) {
        const int64_t most = info->Config->MaxBytes;
        out->streams[out->stream_count++] =
            (nd_stream_figures){name, info->State.Msgs, info->State.Bytes, most > 0 ? (uint64_t)most : 0};
    }
    jsStreamInfo_Destroy(info);
    return s == NATS_OK || code == JSStreamNotFoundErr || s == NATS_NOT_FOUND ? NAV_OK : nd_bus_status(s, code);
}

static nav_status ask_workers(const nd_bus_link *link, const char *farm, uint32_t generator, jsOptions *o,
                              nd_figures *out)
{
    char stream[ND_STREAM_BYTES], consumer[32];
    jsConsumerInfo *info = NULL;
    jsErrCode code = 0;
    nd_farm_stream(farm, "jobs", stream);
    snprintf(consumer, sizeof consumer, "v%" PRIu32, generator);
    natsStatus s = js_GetConsumerInfo(&info, link->streams, stream, consumer, o, &code);
    if (s == NATS_OK) {
        out->waiting = info->NumPending;
        out->out = (uint64_t)(info->NumAckPending > 0 ? info->NumAckPending : 0);
        out->redelivered = (uint64_t)(info->NumRedelivered > 0 ? info->NumRedelivered : 0);
    }
    jsConsumerInfo_Destroy(info);
    const bool absent = code == JSStreamNotFoundErr || code == JSConsumerNotFoundErr || s == NATS_NOT_FOUND;
    return s == NATS_OK || absent ? NAV_OK : nd_bus_status(s, code);
}

nav_status nd_figures_ask(const nd_bus_link *link, const char *farm, uint32_t generator, nd_figures *out)
{
    jsOptions o;
    nav_status s = NAV_OK;
    *out = (nd_figures){0};
    jsOptions_Init(&o);
    o.Wait = WAIT_MS;
    for (int i = 0; i < ND_FIGURES && s == NAV_OK; i++) s = ask_stream(link, farm, names[i], &o, out);
    return s == NAV_OK ? ask_workers(link, farm, generator, &o, out) : s;
}
