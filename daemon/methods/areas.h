// The answer to world.areas. Loop thread only.
#ifndef ND_METHODS_AREAS_H
#define ND_METHODS_AREAS_H

#include "daemon/methods/durable.h"

// The table as the world has it; commit as for nd_commit_reply().
void nd_areas_reply(nd_methods *methods, nd_commit *commit, const nd_world *w, uint64_t session, uint32_t request,
                    uint64_t revision, uint32_t dirty_tiles);

#endif
