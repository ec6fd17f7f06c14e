// What the methods path.* share. Loop thread only.
#ifndef ND_METHODS_PATH_H
#define ND_METHODS_PATH_H

#include "daemon/methods/methods.h"

// The call waits for its answer, in the session's name. It is taken over; NULL: there was no memory for it. Else
// c->err.
NAV_MUST_USE nav_status nd_call_ask_path(nd_call *c, uint64_t world, np_str profile, nd_path_call *call);

#endif
