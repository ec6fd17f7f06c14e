// Should a client that has a choice use this daemon now? The page /readyz, the metric navd_ready and systemd's
// status line say so. Loop thread only.
#ifndef ND_READY_H
#define ND_READY_H

#include "daemon/service/service.h"

// NULL: it is. Else why not, one sentence, borrowed until the loop goes on.
const char *nd_unready(const nd_service *s);

#endif
