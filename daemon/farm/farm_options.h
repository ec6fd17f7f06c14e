// Which options of the farm go together, and what the bus and the server are told of them. Loop thread, or before there
// is one.
#ifndef ND_FARM_OPTIONS_H
#define ND_FARM_OPTIONS_H

#include "daemon/bus/bus.h"
#include "daemon/config/config.h"
#include "daemon/farm/streams.h"

// NAV_ERR_ARGUMENT, and one sentence that names the option.
NAV_MUST_USE nav_status nd_farm_check_options(const nd_config *c, char *why, size_t why_bytes);
// Without the callback. Borrows from c.
nd_bus_options nd_farm_bus_options(const nd_config *c);
nd_stream_limits nd_farm_stream_limits(const nd_config *c);

#endif
