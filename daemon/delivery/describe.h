// What a client is told of a tile. Loop thread only.
#ifndef ND_DESCRIBE_H
#define ND_DESCRIBE_H

#include "daemon/cache/cache.h"
#include "daemon/schedule/scheduler.h"
#include "protocol/messages.h"

// Fills what a client is told of a tile. data: NULL where there is none.
void nd_tile_describe(np_tile *out, const nd_tile *t, nav_sheet sheet, np_encoding encoding, const nd_cached *data);
// Why a tile failed, for a person. Valid for ever: a tile's reason is borrowed.
const char *nd_failure_text(const nd_reason *why);

#endif
