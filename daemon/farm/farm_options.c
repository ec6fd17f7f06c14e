#include "daemon/farm/farm_options.h"

#include "daemon/farm/names.h"

#include <stdio.h>

#define DAY_NS INT64_C(86400000000000)

nd_bus_options nd_farm_bus_options(const nd_config *c)
{
    return (nd_bus_options){.url = c->farm,
                            .name = c->worker ? "navd worker" : "navd",
                            .credentials = c->farm_credentials,
                            .nkey = c->farm_nkey,
                            .ca = c->farm_ca,
                            .certificate = c->farm_certificate,
                            .key = c->farm_key};
}

nd_stream_limits nd_farm_stream_limits(const nd_config *c)
{
    return (nd_stream_limits){.tiles_bytes = (int64_t)c->farm_cache_bytes,
                              .tiles_age_ns = (int64_t)c->farm_cache_days * DAY_NS,
                              .meshes_bytes = (int64_t)c->farm_mesh_bytes};
}

nav_status nd_farm_check_options(const nd_config *c, char *why, size_t why_bytes)
{
    const char *fault = NULL;
    const bool leads = c->farm_worlds == ND_FARM_PUBLISH || c->farm_worlds == ND_FARM_STANDBY;
    if (!c->farm[0] && c->worker)
        fault = "worker: there is no farm to work for: set farm to the address of its NATS server";
    else if (!c->farm[0] && c->farm_worlds != ND_FARM_LOCAL)
        fault = "farm_worlds: there is no farm: set farm to the address of its NATS server, or farm_worlds to local";
    else if (c->farm[0] && !nd_farm_name_is_valid(c->farm_name))
        fault = "farm_name: it may have 1 to 32 letters, digits, - and _";
    else if (c->worker && c->farm_worlds != ND_FARM_LOCAL)
        fault = "worker: a worker has no worlds: set farm_worlds to local, or start without --worker";
    else if (leads && !c->state[0])
        fault = "farm_worlds: published worlds must be on disk as well: set state to a folder";
    if (fault) {
        snprintf(why, why_bytes, "%s", fault);
        return NAV_ERR_ARGUMENT;
    }
    if (!c->farm[0]) return NAV_OK;
    const nd_bus_options o = nd_farm_bus_options(c);
    return nd_bus_check(&o, why, why_bytes);
}
