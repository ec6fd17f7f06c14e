// Tiles that were made at home, on their way into the shared cache: gathered by area, and put there a pack at a time.
// The area's pack as it was is read first, and what it has stays behind the new tiles, up to a bound: a block that is
// edited and taken back finds both. What cannot be kept up with is dropped, and counted. Loop thread only.
#ifndef ND_GATHER_H
#define ND_GATHER_H

#include "daemon/base/table.h"
#include "daemon/work/away.h"

struct nd_coordinator;
typedef struct nd_gathered nd_gathered;

typedef struct nd_gather {
    struct nd_coordinator *of;
    nd_table table; // by block and form
    nd_gathered *oldest, *newest;
    size_t bytes;     // of what waits and what is being written
    unsigned writing; // packs
} nd_gather;

void nd_gather_add(nd_gather *g, const nd_run *run, const nd_tile_job *j);
// What waits long enough, or is complete, goes. all: whatever there is.
void nd_gather_flush(nd_gather *g, uint64_t now_ns, bool all);
// All that was made of a world goes.
void nd_gather_leave(nd_gather *g, uint64_t world);
void nd_gather_deinit(nd_gather *g); // accepts a zeroed one
// Does anything wait?
static inline bool nd_gather_waits(const nd_gather *g)
{
    return g->table.count;
}

#endif
