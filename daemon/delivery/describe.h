// What a client is told of a tile. Loop thread only.
#ifndef ND_DESCRIBE_H
#define ND_DESCRIBE_H

#include "daemon/cache/cache.h"
#include "daemon/schedule/scheduler.h"
#include "protocol/messages.h"

// Fills what a client is told of a tile. data: NULL where there is none.
void nd_tile_describe(np_tile *out, const nd_tile *t, np_encoding encoding, const nd_cached *data);
// Why a tile failed, for a person. stage: it was at; NAV_STAGE_COUNT: none. Valid for ever.
const char *nd_failure_text(nav_status s, unsigned stage);

#endif
